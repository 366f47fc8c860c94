"""Speed Index and layout shift, by their definitions."""

import pytest

from pronghorn.browser import speed_index, vitals

WHITE = [[0] * 255 + [100]] * 3
BLACK = [[100] + [0] * 255] * 3
HALF = [[50] + [0] * 254 + [50]] * 3


def test_completeness_is_the_way_from_the_first_frame_to_the_last() -> None:
    assert speed_index.completeness([WHITE, HALF, BLACK]) == [0.0, 0.5, 1.0]


def test_a_page_that_never_changes_is_complete() -> None:
    assert speed_index.completeness([WHITE, WHITE]) == [1.0, 1.0]
    assert speed_index.completeness([]) == []


def test_values_that_compression_moved_a_little_count_as_the_same() -> None:
    nearly = [[0] * 3 + [100] + [0] * 252] * 3
    assert speed_index.completeness([WHITE, nearly, BLACK])[1] == 1.0


def test_the_index_is_the_time_that_is_missing() -> None:
    assert speed_index.speed_index_s([-0.5, 1.0, 3.0], [0.0, 0.5, 1.0]) == pytest.approx(1.0 + 2.0 * 0.5)


def test_layout_shift_is_the_largest_session_window() -> None:
    assert vitals.layout_shift([]) == 0.0
    assert vitals.layout_shift([(0, 0.1), (900, 0.2), (2000, 0.25)]) == pytest.approx(0.3)
    within_five_seconds = [(900.0 * step, 0.1) for step in range(8)]
    assert vitals.layout_shift(within_five_seconds) == pytest.approx(0.6)


def test_blocking_time_is_what_long_tasks_take_beyond_50_ms_between_first_paint_and_load() -> None:
    seen = {
        "navigation": {"loadEventStart": 1000.0, "domContentLoadedEventStart": 800.0},
        "fcp": 100.0,
        "lcp": 200.0,
        "shifts": [],
        "longtasks": [[0.0, 90.0], [150.0, 250.0], [980.0, 500.0]],
    }
    assert vitals.figures(seen)["tbt_s"] == pytest.approx(0.2)

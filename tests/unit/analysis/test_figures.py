"""Medians, quantiles and means, by hand."""

import math

import numpy as np
import pytest

from pronghorn.analysis.figures import figures, median, thin, trimmed_mean


def test_figures_of_ten_values() -> None:
    found = figures(np.arange(1.0, 11.0), with_mean=True)
    assert found.model_dump() == {
        "median": 5.5,
        "mean": 5.5,
        "trimmed_mean": 5.5,
        "p75": 8.0,
        "p90": 9.0,
        "p95": 10.0,
        "p99": 10.0,
        "min": 1.0,
        "max": 10.0,
        "ci95": {"median": (2.0, 9.0)},
        "needs": {"p75": 11, "p90": 29, "p95": 59, "p99": 299},
    }


def test_quantiles_have_intervals_between_measured_values_as_soon_as_there_are_enough() -> None:
    found = figures(np.arange(1.0, 51.0), with_mean=True)
    assert found.ci95 == {"median": (18.0, 32.0), "p75": (32.0, 44.0), "p90": (41.0, 50.0)}
    assert found.needs == {"p95": 59, "p99": 299}


def test_a_failed_trial_leaves_its_end_open() -> None:
    values = np.append(np.arange(1.0, 20.0), math.inf)
    found = figures(values, with_mean=False)
    assert found.ci95["median"] == (6.0, 15.0)
    assert found.ci95["p75"] == (11.0, 19.0)
    assert figures(np.append(values[:16], [math.inf] * 4), with_mean=False).ci95["p75"] == (11.0, None)


def test_the_trimmed_mean_leaves_out_a_fifth_at_each_end() -> None:
    assert trimmed_mean(np.array([9.0, 1, 2, 3, 100])) == pytest.approx(14 / 3)
    assert trimmed_mean(np.array([1.0, 2, 3, 4, math.inf])) == 3
    assert trimmed_mean(np.array([1.0, 2, 3, math.inf, math.inf])) == math.inf
    assert math.isnan(trimmed_mean(np.array([])))
    assert figures(np.array([1.0, 2, 3, math.inf, math.inf]), with_mean=False).trimmed_mean is None


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (9, 9), (10, 9), (11, 10), (12, 11), (20, 18), (100, 90)])
def test_nearest_rank_of_p90(n: int, rank: int) -> None:
    assert figures(np.arange(1.0, n + 1), with_mean=True).p90 == rank


@pytest.mark.parametrize(
    ("n", "marked"),
    [
        (0, []),
        (3, ["p75", "p90", "p95", "p99"]),
        (9, ["p90", "p95", "p99"]),
        (10, ["p95", "p99"]),
        (20, ["p99"]),
        (99, ["p99"]),
        (100, []),
    ],
)
def test_quantiles_that_are_merely_the_maximum_are_marked(n: int, marked: list[str]) -> None:
    assert thin(n) == marked


def test_a_failure_is_the_worst_outcome() -> None:
    values = np.array([1.0, 2.0, 3.0, math.inf])
    found = figures(values, with_mean=False)
    assert (found.median, found.mean, found.min, found.max, found.p90) == (2.5, None, 1.0, None, None)
    assert median(np.array([1.0, math.inf])) == math.inf


def test_nothing_has_no_figures() -> None:
    assert figures(np.array([]), with_mean=True).median is None
    assert math.isnan(median(np.array([])))

"""Slow start that ended without a loss is seen in a flight, and nothing else is taken for it."""

from pathlib import Path
from typing import Any

import pytest

from .records import ROUND_TRIP_S, codes, experiment, flown, found, profile, text, trial

CODE = "slow-start-left-early"
FIRST = 14_480.0

Samples = dict[str, list[float | None]]


def course(
    windows: list[float], *, losses_at: int | None = None, busy: float = 1.0, moving: bool = True
) -> Samples:
    """A sender's windows a round trip apart, all of each acknowledged in the next."""
    acked, total = [], 0.0
    for window in windows:
        acked.append(total)
        total += window if moving else 0.0
    lost = [0.0 if losses_at is None or place < losses_at else 5.0 for place in range(len(windows))]
    times = [place * ROUND_TRIP_S for place in range(len(windows))]
    return {
        "at_s": [*times],
        "cwnd_bytes": [*windows],
        "in_flight_bytes": [window * busy for window in windows],
        "min_rtt_s": [ROUND_TRIP_S for _ in windows],
        "retransmits": [*lost],
        "acked_bytes": [*acked],
    }


def doubling(to: float) -> list[float]:
    found = [FIRST]
    while found[-1] * 2 <= to:
        found.append(found[-1] * 2)
    return found


EARLY = [*doubling(60_000), *(58_000 + 1448.0 * trip for trip in range(20))]
"""Left at 58 kB, where the path holds 250 kB."""


def seen(folder: Path, samples: Samples, **more: Any) -> set[str]:
    one = flown(trial("h2"), folder, "tcp", samples, **more)
    return codes(found(experiment(), [one], folder))


def test_a_window_that_stops_doubling_below_what_the_path_holds_is_named(tmp_path: Path) -> None:
    trials = [
        flown(trial("h2", block=0), tmp_path, "tcp", course(EARLY)),
        flown(trial("h2", block=1), tmp_path, "tcp", course(doubling(4_000_000), losses_at=6)),
    ]
    said = text(found(experiment(), trials, tmp_path), CODE)
    assert "ended without a loss in 1 of 2 loads" in said
    assert "window of 57.9 kB" in said
    assert "250 kB (50 Mbit/s × 40 ms)" in said


@pytest.mark.parametrize(
    "samples",
    [
        course(doubling(4_000_000), losses_at=6),
        course(EARLY, losses_at=3),
        course(EARLY, busy=0.4),
        course(EARLY, moving=False),
        course(doubling(60_000)),
        course([*doubling(240_000), *(232_000 + 1448.0 * trip for trip in range(20))]),
    ],
    ids=[
        "goes on to a loss",
        "a loss",
        "nothing to send",
        "somebody stood still",
        "ends before",
        "path is full",
    ],
)
def test_other_courses_are_not(tmp_path: Path, samples: Samples) -> None:
    assert CODE not in seen(tmp_path, samples)


def test_it_is_a_matter_of_tcps_cubic(tmp_path: Path) -> None:
    assert CODE in seen(tmp_path, course(EARLY))
    assert CODE not in seen(tmp_path, course(EARLY), congestion_control="bbr")
    one = flown(trial("h3"), tmp_path, "quic", course(EARLY))
    assert CODE not in codes(found(experiment(), [one], tmp_path))


def test_a_run_without_flights_says_nothing(tmp_path: Path) -> None:
    assert CODE not in codes(found(experiment(path=profile()), [trial("h2")], tmp_path))


def test_one_load_of_many_is_none(tmp_path: Path) -> None:
    late = course(doubling(4_000_000), losses_at=6)
    trials = [
        flown(trial("h2", block=block), tmp_path, "tcp", course(EARLY) if block == 0 else late)
        for block in range(8)
    ]
    assert CODE not in codes(found(experiment(), trials, tmp_path))
    assert CODE in codes(found(experiment(), trials[:4], tmp_path))


@pytest.mark.parametrize("status", ["failed", "contaminated"])
def test_loads_that_do_not_count_prove_nothing(tmp_path: Path, status: str) -> None:
    one = flown(trial("h2", status=status), tmp_path, "tcp", course(EARLY))
    assert CODE not in codes(found(experiment(), [one], tmp_path))


def test_hystart_that_is_switched_off_is_not_what_ended_it(tmp_path: Path) -> None:
    def seen_with(hystart: bool) -> set[str]:
        table = {"hystart": hystart}
        one = trial("h2", host={"tcp": {"client": table, "server": table}})
        return codes(found(experiment(), [flown(one, tmp_path, "tcp", course(EARLY))], tmp_path))

    assert CODE in seen_with(True)
    assert CODE not in seen_with(False)

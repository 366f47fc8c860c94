"""The warning of load times that fall into two groups: told with what goes with it, hardly ever where there
is one."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import binom

from pronghorn.cautions.traits import Companion, Trait
from pronghorn.cautions.two_modes import FALSE_ALARMS, cautions
from pronghorn.model.caution import Caution
from pronghorn.model.trial import Counters, LinkCounters, Metrics, Trial
from pronghorn.model.why import PARTS, Part, Why

from ..checks.runs import around, experiment, trials

BLOCKS = 24
FALSE_ALARM = 1e-4
"""Probability that the test of false alarms fails although there are as few as stated."""


def said(found: Sequence[Trial]) -> list[Caution]:
    return list(cautions(experiment(("lte",)), found))


def in_two_modes(dropped: Sequence[int]) -> list[Trial]:
    """Of h2's loads every other one takes a quarter longer; the path dropped so many packets of each load."""
    faster, slower = around(0.62, 0.03, BLOCKS // 2), around(0.785, 0.03, BLOCKS // 2)
    h2 = [time for pair in zip(faster, slower, strict=True) for time in pair]
    loads = {"h1": around(1, 0.03, BLOCKS), "h2": h2, "h3": around(0.6, 0.04, BLOCKS)}
    return [
        trial.model_copy(
            update={"counters": Counters(down=LinkCounters(packets_in=500, lost=dropped[trial.block]))}
        )
        for trial in trials({"lte": loads})
    ]


def test_both_groups_are_told_with_their_number_and_what_goes_with_them() -> None:
    (found,) = said(in_two_modes([4 * (block % 2) + block % 3 for block in range(BLOCKS)]))
    assert found.code == "two-modes"
    assert found.text == (
        "Load times fall into two groups in 1 case: h2 on small/lte/builtin/native near 620 ms (12 "
        "loads) or near 785 ms (12 loads), which correlates with packets dropped on the down link "
        "(median 1 in the faster ones, 5 in the slower)."
    )
    assert found.remedy


def test_without_a_cause_the_part_that_took_longer_is_told() -> None:
    trials = [
        trial.model_copy(update={"why": Why(parts=_parts(trial))})
        for trial in in_two_modes([block % 3 for block in range(BLOCKS)])
    ]
    (found,) = said(
        [
            trial.model_copy(update={"metrics": Metrics(load_s=trial.metrics.load_s, ttfb_s=0.1)})
            for trial in trials
        ]
    )
    assert "which correlates with the part of the time called congestion window (median " in found.text


def _parts(trial: Trial) -> dict[Part, float]:
    load_s = trial.metrics.load_s or 0.0
    return {part: load_s - 0.5 if part == "congestion" else 0.01 for part in PARTS}


def test_what_is_there_or_not_is_told_in_shares() -> None:
    trait = Trait("slow start left early", lambda _: 0.0, None)
    assert Companion(trait, 0.05, 1.0, 1e-6).words() == (
        "which correlates with slow start left early (5 % of the faster ones, 100 % of the slower)"
    )


def test_what_differs_by_chance_alone_is_not_said_to_go_with_them() -> None:
    (found,) = said(in_two_modes([block % 3 for block in range(BLOCKS)]))
    assert "dropped" not in found.text
    assert (
        "which correlates with the time to first byte (median 155 ms in the faster ones, 196 ms" in found.text
    )


def test_groups_within_the_margin_are_no_matter() -> None:
    close = [1 + 0.02 * (block % 2) + 1e-4 * block for block in range(BLOCKS)]
    assert not said(trials({"lte": dict.fromkeys(("h1", "h2", "h3"), close)}))


def test_failed_loads_are_in_no_group() -> None:
    loads: list[float | None] = [None] * 12
    mixed = [*loads, *around(1, 0.03, 12)]
    assert not said(trials({"lte": dict.fromkeys(("h1", "h2", "h3"), mixed)}))


@pytest.mark.parametrize("blocks", [12, 30])
def test_runs_whose_arms_have_one_mode_are_hardly_ever_warned(blocks: int) -> None:
    """Of 150 runs of three uniform arms, which have the largest dips; at most 19 may be by chance."""
    rng = np.random.default_rng(blocks)
    runs = 150
    warned = 0
    for _ in range(runs):
        drawn = np.exp(rng.random((3, blocks)))
        warned += bool(said(trials({"lte": dict(zip(("h1", "h2", "h3"), drawn.tolist(), strict=True))})))
    assert warned <= binom.isf(FALSE_ALARM, runs, FALSE_ALARMS)

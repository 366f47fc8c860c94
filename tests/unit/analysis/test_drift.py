"""Drift: by hand, against another program's, found where it is and hardly ever where it isn't."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import binom, kendalltau

from pronghorn.analysis.drift import p_of_trend
from pronghorn.analysis.times import Times
from pronghorn.cautions.drift import FALSE_ALARMS, cautions
from pronghorn.model.caution import Caution
from pronghorn.model.trial import Trial

from ..checks.runs import around, experiment, trials

RUNS, CELLS = 300, 10
FALSE_ALARM = 1e-4
"""Probability that the test of false alarms fails although there are as few as stated."""


def said(found: Sequence[Trial], **changes: str) -> list[Caution]:
    return list(cautions(experiment(("lte",)).model_copy(update=changes), found))


def rising(values: list[float], by: float) -> list[float]:
    """The values, prolonged step by step until the last is longer by a share."""
    return [value * (1 + by * place / (len(values) - 1)) for place, value in enumerate(values)]


def test_four_values_in_order_by_hand() -> None:
    """Two of the 24 orders of four values rise or fall all the way."""
    assert p_of_trend(np.array([1.0, 2, 3, 4])) == pytest.approx(2 / 24)
    assert p_of_trend(np.array([1.0, 2, 4, 3])) == pytest.approx(8 / 24)
    assert p_of_trend(np.array([4.0, 3, 2, 1])) == pytest.approx(2 / 24)


@pytest.mark.parametrize("values", [5, 12, 20, 49])
def test_the_exact_p_is_scipys(values: int) -> None:
    for seed in range(5):
        series: Times = np.random.default_rng(seed).standard_normal(values)
        theirs = kendalltau(np.arange(values), series, method="exact").pvalue
        assert p_of_trend(series) == pytest.approx(float(theirs))


def test_ties_and_failures_are_allowed_for() -> None:
    assert p_of_trend(np.full(20, math.inf)) == 1.0
    assert p_of_trend(np.array([0.0] * 10 + [math.inf] * 10)) < 1e-3
    tied: Times = np.random.default_rng(1).integers(0, 4, 200).astype(float)
    theirs = kendalltau(np.arange(200), tied, method="asymptotic").pvalue
    assert p_of_trend(tied) == pytest.approx(float(theirs), rel=0.05)


@pytest.mark.parametrize("blocks", [8, 12, 20])
def test_runs_without_a_drift_are_hardly_ever_flagged(blocks: int) -> None:
    drawn: Times = np.random.default_rng(blocks).standard_normal((RUNS, CELLS, blocks))
    flagged = sum(any(p_of_trend(cell) * CELLS <= FALSE_ALARMS for cell in run) for run in drawn)
    assert flagged <= binom.ppf(1 - FALSE_ALARM, RUNS, FALSE_ALARMS)


def test_a_host_that_slows_down_is_told_with_how_much() -> None:
    loads = {
        "h1": rising(around(1, 0.01), 0.3),
        "h2": rising(around(1.1, 0.01), 0.3),
        "h3": rising(around(0.8, 0.01), 0.3),
    }
    (found,) = said(trials({"lte": loads}))
    assert found.code == "drift"
    assert "in 1 cell. An example: small/lte/builtin/native: +2" in found.text
    assert found.remedy


def test_a_difference_that_changes_is_told_with_both_ratios() -> None:
    loads = {"h1": around(1, 0.01), "h2": around(1.1, 0.01), "h3": rising(around(0.8, 0.01), 0.5)}
    codes = {one.code: one.text for one in said(trials({"lte": loads}))}
    assert "An example: h3 over h2 on small/lte/builtin/native: ratio 0.7" in codes["drift-of-difference"]


def test_one_arm_that_slows_down_is_no_drift_of_all() -> None:
    alone = {"h1": around(1, 0.001), "h2": around(1.1, 0.001), "h3": rising(around(0.8, 0.01), 3)}
    against = {"h2": rising(around(1.1, 0.001), -0.05), "h3": rising(around(0.8, 0.01), 3)}
    for loads in (alone, against):
        arms = experiment(("lte",), tuple(loads))
        assert [one.code for one in cautions(arms, trials({"lte": loads}))] == ["drift-of-difference"]


def test_blocks_in_which_both_arms_failed_say_nothing_of_their_ratio() -> None:
    """As ratios of 1 they would seem to be a trend: from 0.5 in the first blocks to 1 in the last."""
    ended = around(1, 0.01, 14)
    halves = around(0.5, 0.01, 14)
    arms = experiment(("lte",), ("h2", "h3"))
    for kept in (14, 9, 7):
        failing: list[float | None] = [None] * 12
        loads = {"h2": [*ended[:kept], *failing], "h3": [*halves[:kept], *failing]}
        found = [one.code for one in cautions(arms, trials({"lte": loads}))]
        assert "drift-of-difference" not in found


def test_too_few_blocks_with_a_ratio_are_not_tested() -> None:
    """Seven ratios that rise all the way would have a p of 2/5040."""
    steep = [0.5 * 1.2**place for place in range(8)]
    arms = experiment(("lte",), ("h2", "h3"))
    for kept, told in ((7, 0), (8, 1)):
        loads: dict[str, Sequence[float | None]] = {
            "h2": [*[1.0] * kept, *[None] * 5],
            "h3": [*steep[:kept], *[None] * 5],
        }
        found = [one.code for one in cautions(arms, trials({"lte": loads}))]
        assert found.count("drift-of-difference") == told


def test_a_drift_within_the_margin_is_not_told() -> None:
    loads = {name: rising(around(1, 0.0001), 0.02) for name in ("h1", "h2", "h3")}
    assert said(trials({"lte": loads})) == []


def test_kept_clients_are_not_asked() -> None:
    loads = {name: rising(around(1, 0.01), 0.3) for name in ("h1", "h2", "h3")}
    assert said(trials({"lte": loads}), state="kept") == []


def test_blocks_are_taken_in_the_order_in_which_they_began() -> None:
    loads = {name: rising(around(1, 0.01), 0.3) for name in ("h1", "h2", "h3")}
    shuffled = [
        trial.model_copy(update={"started": f"2026-11-21T00:{trial.block * 7 % 12:02}:00.000Z"})
        for trial in trials({"lte": loads})
    ]
    assert said(shuffled) == []

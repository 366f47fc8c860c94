"""Outliers: by hand, and hardly ever where there are none."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import binom

from pronghorn.analysis.blocks import select
from pronghorn.analysis.outliers import LEAST_CUTOFF, cutoff, scores
from pronghorn.analysis.times import Times
from pronghorn.cautions.outliers import FALSE_ALARMS, cautions, outliers
from pronghorn.model.caution import Caution
from pronghorn.model.trial import Trial

from ..checks.runs import Loads, around, experiment, trials

RUNS, SAMPLES = 400, 10
FALSE_ALARM = 1e-4
"""Probability that the test of false alarms fails although there are as few as stated."""


def said(found: Sequence[Trial]) -> list[Caution]:
    return list(cautions(experiment(("lte",)), found))


def test_the_score_by_hand() -> None:
    """Of 1, 2, 3, 4, 100 the median is 3 and the median absolute deviation 1: 0.6745 × 97 = 65.4."""
    assert scores(np.array([1.0, 2, 3, 4, 100])) == pytest.approx(
        [-1.349, -0.6745, 0, 0.6745, 65.4265], abs=1e-4
    )


def test_where_most_values_are_equal_the_mean_deviation_stands_in() -> None:
    """Of nine zeros and a ten the mean absolute deviation is 1: 10 / 1.253314."""
    assert scores(np.array([0.0] * 9 + [10]))[-1] == pytest.approx(7.979, abs=1e-3)
    assert not scores(np.full(9, 0.5)).any()


def test_the_cutoff_rises_with_the_looks_and_falls_with_the_sample() -> None:
    assert cutoff(1000, 1, 0.05) == LEAST_CUTOFF
    assert cutoff(12, 120, 0.01) > cutoff(12, 12, 0.01) > cutoff(40, 12, 0.01)


@pytest.mark.parametrize("values", [8, 12, 20, 50])
def test_runs_without_outliers_are_hardly_ever_flagged(values: int) -> None:
    limit = cutoff(values, SAMPLES * values, FALSE_ALARMS)
    drawn: Times = np.random.default_rng(values).standard_normal((RUNS, SAMPLES, values))
    flagged = sum(any(np.abs(scores(sample)).max() > limit for sample in run) for run in drawn)
    assert flagged <= binom.ppf(1 - FALSE_ALARM, RUNS, FALSE_ALARMS)


def test_a_load_far_outside_is_told_with_its_block_and_the_median() -> None:
    h3 = around(0.8, 0.03)
    h3[7] = 9.0
    (found,) = said(trials({"lte": {"h1": around(1, 0.03), "h2": around(1, 0.04), "h3": h3}}))
    assert found.code == "outliers"
    assert "The furthest: h3 on small/lte/builtin/native, block 7: 9.00 s" in found.text
    assert found.remedy


def test_a_block_in_which_all_arms_lie_outside_is_told_apart() -> None:
    loads = {"h1": around(1, 0.03), "h2": around(1, 0.04), "h3": around(0.8, 0.03)}
    for of_arm in loads.values():
        of_arm[3] *= 8
    codes = [one.code for one in said(trials({"lte": loads}))]
    assert codes == ["outliers", "disturbed-blocks"]


def test_failures_and_ordinary_scatter_are_no_outliers() -> None:
    loads: Loads = {"h1": around(1, 0.5), "h2": around(1, 0.05), "h3": [*around(0.8, 0.03, 11), None]}
    assert said(trials({"lte": loads})) == []
    assert said([]) == []


def test_a_kept_clients_first_load_is_none_either() -> None:
    loads = {"h1": around(1, 0.03), "h2": around(1, 0.04), "h3": around(0.8, 0.03)}
    loads["h3"][0] = 9.0
    kept = [trial.model_copy(update={"visit": trial.block}) for trial in trials({"lte": loads})]
    assert outliers(list(select(kept, ["h1", "h2", "h3"]).values())) == []

"""How often a run without outliers, drift or two modes is warned of them, and how often intervals between two
runs are right: the figures of docs/methodology.md."""

import numpy as np
import pytest
from scipy.stats import binom

from pronghorn.analysis.drift import p_of_trend
from pronghorn.analysis.modes import modes
from pronghorn.analysis.outliers import cutoff, scores
from pronghorn.analysis.seeds import generator
from pronghorn.analysis.times import Times
from pronghorn.before_after.bootstrap import change_of_medians
from pronghorn.cautions import drift, outliers, two_modes

from ..unit.analysis.populations import POPULATIONS, Population

FALSE_ALARM = 1e-4
"""Probability that a test fails although the rate is as its bound says."""

RUNS, SAMPLES = 4000, 10
EXPERIMENTS = 1000


@pytest.mark.parametrize("values", [8, 12, 20, 50])
def test_normal_samples_are_hardly_ever_said_to_have_outliers(
    values: int, capsys: pytest.CaptureFixture[str]
) -> None:
    limit = cutoff(values, SAMPLES * values, outliers.FALSE_ALARMS)
    rng = np.random.default_rng(values)
    flagged = sum(
        any(np.abs(scores(sample)).max() > limit for sample in rng.standard_normal((SAMPLES, values)))
        for _ in range(RUNS)
    )
    with capsys.disabled():
        print(f"\noutliers, {values} blocks: cut-off {limit:.1f}, {flagged} of {RUNS} runs warned")
    assert flagged <= binom.ppf(1 - FALSE_ALARM, RUNS, outliers.FALSE_ALARMS)


@pytest.mark.parametrize("values", [8, 12, 20, 50, 80])
def test_series_without_a_trend_are_hardly_ever_said_to_drift(
    values: int, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(values)
    flagged = sum(
        any(
            p_of_trend(series) * SAMPLES <= drift.FALSE_ALARMS
            for series in rng.standard_normal((SAMPLES, values))
        )
        for _ in range(RUNS)
    )
    with capsys.disabled():
        print(f"\ndrift, {values} blocks: {flagged} of {RUNS} runs warned")
    assert flagged <= binom.ppf(1 - FALSE_ALARM, RUNS, drift.FALSE_ALARMS)


@pytest.mark.parametrize("values", [8, 12, 24, 50])
@pytest.mark.parametrize("samples", [10, 50])
def test_samples_of_one_mode_are_hardly_ever_said_to_have_two(
    values: int, samples: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of uniform values, whose dips are the largest."""
    runs = RUNS // (samples // 10)
    rng = np.random.default_rng([values, samples])
    flagged = sum(
        any(modes(sample, two_modes.FALSE_ALARMS / samples) for sample in rng.random((samples, values)))
        for _ in range(runs)
    )
    with capsys.disabled():
        print(f"\ntwo modes, {samples} samples of {values} blocks: {flagged} of {runs} runs warned")
    assert flagged <= binom.ppf(1 - FALSE_ALARM, runs, two_modes.FALSE_ALARMS)


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.name)
@pytest.mark.parametrize("blocks", [12, 20])
def test_intervals_between_two_runs_are_right_as_often_as_they_say(
    population: Population, blocks: int, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(blocks)
    truth = population.ratio(np.median)
    before: Times = population.draw(rng, EXPERIMENTS, blocks)[..., 1]
    after: Times = population.draw(rng, EXPERIMENTS, blocks)[..., 0]
    covered = 0
    for number in range(EXPERIMENTS):
        found = change_of_medians(
            before[number], after[number], generator(1, str(number)), paired=False, resamples=1000
        )
        covered += found.ratio.low <= truth <= found.ratio.high
    with capsys.disabled():
        print(f"\ntwo runs, {population.name}, {blocks} blocks: {100 * covered / EXPERIMENTS:.1f} % covered")
    assert covered >= binom.ppf(FALSE_ALARM, EXPERIMENTS, 0.93)

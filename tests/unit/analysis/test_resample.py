"""Resamples as counts: the same statistics as of the times drawn one by one."""

import math

import numpy as np
import pytest

from pronghorn.analysis import resample
from pronghorn.analysis.bootstrap import Pairing, effects
from pronghorn.analysis.figures import QUANTILES, median, rank, trimmed_mean
from pronghorn.analysis.resample import Ordered, drawn
from pronghorn.analysis.times import Times
from pronghorn.model.summary import Statistic

RESAMPLES = 40


def one_by_one(statistic: Statistic, times: Times) -> float:
    if statistic == "median":
        return median(times)
    if statistic == "trimmed_mean":
        return trimmed_mean(times)
    place = QUANTILES[statistic] * len(times)
    above = min(len(times), math.floor(round(place, 9)) + 1)
    return float(np.sort(times)[[rank(statistic, len(times)) - 1, above - 1]].mean())


@pytest.mark.parametrize("blocks", [1, 2, 3, 5, 8, 13, 64, 65])
@pytest.mark.parametrize("statistic", ["median", "trimmed_mean", *QUANTILES])
def test_counts_give_what_the_drawn_times_give(statistic: Statistic, blocks: int) -> None:
    times = np.random.default_rng(blocks).integers(1, 9, blocks).astype(np.float64)
    times[times == 8] = math.inf
    ordered = Ordered(times)
    for counts in drawn(blocks, np.random.default_rng(1), RESAMPLES):
        found = ordered.resampled(statistic, ordered.cumulated(counts))
        expected = [one_by_one(statistic, np.repeat(times, column)) for column in counts.T]
        assert found.tolist() == pytest.approx(expected)
    measured = np.sort(times)[rank(statistic, blocks) - 1] if statistic in QUANTILES else None
    assert ordered.found(statistic) == pytest.approx(measured or one_by_one(statistic, times))


def test_every_resample_has_as_many_blocks_and_portions_make_up_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resample, "_COUNTS_AT_ONCE", 100)
    monkeypatch.setattr(resample, "_LEAST_COLUMNS", 1)
    portions = list(drawn(7, np.random.default_rng(1), RESAMPLES))
    assert [counts.shape for counts in portions] == [(7, 14), (7, 14), (7, 12)]
    assert all((counts.sum(axis=0) == 7).all() for counts in portions)


def test_blocks_are_drawn_evenly() -> None:
    """Chi-squared over 6 blocks: 32 is exceeded once in 150 000 times."""
    (counts,) = drawn(6, np.random.default_rng(2), 10_000)
    assert ((counts.sum(axis=1) - 10_000) ** 2 / 10_000).sum() < 32


def test_differences_stand_beside_the_ratios() -> None:
    baseline = np.random.default_rng(3).lognormal(0, 0.2, 20)
    asked = [Pairing("h3", "h2", each) for each in ("median", "mean", "trimmed_mean", "p75")]
    columns = {"h3": baseline + 0.5, "h2": baseline}
    for one, effect in effects(columns, asked, np.random.default_rng(4), resamples=500).items():
        difference = effect.difference
        assert (difference.low, difference.value, difference.high) == pytest.approx((0.5, 0.5, 0.5)), one
        assert effect.ratio.low < effect.ratio.value < effect.ratio.high


def test_an_arm_s_interval_stays_when_another_arm_joins() -> None:
    first, second, third = np.random.default_rng(5).lognormal(0, 0.3, (3, 15))
    columns = {"h2": first, "h3": second}
    asked = [Pairing("h3", "h2", "median"), Pairing("h3", "h2", "mean")]
    more = {**columns, "h1": third}
    others = [Pairing("h1", "h2", "p75"), *asked]
    alone = effects(columns, asked, np.random.default_rng(6), resamples=300)
    among = effects(more, others, np.random.default_rng(6), resamples=300)
    assert all(among[one] == alone[one] for one in asked)


def test_two_failures_leave_the_difference_open_on_both_sides() -> None:
    failed = np.full(12, math.inf)
    one = Pairing("h3", "h2", "median")
    found = effects(dict.fromkeys(one.columns, failed), [one], np.random.default_rng(1), resamples=100)[one]
    assert math.isnan(found.difference.value)
    assert (found.difference.low, found.difference.high) == (-math.inf, math.inf)

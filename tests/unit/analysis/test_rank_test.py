"""The rank test: exact, and the superiority beside it."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest, wilcoxon

from pronghorn.analysis.rank_test import doubled_ranks, p_value
from pronghorn.analysis.superiority import superiority


@pytest.mark.parametrize("blocks", [1, 2, 6, 12, 50])
def test_it_is_scipy_s_where_no_two_are_alike(blocks: int) -> None:
    rng = np.random.default_rng(blocks)
    arm, baseline = rng.lognormal(0.1, 0.3, blocks), rng.lognormal(0, 0.3, blocks)
    expected = wilcoxon(np.log(arm / baseline), method="exact").pvalue
    assert p_value(arm, baseline) == pytest.approx(expected)


def test_beyond_fifty_blocks_it_is_scipy_s_normal_one() -> None:
    rng = np.random.default_rng(1)
    arm, baseline = rng.lognormal(0.03, 0.3, 200), rng.lognormal(0, 0.3, 200)
    expected = wilcoxon(np.log(arm / baseline), method="approx", correction=False).pvalue
    assert p_value(arm, baseline) == pytest.approx(expected, rel=1e-6)


def test_ties_are_counted_pattern_by_pattern() -> None:
    logs = np.array([1.0, 1.0, -1.0, 2.0, 2.0, 3.0, -0.5])
    ranks = doubled_ranks(np.abs(logs)) / 2
    assert ranks.tolist() == [3, 3, 3, 5.5, 5.5, 7, 1]
    sums = [ranks[np.array(signs) > 0].sum() for signs in product((-1, 1), repeat=7)]
    least = min(ranks[logs > 0].sum(), ranks[logs < 0].sum())
    expected = min(1.0, 2 * np.mean(np.array(sums) <= least))
    assert p_value(np.exp(logs), np.ones(7)) == pytest.approx(expected)


def test_a_failed_load_is_the_worst_and_two_say_nothing() -> None:
    baseline = np.ones(8)
    failed = np.full(8, math.inf)
    assert p_value(failed, baseline) == p_value(np.full(8, 9.0), baseline) == pytest.approx(2 / 2**8)
    assert p_value(failed, failed) == 1.0
    assert p_value(baseline, baseline) == 1.0
    assert p_value(np.array([]), np.array([])) is None


def test_of_rates_none_at_all_is_the_worst() -> None:
    assert p_value(np.zeros(8), np.full(8, 5.0)) == pytest.approx(2 / 2**8)


def test_alike_arms_are_rejected_as_seldom_as_asked() -> None:
    """5 % of 2000 would be 100; more than 137 has a probability of 1e-4. The exact test stays below."""
    times = np.random.default_rng(7).lognormal(0, 0.4, (2000, 12, 2))
    p_values = np.array([p_value(one[:, 0], one[:, 1]) for one in times])
    assert np.sum(p_values <= 0.05) <= 137


def test_superiority_is_the_share_of_blocks_with_clopper_and_pearson_s_interval() -> None:
    baseline = np.arange(1.0, 21.0)
    arm = np.where(baseline <= 17, baseline - 0.5, baseline + 0.5)
    found = superiority(arm, baseline, higher_is_better=False)
    assert found is not None
    assert (found.better, found.alike, found.blocks, found.share) == (17, 0, 20, 0.85)
    expected = binomtest(17, 20).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_of_rates_more_is_better_and_ties_count_half() -> None:
    found = superiority(np.array([2.0, 1, 1, 0]), np.array([1.0, 1, 2, 0]), higher_is_better=True)
    assert found is not None
    assert (found.better, found.alike, found.share) == (1, 2, 0.5)
    lower = superiority(np.array([1.0, math.inf]), np.array([math.inf, math.inf]), higher_is_better=False)
    assert lower is not None
    assert (lower.better, lower.alike, lower.share) == (1, 1, 0.75)


def test_without_blocks_there_is_none_and_all_blocks_bound_it_above_by_1() -> None:
    assert superiority(np.array([]), np.array([]), higher_is_better=False) is None
    found = superiority(np.ones(10), np.full(10, 2.0), higher_is_better=False)
    assert found is not None
    assert (found.share, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025**0.1)

"""The exact distribution of a chain's hits."""

import numpy as np
import pytest
from scipy.stats import binom

from pronghorn.calibration import FALSE_ALARM, markov
from pronghorn.calibration.markov import Chain

CHAINS = {
    "correlated": markov.chance(0.1, 0.4),
    "bounded": markov.bounded(0.4, 0.2, 2),
    "gilbert-elliott": markov.gilbert_elliott(0.05, 0.3, 0.9, 0.01),
    "four-state": markov.four_state(0.05, 0.4, 0.2, 0.5, 0.01),
    "gap": markov.with_gap(0.3, 0.25, 4),
}


def test_without_memory_it_is_the_binomial_distribution() -> None:
    chances = markov.chance(0.15, 0.0).distribution(1000)
    assert np.allclose(chances, binom.pmf(np.arange(1001), 1000, 0.15), atol=1e-12)


def test_outside_of_the_interval_lies_the_false_alarm_at_most() -> None:
    low, high = markov.chance(0.15, 0.0).interval(1000)
    assert binom.cdf(low - 1, 1000, 0.15) <= FALSE_ALARM / 2 < binom.cdf(low, 1000, 0.15)
    assert binom.sf(high, 1000, 0.15) <= FALSE_ALARM / 2 < binom.sf(high - 1, 1000, 0.15)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS.keys())
def test_every_chain_goes_somewhere_and_its_mean_nears_its_share(chain: Chain) -> None:
    assert np.allclose((chain.hit + chain.miss).sum(axis=1), 1.0)
    steps = 2000
    chances = chain.distribution(steps)
    assert chances.sum() == pytest.approx(1.0)
    mean = float(chances @ np.arange(steps + 1)) / steps
    assert mean == pytest.approx(chain.share, abs=0.003)


def test_the_long_run_shares_are_those_of_theory() -> None:
    assert CHAINS["correlated"].share == pytest.approx(0.1)
    bad = 0.05 / 0.35
    assert CHAINS["gilbert-elliott"].share == pytest.approx(0.9 * bad + 0.01 * (1 - bad))
    assert markov.bounded(0.4, 0.0, 3).share == pytest.approx(0.4 * (1 - 0.4**3) / (1 - 0.4**4))
    assert markov.with_gap(0.3, 0.0, 4).share == pytest.approx(1 / (3 + 1 / 0.3))

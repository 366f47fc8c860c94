"""What can be found of a small difference at the noise of the path `lte`, and what no test can."""

import math

import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

from .coverage import found_by_ranks
from .populations import LTE, Population

RATIO = 0.95
BLOCKS = 50
FALSE_ALARM = 1e-4
"""Probability that a test fails although the power is as it says."""


@pytest.mark.parametrize("noise", LTE, ids=lambda noise: noise.name)
def test_five_per_cent_are_found_within_fifty_blocks_at_the_noise_of_lte(noise: Population) -> None:
    assert found_by_ranks(noise, RATIO, BLOCKS, 300) >= binom.ppf(FALSE_ALARM, 300, 0.9)


def test_that_two_medians_differ_by_five_per_cent_no_test_finds_in_the_gap_between_two_modes() -> None:
    """The bound of docs/methodology.md: where half of the loads fall into either mode, the median lies in the
    gap between. Arms whose times differ by 5 % have the same median all the same if 45 % of the arm's loads
    fall into the faster mode, not half. Who would tell the one from the other must tell 45 from 50 % by
    counting; the most powerful test of that is Neyman and Pearson's."""
    equal = brentq(lambda share: median(share, RATIO) - median(0.5), 0.3, 0.5)
    assert equal == pytest.approx(0.4484, abs=5e-5)
    assert most_power(BLOCKS, equal, 0.5) == pytest.approx(0.180, abs=5e-4)
    assert most_power(800, equal, 0.5) < 0.9


def median(faster: float, ratio: float = 1.0) -> float:
    """The median in seconds of h2's two modes (`populations.two_modes`) times a ratio, where a share of the
    loads is in the faster mode."""

    def excess(time: float) -> float:
        below, above = (
            norm.cdf(math.log(time / ratio / centre) / spread)
            for centre, spread in ((0.62, 0.045), (0.785, 0.025))
        )
        return float(faster * below + (1 - faster) * above - 0.5)

    return float(brentq(excess, 0.4, 1.0))


def most_power(blocks: int, without: float, actual: float, level: float = 0.05) -> float:
    """The power of the most powerful test that a share is `without` against that it is `actual`, which is
    larger, of so many loads: many in the faster mode are rejected, and of just as many as allowed a part."""
    allowed = int(binom.isf(level, blocks, without))
    part = (level - binom.sf(allowed, blocks, without)) / binom.pmf(allowed, blocks, without)
    return float(binom.sf(allowed, blocks, actual) + part * binom.pmf(allowed, blocks, actual))

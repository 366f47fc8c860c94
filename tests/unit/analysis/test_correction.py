"""Many comparisons: what the correction for their number leaves."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from pronghorn.analysis.correction import correction, q_of
from pronghorn.analysis.summarise import summarise
from pronghorn.model.summary import Summary

from .synthetic import Behaviour, cell, run


@pytest.mark.parametrize("number", [1, 2, 7, 40])
def test_q_values_are_scipy_s(number: int) -> None:
    p = np.random.default_rng(number).random(number) ** 2
    assert q_of(list(p)) == pytest.approx(list(false_discovery_control(p, method="bh")))


def test_of_alike_arms_few_are_found() -> None:
    """With 40 comparisons of arms that are alike, a false discovery in at most 5 % of 500 runs; more than 45
    have a probability of 1e-4."""
    p = np.random.default_rng(1).random((500, 40))
    assert sum(min(q_of(list(one))) <= 0.05 for one in p) <= 45


def summary(paths: int, blocks: int = 20, faster: int = 0) -> Summary:
    """A run over so many paths, on the first of which h3 takes half as long."""
    trials = run(
        {
            cell(f"path-{place}"): {"h2": Behaviour(1), "h3": Behaviour(0.5 if place < faster else 1)}
            for place in range(paths)
        },
        blocks=blocks,
    )
    return summarise(trials, name="x", arms=["h2", "h3"], baseline="h2", seed=1, limit_s=180.0, resamples=500)


def test_what_stands_is_said_once() -> None:
    found = summary(4, faster=2)
    assert found.correction is not None
    assert (found.correction.comparisons, found.correction.decided, found.correction.held) == (4, 2, 2)
    assert found.correction.words == (
        "2 of 4 comparisons told the arms apart; corrected for their number after Benjamini and Hochberg "
        "(rank test, q at most 5 %), all 2 stand."
    )
    leading = [one for each in found.cells for one in each.led()]
    assert all(one.q_value is not None and one.p_value is not None for one in leading)
    assert all(one.q_value is None for each in found.cells for one in each.comparisons if one not in leading)


def test_what_does_not_stand_is_named() -> None:
    """With six blocks p is at least 1/32, and q of one among 12 no less than 3/8."""
    found = summary(12, blocks=6, faster=1).correction
    assert found is not None
    assert (found.decided, found.held) == (1, 0)
    assert found.words.endswith(", h3 on path-0 does not stand.")


def test_nothing_decided_is_nothing_to_correct_and_one_comparison_neither() -> None:
    found = summary(2).correction
    assert found is not None
    assert (
        found.words
        == "None of 2 comparisons told the arms apart; there is nothing to correct for their number."
    )
    assert summary(1, faster=1).correction is None
    assert correction([]) is None

"""Many comparisons: how many arms differ, corrected for their number."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from pronghorn.analysis.correction import correction, q_of
from pronghorn.model.summary import Summary

from .synthetic import Behaviour, cell, paired, run, summarised


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
    return summarised(
        trials, name="x", arms=["h2", "h3"], baseline="h2", seed=1, limit_s=180.0, resamples=500
    )


def test_how_many_differ_is_said_beside_the_verdicts() -> None:
    found = summary(4, faster=2)
    assert found.correction is not None
    counts = found.correction.model_dump(exclude={"rate", "words"})
    assert counts == {"comparisons": 4, "decided": 2, "differ": 2, "held": 2}
    assert found.correction.words == (
        "2 of 4 verdicts name a faster arm. A rank test asks another question: whether arms differ at all, "
        "even by less than the margin. Corrected for the number of comparisons (Benjamini and Hochberg), it "
        "finds a difference in 2 of 4 (q at most 5 %)."
    )
    leading = [one for each in found.cells for one in each.led()]
    assert all(one.q_value is not None and one.p_value is not None for one in leading)
    assert all(one.q_value is None for each in found.cells for one in each.comparisons if one not in leading)


def test_a_verdict_without_a_difference_by_rank_is_named_with_why() -> None:
    """With six blocks p is at least 1/32, and q of one among 12 no less than 3/8."""
    found = summary(12, blocks=6, faster=1).correction
    assert found is not None
    assert (found.decided, found.differ, found.held) == (1, 0, 0)
    assert (
        "a difference in none of 12 (q at most 5 %), not even in h3 on path-0, although its verdict names one"
        in found.words
    )
    assert found.words.endswith(
        " 6 blocks are too few for a correction over 12 comparisons: an arm that alone differs has q "
        "of at least 37.5 %."
    )


def test_arms_that_differ_within_the_margin_are_no_verdict_but_differ() -> None:
    """Of 20 blocks each, h3 takes 1 % longer in every one."""
    times = [1 + place / 1000 for place in range(20)]
    trials = [
        one
        for path in ("near", "far")
        for one in paired(cell(path), {"h2": times, "h3": [1.01 * time for time in times]})
    ]
    found = summarised(
        trials, name="x", arms=["h2", "h3"], baseline="h2", seed=1, limit_s=180.0, resamples=500
    ).correction
    assert found is not None
    assert (found.decided, found.differ, found.held) == (0, 2, 0)
    assert found.words.startswith("None of 2 verdicts names a faster arm.")
    assert found.words.endswith("a difference in 2 of 2 (q at most 5 %).")


@pytest.mark.parametrize(("blocks", "looks", "enough"), [(8, 1, False), (9, 1, True), (9, 4, False)])
def test_too_few_blocks_for_so_many_comparisons_are_said_to_be(blocks: int, looks: int, enough: bool) -> None:
    """Twelve times 2 · 0.5**n is 9 % of 8 blocks and 5 % of 9."""
    found = correction(summary(12, blocks=blocks, faster=1).cells, [looks] * 12)
    assert found is not None
    assert ("too few for a correction" in found.words) is not enough


def test_where_other_cells_have_enough_blocks_the_few_are_only_theirs() -> None:
    """A cell with 3 blocks beside one with 20, in which h3 differs: that isn't denied."""
    trials = [
        *run({cell("few"): {"h2": Behaviour(1), "h3": Behaviour(1)}}, blocks=3),
        *run({cell("many"): {"h2": Behaviour(1), "h3": Behaviour(0.5)}}, blocks=20),
    ]
    found = summarised(
        trials, name="x", arms=["h2", "h3"], baseline="h2", seed=1, limit_s=180.0, resamples=500
    ).correction
    assert found is not None
    assert "a difference in 1 of 2 (q at most 5 %)." in found.words
    assert found.words.endswith(
        " Where there are only 3 blocks, these are too few for a correction over 2 comparisons: an "
        "arm that alone differs has q of at least 50 %."
    )


def test_one_comparison_is_nothing_to_correct() -> None:
    assert summary(1, faster=1).correction is None
    assert correction([], []) is None

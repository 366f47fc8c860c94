"""Two QUIC stacks under one arm: whether a verdict is HTTP/3's or one stack's."""

import io
from typing import Any

import numpy as np
import pytest

from pronghorn.model.quic_stacks import StackPair
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Trial
from pronghorn.report import markdown
from pronghorn.report.html import document
from pronghorn.report.terminal import render
from pronghorn.terminal import Terminal

from .synthetic import cell, paired, summarised

BASELINE = {"h2": 1.0}


def trials(medians: dict[str, float], *, blocks: int = 20, noise: float = 0.002) -> list[Trial]:
    """Of each arm, beside the baseline: in a block all have the same fortune."""
    random = np.random.default_rng(7)
    fortune = random.standard_normal(blocks)
    times = {
        arm: list(median * np.exp(0.1 * fortune + noise * random.standard_normal(blocks)))
        for arm, median in (BASELINE | medians).items()
    }
    return paired(cell("lte"), times)


def summary(medians: dict[str, float], *, blocks: int = 20, noise: float = 0.002) -> Summary:
    return summarised(
        trials(medians, blocks=blocks, noise=noise),
        name="x",
        arms=[*BASELINE, *medians],
        baseline="h2",
        seed=1,
        limit_s=10.0,
        resamples=2000,
    )


def pair(medians: dict[str, float], *, blocks: int = 20, noise: float = 0.002) -> StackPair:
    (found,) = summary(medians, blocks=blocks, noise=noise).stacks
    return found


def test_stacks_that_disagree_about_the_baseline_make_the_verdict_theirs() -> None:
    found = pair({"h3": 0.8, "h3:s2n": 1.2})
    assert (found.one.arm, found.one.verdict) == ("h3:s2n", "slower")
    assert (found.other.arm, found.other.verdict) == ("h3", "faster")
    assert (found.verdict, found.is_the_stacks) == ("slower", True)
    assert found.ratio == pytest.approx(1.5, abs=0.02)
    assert found.words.startswith(
        "lte: h3:s2n (s2n-quic) is slower than h2, h3 (quinn) is faster than h2. The two differ in their "
        "QUIC stack with its defaults, so this is the stack's doing and not HTTP/3's: h3:s2n is slower than "
        "h3 (ratio 1."
    )


def test_what_lies_within_the_margin_of_time_is_no_stack_s_doing() -> None:
    made = trials({"h3": 0.88, "h3:s2n": 0.92})
    design: dict[str, Any] = {"name": "x", "arms": ["h2", "h3", "h3:s2n"], "baseline": "h2", "seed": 1}
    for margin_s, verdict in ((None, "slower"), (0.1, "same")):
        (found,) = summarised(made, **design, limit_s=10.0, resamples=2000, margin_s=margin_s).stacks
        assert found.verdict == verdict


def test_stacks_that_agree_say_so_and_how_they_differ() -> None:
    found = pair({"h3": 0.8, "h3:s2n": 0.7})
    assert (found.verdict, found.is_the_stacks) == ("faster", False)
    assert "both QUIC stacks agree: h3:s2n and h3 are faster than h2; h3:s2n is faster than h3" in found.words
    assert found.words.endswith("so how much is the stack's doing")


def test_verdicts_on_both_sides_of_the_margin_are_nobodys_doing() -> None:
    found = pair({"h3": 0.955, "h3:s2n": 0.98})
    assert (found.one.verdict, found.other.verdict, found.verdict) == ("same", "faster", "same")
    assert not found.is_the_stacks
    assert "the two lie on both sides of the margin" in found.words


def test_what_is_undecided_is_not_disagreement() -> None:
    found = pair({"h3": 0.8, "h3:s2n": 1.2}, blocks=3)
    assert (found.verdict, found.is_the_stacks, found.ci95) == ("undecided", False, (None, None))
    assert "whether both QUIC stacks agree about h2 is undecided" in found.words


@pytest.mark.parametrize("arms", [["h3"], ["h3:s2n"], ["h3", "h3:s2n@bbr2"], ["h3", "h3:quinn#again"]])
def test_arms_that_differ_otherwise_are_no_pair(arms: list[str]) -> None:
    assert summary(dict.fromkeys(arms, 0.8)).stacks == []
    assert "stacks" not in summary(dict.fromkeys(arms, 0.8)).model_dump()


def test_terminal_and_reports_say_whose_the_verdict_is() -> None:
    medians = {"h3": 0.8, "h3:s2n": 1.2}
    found = summary(medians)
    (told,) = (pair.words for pair in found.stacks)
    out = io.StringIO()
    render(found, Terminal(file=out, width=100, color_system=None))
    assert told in " ".join(out.getvalue().split())
    assert "HTTP/3 or one QUIC stack?" in document(found, trials(medians), {})
    assert markdown.escaped(told) in markdown.markdown(found, {})
    assert Summary.model_validate_json(found.model_dump_json()) == found

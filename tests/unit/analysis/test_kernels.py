"""What kernels and clocks do to arms: compared block by block, and split into protocols and machine."""

import numpy as np
import pytest

from pronghorn.model.kernels import Kernels
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Cell, Trial
from pronghorn.report import markdown
from pronghorn.report.html import document

from .synthetic import cell, paired, summarised

ARMS = ["h2", "h3"]


def on(kernel: str, path: str = "lte") -> Cell:
    return cell(path).model_copy(update={"kernel": kernel})


def trials(kernel: str, h2: float, h3: float, *, blocks: int = 20, noise: float = 0.002) -> list[Trial]:
    """The fortune of a block is the same on each kernel, as its path seed is."""
    fortune = np.random.default_rng(7).standard_normal(blocks)
    own = np.random.default_rng(len(kernel)).standard_normal((2, blocks))
    times = {
        arm: list(median * np.exp(0.2 * fortune) + noise * mine)
        for arm, median, mine in (("h2", h2, own[0]), ("h3", h3, own[1]))
    }
    return paired(on(kernel), times)


def summary(*found: list[Trial], kernels: tuple[str, ...] = ("host", "guest")) -> Summary:
    return summarised(
        [trial for one in found for trial in one],
        name="x",
        arms=ARMS,
        baseline="h2",
        seed=1,
        limit_s=10.0,
        resamples=2000,
        cells=[on(kernel) for kernel in kernels],
    )


def kernels_of(found: Summary) -> Kernels:
    assert found.kernels is not None
    return found.kernels


def test_a_difference_is_split_into_what_remains_in_virtual_time_and_the_rest() -> None:
    found = kernels_of(summary(trials("host", 1.05, 0.95), trials("guest", 1.0, 0.8)))
    (split,) = found.splits
    assert (split.arm, split.baseline, split.kernel, split.blocks) == ("h3", "h2", "guest", 20)
    for part, expected in ((split.real, -0.10), (split.protocols, -0.20), (split.machine, 0.10)):
        assert part.s == pytest.approx(expected, abs=0.03)
        low, high = part.ci95_s
        assert None not in (low, part.s, high)
        assert (low or 0.0) <= (part.s or 0.0) <= (high or 0.0)
    assert split.real.s == pytest.approx((split.protocols.s or 0.0) + (split.machine.s or 0.0), abs=0.02)
    assert "Protocols and network make -" in split.words
    assert "this machine adds +" in split.words
    # The blocks' common fortune of 20 % is in both clocks, and hardly widens what the machine adds.
    (low, high), (least, most) = split.machine.ci95_s, split.protocols.ci95_s
    assert (high or 0.0) - (low or 0.0) < 0.5 * ((most or 0.0) - (least or 0.0))


def test_what_the_machine_adds_may_be_nothing() -> None:
    found = kernels_of(summary(trials("host", 1.0, 0.8), trials("guest", 1.0, 0.8)))
    assert "this machine adds nothing measurable" in found.splits[0].words


def test_arms_are_compared_between_kernels_block_by_block() -> None:
    found = kernels_of(summary(trials("host", 1.05, 0.95), trials("guest", 1.0, 0.95)))
    by_arm = {change.arm: change for change in found.changes}
    assert by_arm["h2"].ratio == pytest.approx(1.05, abs=0.01)
    # The blocks' common fortune of 20 % would drown that if they were not paired.
    assert by_arm["h2"].verdict == "slower"
    assert by_arm["h3"].verdict == "same"
    assert by_arm["h2"].words.startswith("lte: h2 is slower in real time than in virtual time (ratio 1.0")


def test_other_versions_are_held_against_the_first_and_nothing_is_split() -> None:
    kernels = ("6.12", "7.2")
    found = kernels_of(summary(trials("6.12", 1.0, 0.8), trials("7.2", 0.8, 0.8), kernels=kernels))
    assert [(one.kernel, one.against, one.arm, one.verdict) for one in found.changes] == [
        ("7.2", "6.12", "h2", "faster"),
        ("7.2", "6.12", "h3", "same"),
    ]
    assert found.splits == []
    assert found.changes[0].words.startswith("lte: h2 is faster on Linux 7.2 than on Linux 6.12 (")


def test_too_few_blocks_and_failures_are_said() -> None:
    few = kernels_of(summary(trials("host", 1.0, 0.9, blocks=4), trials("guest", 1.0, 0.9, blocks=4)))
    assert "4 of at least 6" in str(few.changes[0].reason)
    assert few.changes[0].ratio is not None
    assert few.splits[0].real.s is None
    assert "can't be split" in few.splits[0].words
    failing = paired(on("guest"), {"h2": [1.0] * 20, "h3": [None] * 20})
    failed = kernels_of(summary(trials("host", 1.0, 0.9), failing))
    assert "20 loads failed" in failed.splits[0].words
    assert "failed: 0 in real time, 20 in virtual time" in failed.changes[1].words
    assert [change.ratio for change in failed.changes] == [pytest.approx(1.0, abs=0.1), 0.0]
    nothing = kernels_of(summary())
    assert [change.verdict for change in nothing.changes] == ["undecided"] * 2


def test_a_run_with_one_kernel_says_nothing_of_kernels() -> None:
    plain = summarised(
        paired(cell("lte"), {"h2": [1.0] * 8, "h3": [1.0] * 8}),
        name="x", arms=ARMS, baseline="h2", seed=1, limit_s=10.0, resamples=200,
    )  # fmt: skip
    written = plain.model_dump_json()
    assert "kernel" not in written
    assert Summary.model_validate_json(written) == plain


def test_reports_show_both() -> None:
    measured = [*trials("host", 1.05, 0.95), *trials("guest", 1.0, 0.8)]
    found = summary(measured)
    split, change = kernels_of(found).splits[0], kernels_of(found).changes[0]
    page = document(found, measured, {})
    assert "Protocol or machine?" in page
    assert "lte, real time" in page
    assert "real time against virtual time" in page
    text = markdown.markdown(found, {})
    for words in (split.words, change.words):
        assert markdown.escaped(words) in text
    assert Summary.model_validate_json(found.model_dump_json()) == found

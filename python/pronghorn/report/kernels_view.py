"""What kernels and clocks do, as the report shows it: a table of changes, and one of split differences."""

from typing import NamedTuple

from pronghorn.analysis.kernel_words import name
from pronghorn.analysis.numbers import difference, interval, ratio
from pronghorn.model.kernels import ClockSplit, Difference, KernelChange
from pronghorn.model.summary import HIGHER_IS_BETTER, Summary, Verdict
from pronghorn.report.chart_data import ChartData


class ChangeRow(NamedTuple):
    """A change as text."""

    cell: str
    arm: str
    kernel: str
    against: str
    verdict: Verdict
    ratio: str
    interval: str
    difference: str


class SplitRow(NamedTuple):
    """A difference between arms as text, and its two parts."""

    cell: str
    arms: str
    real: str
    protocols: str
    machine: str


class KernelsView(NamedTuple):
    """Rows with their sentences, and the same as files; `split_figures` is None where nothing is split."""

    changes: tuple[ChangeRow, ...]
    splits: tuple[SplitRow, ...]
    sentences: tuple[str, ...]
    figures: ChartData
    split_figures: ChartData | None


def kernels_view(summary: Summary) -> KernelsView | None:
    """The view of a run that has several kernels or clocks; None of any other."""
    found = summary.kernels
    if found is None:
        return None
    return KernelsView(
        tuple(map(_change, found.changes)),
        tuple(map(_split, found.splits)),
        tuple(one.words for one in found.splits),
        _changes_data(found.changes),
        _splits_data(found.splits) if found.splits else None,
    )


def _change(found: KernelChange) -> ChangeRow:
    return ChangeRow(
        found.title,
        found.arm,
        name(found.kernel),
        name(found.against),
        found.verdict,
        ratio(found.ratio, *found.ci95),
        interval(*found.ci95),
        difference(found.difference, *found.ci95_difference, is_time=found.metric not in HIGHER_IS_BETTER),
    )


def _split(found: ClockSplit) -> SplitRow:
    return SplitRow(
        found.title,
        f"{found.arm} − {found.baseline}",
        *(_said(part) for part in (found.real, found.protocols, found.machine)),
    )


def _said(found: Difference) -> str:
    return difference(found.s, *found.ci95_s, is_time=True)


def _ends(found: Difference) -> tuple[float | None, ...]:
    return (found.s, *found.ci95_s)


def _changes_data(found: list[KernelChange]) -> ChartData:
    return ChartData(
        name="kernels",
        about="Medians on one kernel divided by those on another; `host` is this machine in real time",
        columns=(
            "cell", "arm", "metric", "kernel", "against", "blocks", "failed", "failed_against",
            "ratio", "ratio_ci95_low",
            "ratio_ci95_high", "difference", "difference_ci95_low", "difference_ci95_high", "verdict",
        ),
        rows=tuple(
            (
                one.title, one.arm, one.metric, one.kernel, one.against, one.blocks, one.failed,
                one.failed_against, one.ratio, *one.ci95,
                one.difference, *one.ci95_difference, one.verdict,
            )
            for one in found
        ),
    )  # fmt: skip


def _splits_data(found: list[ClockSplit]) -> ChartData:
    parts = ("real", "protocols", "machine")
    return ChartData(
        name="clocks",
        about="Differences of median load times in real time, and their two parts, in seconds",
        columns=(
            "cell", "arm", "baseline", "blocks",
            *(f"{part}{end}" for part in parts for end in ("_s", "_ci95_low_s", "_ci95_high_s")),
        ),
        rows=tuple(
            (
                one.title, one.arm, one.baseline, one.blocks,
                *_ends(one.real), *_ends(one.protocols), *_ends(one.machine),
            )
            for one in found
        ),
    )  # fmt: skip

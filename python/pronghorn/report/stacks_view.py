"""What two QUIC stacks say of HTTP/3, as the report shows it: a table of pairs, and their sentences."""

from typing import NamedTuple

from pronghorn.analysis.numbers import interval, ratio
from pronghorn.model.quic_stacks import OnStack, StackPair
from pronghorn.model.summary import Summary, Verdict
from pronghorn.report.chart_data import ChartData


class Side(NamedTuple):
    """An arm against the baseline, as text."""

    arm: str
    verdict: Verdict
    ratio: str


class PairRow(NamedTuple):
    """A pair as text: both sides, and the first against the second."""

    cell: str
    one: Side
    other: Side
    verdict: Verdict
    ratio: str
    interval: str
    is_the_stacks: bool


class StacksView(NamedTuple):
    """Rows with their sentences, and the same as a file."""

    baseline: str
    rows: tuple[PairRow, ...]
    sentences: tuple[str, ...]
    figures: ChartData


def stacks_view(summary: Summary) -> StacksView | None:
    """The view of a run with an arm on two stacks; None of any other."""
    if not summary.stacks:
        return None
    return StacksView(
        summary.baseline,
        tuple(map(_row, summary.stacks)),
        tuple(one.words for one in summary.stacks),
        _data(summary.stacks),
    )


def _row(found: StackPair) -> PairRow:
    return PairRow(
        found.title,
        _side(found.one),
        _side(found.other),
        found.verdict,
        ratio(found.ratio, *found.ci95),
        interval(*found.ci95),
        found.is_the_stacks,
    )


def _side(found: OnStack) -> Side:
    return Side(found.arm, found.verdict, ratio(found.ratio, *found.ci95))


def _data(found: list[StackPair]) -> ChartData:
    return ChartData(
        name="stacks",
        about="Arms that differ in their QUIC stack alone: their ratios to the baseline, and to each other",
        columns=(
            "cell", "baseline", "arm", "verdict", "ratio", "ratio_ci95_low", "ratio_ci95_high",
            "other", "other_verdict", "other_ratio", "other_ratio_ci95_low", "other_ratio_ci95_high",
            "blocks", "to_other", "to_other_ci95_low", "to_other_ci95_high", "to_other_verdict",
            "is_the_stacks",
        ),
        rows=tuple(
            (
                one.title, one.baseline, one.one.arm, one.one.verdict, one.one.ratio, *one.one.ci95,
                one.other.arm, one.other.verdict, one.other.ratio, *one.other.ci95,
                one.blocks, one.ratio, *one.ci95, one.verdict, one.is_the_stacks,
            )
            for one in found
        ),
    )  # fmt: skip

"""For each cell which arm, by how much and how sure: the words of the first screen, and places to draw."""

from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis.effects import effect
from pronghorn.analysis.numbers import rate, seconds
from pronghorn.analysis.summarise import asked_about
from pronghorn.model.summary import HIGHER_IS_BETTER, CellSummary, Comparison, Summary, Verdict
from pronghorn.report.answer.matrix import Matrix, matrix
from pronghorn.report.answer.scale import Scale, Tick, scale, speed, speeds, ticks

MOST_ROWS = 16
"""So many comparisons fit on a screen; with more, a matrix comes before them."""


class Mark(NamedTuple):
    """A comparison in the drawing, in per cent of its width: the point, if there is a ratio, and the ends of
    its interval."""

    at: float | None
    begin: float
    end: float


class Row(NamedTuple):
    """An arm in a cell. `value` is its median, `trouble` what of its trials failed; without a ratio there is
    no `mark`."""

    arm: str
    verdict: Verdict
    words: str
    range_words: str
    value: str
    trouble: str
    mark: Mark | None


class Group(NamedTuple):
    """A cell; `anchor` is its card's, `baseline` the baseline's median, `warned` how many warnings it has."""

    title: str
    anchor: str
    baseline: str
    trouble: str
    warned: int
    rows: tuple[Row, ...]


class Answer(NamedTuple):
    """The first screen. `headline` has a sentence for each arm, without the run's label; `band` is the
    margin from where to where, `one` the baseline's place. A large run has a `matrix`."""

    headline: tuple[str, ...]
    groups: tuple[Group, ...]
    what: str
    ticks: tuple[Tick, ...]
    one: float
    band: tuple[float, float]
    matrix: Matrix | None


def answer(summary: Summary, anchors: Sequence[str]) -> Answer:
    """The first screen of a run; `anchors` are those of the cells' cards, in their order."""
    found = [one for cell in summary.cells for one in cell.led()]
    axis = scale(found, summary.margin)
    metrics = sorted({one.metric for one in found})
    return Answer(
        headline=tuple(_unlabelled(sentence, summary.label) for sentence in summary.headline),
        groups=tuple(
            _group(cell, anchor, summary.baseline, axis)
            for cell, anchor in zip(summary.cells, anchors, strict=True)
        ),
        what=_what(metrics),
        ticks=tuple(ticks(axis, metrics)),
        one=axis.place(1.0),
        band=(axis.place(1 / (1 + summary.margin)), axis.place(1 / (1 - summary.margin))),
        matrix=matrix(summary.cells) if len(found) > MOST_ROWS else None,
    )


def asked_first(found: Sequence[Comparison]) -> list[Comparison]:
    """HTTP/3's arms before the others, as in the headline."""
    return sorted(found, key=lambda one: asked_about(one.arm))


def _group(cell: CellSummary, anchor: str, baseline: str, axis: Scale) -> Group:
    return Group(
        title=cell.title,
        anchor=anchor,
        baseline=_median(cell, baseline),
        trouble=_trouble(cell, baseline),
        warned=len(cell.warnings),
        rows=tuple(_row(cell, one, axis) for one in asked_first(cell.led())),
    )


def _row(cell: CellSummary, one: Comparison, axis: Scale) -> Row:
    said = effect(one)
    trouble = _trouble(cell, one.arm)
    return Row(
        arm=one.arm,
        verdict=one.verdict,
        words=said.words,
        range_words="" if trouble and one.ci95 == (None, None) else said.range_words,
        value=_median(cell, one.arm),
        trouble=trouble,
        mark=_mark(one, axis),
    )


def _mark(one: Comparison, axis: Scale) -> Mark | None:
    fast = speed(one)
    at = None if fast is None else axis.place(fast)
    if one.ci95 == (None, None):
        return None if at is None else Mark(at, at, at)
    low, high = speeds(one)
    return Mark(at, 0.0 if low is None else axis.place(low), 100.0 if high is None else axis.place(high))


def _median(cell: CellSummary, arm: str) -> str:
    said = rate if cell.leading in HIGHER_IS_BETTER else seconds
    found = cell.arms[arm].of(cell.leading).median if arm in cell.arms else None
    return f"{said(found)}/s" if cell.leading in HIGHER_IS_BETTER and found is not None else said(found)


def _trouble(cell: CellSummary, arm: str) -> str:
    found = cell.arms.get(arm)
    return f"{found.failed} of {found.n} failed" if found is not None and found.failed else ""


def _what(metrics: Sequence[str]) -> str:
    rates = [metric in HIGHER_IS_BETTER for metric in metrics]
    if any(rates):
        return "requests per second" if all(rates) else "load time (of loads: requests per second)"
    return "load time"


def _unlabelled(sentence: str, label: str | None) -> str:
    """A sentence of the headline without the label, which stands above it."""
    return sentence.replace(f" ({label})", "") if label else sentence

"""What explains the differences, as the report shows it: a chart and a table an explanation."""

from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis.explain_words import share, signed
from pronghorn.analysis.numbers import interval, ratio
from pronghorn.analysis.words import METRICS
from pronghorn.model.summary import Change, Explained, Summary
from pronghorn.report.chart_data import ChartData, Value, named
from pronghorn.report.steps import steps
from pronghorn.report.svg import NARROW, WIDE


class Row(NamedTuple):
    """The whole change in a cell, or one step of it, as text."""

    what: str
    is_step: bool
    ratio: str
    interval: str
    difference: str
    share: str
    share_s: str


class ExplanationView(NamedTuple):
    """One explanation over all cells: its heading, its steps in the order of the chart's colours, its
    sentences, its rows (as text, and as `figures`), and its chart at both widths with what that shows in
    words; without a chart where no cell has all ratios."""

    heading: str
    steps: tuple[str, ...]
    sentences: tuple[str, ...]
    rows: tuple[Row, ...]
    wide: str | None
    narrow: str | None
    label: str
    figures: ChartData


def explanations(summary: Summary) -> list[ExplanationView]:
    """A view of each explanation that the run's experiment asks for, in its order."""
    names = dict.fromkeys(found.name for found in summary.explanations)
    return [_view([found for found in summary.explanations if found.name == name]) for name in names]


def _view(found: Sequence[Explained]) -> ExplanationView:
    first = found[0]
    whole = f"median {METRICS[first.metric]} of {first.total.to_arm} against {first.total.from_arm}"
    return ExplanationView(
        heading=f"{first.name}: {whole}",
        steps=tuple(f"{step.name} ({step.from_arm} → {step.to_arm})" for step in first.steps),
        sentences=tuple(one.words for one in found),
        rows=tuple(row for one in found for row in _rows(one)),
        wide=steps(found, WIDE),
        narrow=steps(found, NARROW),
        label=f"The steps of {whole} as ratios. {'; '.join(one.words for one in found)}.",
        figures=_data(found),
    )


def _data(found: Sequence[Explained]) -> ChartData:
    return ChartData(
        name=named("explained", found[0].name),
        about="Steps with their ratios, differences and shares, and the whole change of each cell",
        columns=(
            "cell", "step", "from", "to", "ratio", "ratio_ci95_low", "ratio_ci95_high",
            "difference_s", "difference_ci95_low_s", "difference_ci95_high_s",
            "share", "share_ci95_low", "share_ci95_high",
        ),
        rows=tuple(
            row
            for one in found
            for row in (
                (one.title, "whole", *_numbers(one.total), None, None, None),
                *(
                    (one.title, step.name, *_numbers(step), step.share, *(step.share_ci95 or (None, None)))
                    for step in one.steps
                ),
            )
        ),
    )  # fmt: skip


def _numbers(change: Change) -> tuple[Value, ...]:
    return (
        change.from_arm,
        change.to_arm,
        change.ratio,
        *change.ci95,
        change.difference_s,
        *change.ci95_s,
    )


def _rows(found: Explained) -> list[Row]:
    parts = [
        Row(
            step.name,
            True,
            *_figures(step),
            share(step.share, step.share_ci95),
            share(step.share_s, step.share_s_ci95),
        )
        for step in found.steps
    ]
    return [Row(found.title, False, *_figures(found.total), "", ""), *parts]


def _figures(change: Change) -> tuple[str, str, str]:
    if change.ratio is None:
        return ("–", "–", signed(change.difference_s))
    return (ratio(change.ratio, *change.ci95), interval(*change.ci95), signed(change.difference_s))

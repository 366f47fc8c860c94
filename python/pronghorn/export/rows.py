"""The rows of an export: what `summary.json` says of each cell, arm, metric and statistic, one beneath the
other; behind those of a cell the rows of its resources, whose metrics are `resource`, the whole of one's
time, and `resource_queued`, `resource_waiting` and `resource_receiving`, its phases.

Every run has the same columns, whatever it measured. Times stand in columns that end in `_s`, in seconds;
rates in those that end in `_per_s`, in requests a second; ratios and shares have no unit. What isn't known,
isn't finite or doesn't apply is empty (null). Where the time of loads went, the medians of its
parts, stands in the row of their median.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from pronghorn.model.comparison import (
    FIGURES,
    HIGHER_IS_BETTER,
    Comparison,
    Figures,
    Interval,
    Metric,
)
from pronghorn.model.resources import PHASES, ResourceSummary
from pronghorn.model.summary import ArmSummary, CellSummary, Summary
from pronghorn.model.why import PARTS, ArmWhy

Kind = Literal["text", "whole", "real"]

COLUMNS: Mapping[str, Kind] = {
    "run": "text",
    "seed": "whole",
    "site": "text",
    "path": "text",
    "origin": "text",
    "client": "text",
    "arm": "text",
    "resource": "text",
    "blocks": "whole",
    "n": "whole",
    "failed": "whole",
    "contaminated": "whole",
    "metric": "text",
    "statistic": "text",
    "value_s": "real",
    "value_ci95_low_s": "real",
    "value_ci95_high_s": "real",
    "value_per_s": "real",
    "value_ci95_low_per_s": "real",
    "value_ci95_high_per_s": "real",
    "baseline": "text",
    "ratio": "real",
    "ratio_ci95_low": "real",
    "ratio_ci95_high": "real",
    "difference_s": "real",
    "difference_ci95_low_s": "real",
    "difference_ci95_high_s": "real",
    "difference_per_s": "real",
    "difference_ci95_low_per_s": "real",
    "difference_ci95_high_per_s": "real",
    "superiority": "real",
    "superiority_ci95_low": "real",
    "superiority_ci95_high": "real",
    "p_value": "real",
    "q_value": "real",
    "verdict": "text",
    "reason": "text",
    "caution": "text",
    **{f"part_{part}_s": "real" for part in PARTS},
    "head_of_line_stalled_s": "real",
    "head_of_line_own_stalled_s": "real",
    "kernel": "text",
}

Row = dict[str, Any]


class Table(NamedTuple):
    """The rows of a run, each with all of the `COLUMNS`, and what holds for all of them."""

    about: Mapping[str, Any]
    rows: list[Row]


def table(summary: Summary) -> Table:
    """The rows of a run: cell after cell, in each its arms in the experiment's order."""
    about = {
        "run": summary.name,
        "seed": summary.seed,
        "baseline": summary.baseline,
        "margin": summary.margin,
        "confidence": summary.confidence,
        "label": summary.label,
    }
    return Table(about, [row for cell in summary.cells for row in _of_cell(cell, summary)])


def _of_cell(cell: CellSummary, summary: Summary) -> Iterator[Row]:
    for name, arm in cell.arms.items():
        compared: dict[tuple[Metric, str], Comparison] = {
            (found.metric, found.statistic): found for found in cell.comparisons if found.arm == name
        }
        for metric in _metrics(arm):
            for statistic in FIGURES:
                row: Row = dict.fromkeys(COLUMNS)
                row |= {"run": summary.name, "seed": summary.seed, **cell.cell.model_dump(), "arm": name}
                row |= {"blocks": cell.blocks, "n": arm.n, "failed": arm.failed}
                row |= {"contaminated": arm.contaminated, "metric": metric, "statistic": statistic}
                row |= _figure(metric, statistic, arm.of(metric))
                if (found := compared.get((metric, statistic))) is not None:
                    row |= _comparison(found)
                if (metric, statistic) == ("load", "median") and name in cell.why:
                    row |= _parts(cell.why[name])
                yield row
    if cell.resources is not None:
        for resource in cell.resources.resources:
            yield from _of_resource(resource, cell, cell.resources.blocks, summary)


def _of_resource(one: ResourceSummary, cell: CellSummary, blocks: int, summary: Summary) -> Iterator[Row]:
    compared = {found.arm: found for found in one.comparisons}
    for name, times in one.arms.items():
        spreads = {"resource": times.duration, **{f"resource_{phase}": times.of(phase) for phase in PHASES}}
        for metric, spread in spreads.items():
            for statistic, value in (("median", spread.median), ("p95", spread.p95)):
                row: Row = dict.fromkeys(COLUMNS)
                row |= {"run": summary.name, "seed": summary.seed, **cell.cell.model_dump(), "arm": name}
                row |= {"resource": one.path, "blocks": blocks, "n": times.n, "failed": times.failed}
                row |= {"metric": metric, "statistic": statistic, "value_s": value}
                if (metric, statistic) == ("resource", "median") and name in compared:
                    found = compared[name]
                    row |= {"baseline": summary.baseline, "blocks": found.blocks, "ratio": found.ratio}
                    row |= _ends("ratio", found.ci95) | {"difference_s": found.difference}
                    row |= _ends("difference", found.ci95_difference, "_s")
                    row |= {"p_value": found.p_value, "q_value": found.q_value}
                yield row


def _metrics(arm: ArmSummary) -> list[Metric]:
    if arm.requests_per_second is not None:
        return ["requests_per_second", "load", *arm.latency_seconds]
    return ["load", "ttfb"] if arm.lcp is None else ["load", "ttfb", "lcp"]


def _figure(metric: Metric, statistic: str, figures: Figures) -> Row:
    value = getattr(figures, statistic)
    return _in_unit(metric, "value", value, figures.ci95.get(statistic, (None, None)))


def _parts(why: ArmWhy) -> Row:
    return {
        **{f"part_{part}_s": why.parts[part] for part in PARTS},
        "head_of_line_stalled_s": why.stalled_s,
        "head_of_line_own_stalled_s": why.own_stalled_s,
    }


def _comparison(found: Comparison) -> Row:
    row: Row = {"baseline": found.baseline, "ratio": found.ratio}
    row |= _ends("ratio", found.ci95)
    row |= _in_unit(found.metric, "difference", found.difference, found.ci95_difference)
    row["superiority"] = found.superiority
    row |= _ends("superiority", found.ci95_superiority)
    row |= {"p_value": found.p_value, "q_value": found.q_value}
    return row | {"verdict": found.verdict, "reason": found.reason, "caution": found.caution}


def _in_unit(metric: Metric, what: str, value: float | None, ci95: Interval) -> Row:
    unit = "per_s" if metric in HIGHER_IS_BETTER else "s"
    return {f"{what}_{unit}": value, **_ends(what, ci95, f"_{unit}")}


def _ends(what: str, ci95: Interval, unit: str = "") -> Row:
    return {f"{what}_ci95_low{unit}": ci95[0], f"{what}_ci95_high{unit}": ci95[1]}

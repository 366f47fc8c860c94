"""The chart of a run's verdicts, with the ratios behind it."""

from pronghorn.analysis.numbers import interval, ratio
from pronghorn.model.summary import Summary
from pronghorn.report.chart_data import ChartData
from pronghorn.report.figure import Chart
from pronghorn.report.ratios import ratios
from pronghorn.report.svg import NARROW, WIDE


def overview(summary: Summary) -> Chart | None:
    """The ratios of all cells; None where there is none to show."""
    wide, narrow = (ratios(summary, width) for width in (WIDE, NARROW))
    if wide is None or narrow is None:
        return None
    described = "; ".join(
        f"{cell.title}, {one.arm} {one.verdict}: {ratio(one.ratio, *one.ci95)} ({interval(*one.ci95)})"
        for cell in summary.cells
        for one in cell.led()
    )
    label = f"Ratios of {compared(summary)} to {summary.baseline}'s with intervals. {described}."
    return Chart(wide, narrow, label, figures(summary))


def compared(summary: Summary) -> str:
    """What the verdicts of a run are about."""
    kinds = {cell.makes_loads for cell in summary.cells}
    if kinds == {True}:
        return "median requests per second"
    return "median load times, or of loads requests per second," if True in kinds else "median load times"


def figures(summary: Summary) -> ChartData:
    """The ratios behind the verdicts."""
    return ChartData(
        name="verdicts",
        about=f"Ratios of {compared(summary)} to {summary.baseline}'s; what isn't finite is empty",
        columns=("cell", "metric", "arm", "baseline", "ratio", "ci95_low", "ci95_high", "verdict", "blocks"),
        rows=tuple(
            (
                cell.title,
                one.metric,
                one.arm,
                one.baseline,
                one.ratio,
                *one.ci95,
                one.verdict,
                cell.blocks,
            )
            for cell in summary.cells
            for one in cell.led()
        ),
    )

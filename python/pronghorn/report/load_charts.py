"""A cell's charts of load times: violins, and distributions, on an axis of the cell's own."""

from collections.abc import Mapping, Sequence

from pronghorn.analysis.numbers import count, percent, seconds
from pronghorn.analysis.times import has_failed
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Trial
from pronghorn.report.chart_data import ChartData, named
from pronghorn.report.ecdf import Curve, Strip, ecdf
from pronghorn.report.figure import Chart
from pronghorn.report.ranks import ranked
from pronghorn.report.svg import NARROW, WIDE
from pronghorn.report.time_scale import time_scale
from pronghorn.report.violins import MOST_POINTS, colour, violins

Times = Mapping[str, Sequence[float | None]]
"""Load times by arm of the trials that count, in seconds, block after block; None for a failed one."""


def times_of(by_arm: Mapping[str, Sequence[Trial]]) -> Times:
    """The load times of a cell's trials."""
    return {
        arm: [None if has_failed(trial) else trial.metrics.load_s for trial in trials]
        for arm, trials in by_arm.items()
    }


def blocks_of(by_arm: Mapping[str, Sequence[Trial]]) -> list[int]:
    """The numbers of a cell's blocks, as trials and artifacts have them."""
    return [trial.block for trial in next(iter(by_arm.values()), ())]


def violin_chart(cell: CellSummary, times: Times) -> Chart | None:
    """The violins; None where no trial ended."""
    wide, narrow = (violins(cell, times, width) for width in (WIDE, NARROW))
    if wide is None or narrow is None:
        return None
    described = "; ".join(
        f"{name}: median {seconds(arm.median)}, from {seconds(arm.min)} to {seconds(arm.max)}, "
        f"{count(arm.n, 'trial')}, {arm.failed} failed"
        for name, arm in cell.arms.items()
    )
    thinned = any(len(loads) > MOST_POINTS for loads in times.values())
    points = f" At most {MOST_POINTS} trials of an arm are drawn as points." if thinned else ""
    return Chart(wide, narrow, f"Violin plot of load times on {cell.title}. {described}.{points}")


def distribution_chart(cell: CellSummary, times: Times, blocks: Sequence[int]) -> Chart | None:
    """The distributions, with the load times behind them and the violins; None where no trial ended. `blocks`
    are the numbers of the blocks."""
    ended = [time for loads in times.values() for time in loads if time is not None]
    if not ended:
        return None
    scale = time_scale(ended)
    wide, narrow = (ecdf([Strip(None, curves(times))], scale, width) for width in (WIDE, NARROW))
    described = "; ".join(f"{arm}: {_course(loads)}" for arm, loads in times.items())
    label = f"Empirical distribution of load times on {cell.title}. {described}."
    return Chart(wide, narrow, label, load_times(cell, times, blocks))


def curves(times: Times) -> list[Curve]:
    """A cell's curves, in the arms' order."""
    return [Curve(arm, colour(place), loads) for place, (arm, loads) in enumerate(times.items())]


def load_times(cell: CellSummary, times: Times, blocks: Sequence[int]) -> ChartData:
    """A row a block, a column an arm."""
    return ChartData(
        name=named("load-times", cell.title),
        about="Load time in seconds of each arm in each block that counts, in order",
        columns=("block", *(f"{arm} load_s" for arm in times)),
        rows=tuple(
            (number, *("failed" if time is None else time for time in block))
            for number, *block in zip(blocks, *times.values(), strict=True)
        ),
    )


def _course(loads: Sequence[float | None]) -> str:
    told = [
        f"{percent(share)} within {seconds(time)}"
        for share in (0.25, 0.5, 0.75, 0.9)
        if (time := ranked(loads, share)) is not None
    ]
    return ", ".join(told) or "less than a quarter done"

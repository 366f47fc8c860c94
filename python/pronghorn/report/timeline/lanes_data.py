"""The lanes of a timeline in figures, which the page's script reads too."""

from collections.abc import Iterable, Sequence

from pronghorn.report.chart_data import ChartData, Value, named
from pronghorn.report.density import round_to
from pronghorn.report.timeline.lanes import Lane
from pronghorn.report.timeline.thinned import STEPS, thinned
from pronghorn.report.waterfall.axis import Axis


def lanes_data(title: str, loads: Sequence[tuple[str, str, Sequence[Lane]]], axis: Axis) -> ChartData:
    """A row a step of each lane that is drawn in the cell named `title`; `loads` are protocol, arm and lanes.

    What a script reads stands before what may hold any character."""
    return ChartData(
        name=named("timeline", title),
        about="Bytes of each stream that had arrived, were in order within their stream, and within the "
        f"transport (usable), by seconds since the load's start. Of changes within 1/{STEPS} of "
        "the axis, the last",
        columns=(
            "protocol",
            "connection",
            "stream",
            "at_s",
            "arrived_bytes",
            "ordered_bytes",
            "usable_bytes",
            "arm",
            "path",
        ),
        rows=tuple(row for load in loads for row in _rows(*load, axis)),
    )


def _rows(protocol: str, arm: str, lanes: Iterable[Lane], axis: Axis) -> Iterable[tuple[Value, ...]]:
    for lane in lanes:
        for _, level in thinned(lane, axis):
            at_s = round_to(level.at_s, 6)
            known = (level.arrived, level.ordered, level.usable)
            yield (protocol, lane.connection, lane.stream, at_s, *known, arm, lane.path)

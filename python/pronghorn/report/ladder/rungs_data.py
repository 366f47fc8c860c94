"""The packets of a cell's ladders in figures."""

from collections.abc import Iterable

from pronghorn.report.chart_data import ChartData, named
from pronghorn.report.density import round_to
from pronghorn.report.ladder.drawing import Column


def rungs_data(title: str, columns: Iterable[Column]) -> ChartData:
    """A row a packet of each arm's ladder in the cell named `title`."""
    return ChartData(
        name=named("handshakes", title),
        about="Packets up to the first response's first byte, times in seconds since the load's start",
        columns=("arm", "direction", "says", "kind", "sent_s", "arrived_s", "bytes", "dropped_by", "again"),
        rows=tuple(
            (
                column.arm,
                "to the server" if rung.up else "to the client",
                ", ".join(rung.says),
                rung.kind,
                round_to(rung.sent_s, 6),
                None if rung.arrived_s is None else round_to(rung.arrived_s, 6),
                rung.size,
                rung.fate,
                "yes" if rung.again else "no",
            )
            for column in columns
            for rung in column.ladder.rungs
        ),
    )

"""A waterfall's requests in figures."""

from collections.abc import Sequence

from pronghorn.report.chart_data import ChartData, Value, named
from pronghorn.report.waterfall.phases import Request

_TIMES = ("start_s", "request_s", "first_byte_s", "last_byte_s")


def requests_data(title: str, arm: str, rows: Sequence[Request]) -> ChartData:
    """A row a request of the arm's load in the cell named `title`: what it was, and when what happened."""
    return ChartData(
        name=named("waterfall", title, arm),
        about="Requests, with times in seconds since the navigation began, and how long the origin had each",
        columns=("path", "protocol", "status", "bytes", "connection", *_TIMES, "origin_served_s", "error"),
        rows=tuple(_row(row) for row in rows),
    )


def _row(row: Request) -> tuple[Value, ...]:
    found = row.resource
    return (
        found.path,
        "cache" if found.from_cache else found.protocol,
        found.status,
        found.bytes,
        found.connection,
        *(getattr(found, name) for name in _TIMES),
        row.served_s,
        found.error,
    )

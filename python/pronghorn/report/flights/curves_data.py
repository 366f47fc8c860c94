"""The curves of a cell's flights in figures."""

from collections.abc import Iterator, Mapping, Sequence

from pronghorn.report.chart_data import ChartData, Value, named
from pronghorn.report.density import round_to
from pronghorn.report.flights.curves import QUANTITIES, Curve, Flown

MOST_SAMPLES = 500
"""The most samples of a curve that are listed: evenly chosen, including the last."""


def curves_data(title: str, flown: Mapping[str, Flown]) -> ChartData:
    """A row a sample of each arm's sum over its connections (of round-trip times: the mean), in the cell
    named `title`."""
    return ChartData(
        name=named("flights", title),
        about="Samples of the drawing: times in seconds since the load's start, sizes in bytes, "
        "round-trip times in seconds, and how many packets were lost or timed out at a time",
        columns=("arm", "quantity", "at_s", "value"),
        rows=tuple(row for arm, found in flown.items() for row in _rows(arm, found)),
    )


def _rows(arm: str, found: Flown) -> Iterator[tuple[Value, ...]]:
    for name in QUANTITIES:
        for at_s, value in _thinned(found.total[name]):
            yield arm, name, round_to(at_s, 6), round_to(value, 6)
    for what, marks in (("lost", found.lost), ("timeouts", found.timeouts)):
        for mark in marks:
            yield arm, what, round_to(mark.at_s, 6), mark.number


def _thinned(curve: Curve) -> Sequence[tuple[float, float]]:
    if len(curve) <= MOST_SAMPLES:
        return curve
    return [curve[place * (len(curve) - 1) // (MOST_SAMPLES - 1)] for place in range(MOST_SAMPLES)]

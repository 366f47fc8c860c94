"""The streams of one load as lanes: how much of each had arrived, and how much could be used, and when."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pronghorn.model.arrivals import NOT_LOST, Arrivals, Connection, Pieces, Stream
from pronghorn.why.spans import spans

Times = NDArray[np.float64]


class Level(NamedTuple):
    """From `at_s` on, in seconds since the load's start: bytes of a stream that had arrived, of those the
    ones that no earlier byte of their own stream was missing from (`ordered`), and of those the ones that the
    transport let the application have (`usable`)."""

    at_s: float
    arrived: int
    ordered: int
    usable: int


class Lane(NamedTuple):
    """A request's stream of one connection.

    `levels` ascend, one for each time at which anything changes. `dropped_s` are the times at which bytes
    were first sent in packets that were dropped. `others_s` is the time in which any of its bytes waited for
    other streams' alone, `own_s` that in which any waited for earlier ones of its own; `others_byte_s` and
    `own_byte_s` are the same weighted by the bytes that waited.
    """

    connection: int
    stream: int
    path: str
    asked_s: float | None
    levels: tuple[Level, ...]
    dropped_s: tuple[float, ...]
    others_s: float
    own_s: float
    others_byte_s: float
    own_byte_s: float

    @property
    def size(self) -> int:
        """All bytes of it that arrived."""
        return self.levels[-1].arrived


class Drop(NamedTuple):
    """A packet that was dropped: when it was sent, and whether by the client."""

    sent_s: float
    up: bool


def lanes(found: Arrivals, offset_s: float) -> list[Lane]:
    """The lanes of a load in the order of its requests; streams of which nothing arrived have none.
    `offset_s` is added to times."""
    drawn = [
        _lane(connection, stream, offset_s)
        for connection in found.connections
        for stream in connection.streams
        if bool((connection.pieces.stream == stream.id).any())
    ]
    return sorted(drawn, key=_order)


def _order(lane: Lane) -> tuple[float, int, int]:
    return (math.inf if lane.asked_s is None else lane.asked_s, lane.connection, lane.stream)


def drops(found: Arrivals, offset_s: float) -> list[Drop]:
    """All packets that were dropped, those that carry no stream's bytes too; not those that were still on
    their way when the recording ended."""
    return sorted(
        Drop(float(sent_s) + offset_s, bool(up))
        for connection in found.connections
        for sent_s, up, fate in zip(
            connection.packets.sent_s, connection.packets.direction, connection.packets.fate, strict=True
        )
        if fate not in NOT_LOST
    )


def _lane(connection: Connection, stream: Stream, offset_s: float) -> Lane:
    pieces, mine = connection.pieces, connection.pieces.stream == stream.id
    others, own = pieces.head_of_line_s[mine], pieces.own_wait_s[mine]
    length = pieces.length[mine]
    ready = pieces.available_s[mine]
    return Lane(
        connection=connection.index,
        stream=stream.id,
        path=stream.path or f"stream {stream.id}",
        asked_s=None if stream.request_sent_s is None else stream.request_sent_s + offset_s,
        levels=tuple(_levels(pieces, mine, offset_s)),
        dropped_s=tuple(
            sorted(
                {
                    float(sent_s) + offset_s
                    for sent_s, fate, here in zip(pieces.first_sent_s, pieces.first_fate, mine, strict=True)
                    if here and fate not in NOT_LOST
                }
            )
        ),
        others_s=spans(ready, ready + others).length_s,
        own_s=spans(ready - own, ready).length_s,
        others_byte_s=float(np.nansum(length * others)),
        own_byte_s=float(np.nansum(length * own)),
    )


def _levels(pieces: Pieces, mine: NDArray[np.bool_], offset_s: float) -> Iterable[Level]:
    length = pieces.length[mine]
    ready = pieces.available_s[mine]
    columns = (pieces.arrived_s[mine], ready, np.maximum(pieces.released_s[mine], ready))
    known = [column[np.isfinite(column)] for column in columns]
    times = np.unique(np.concatenate(known))
    sums = [_until(times, column, length) for column in columns]
    for at_s, arrived, ordered, usable in zip(times, *sums, strict=True):
        yield Level(float(at_s) + offset_s, int(arrived), int(ordered), int(usable))


def _until(times: Times, column: Times, length: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many bytes have come by each of the times."""
    order = np.argsort(column, kind="stable")
    sums = np.concatenate([[0], np.cumsum(length[order])])
    return sums[np.searchsorted(column[order], times, side="right")]

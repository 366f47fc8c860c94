"""Which stream of which connection carried a resource's request and its answer."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pronghorn.model.arrivals import Stream
from pronghorn.model.trial import Resource
from pronghorn.why.wire import Wire

_SLACK_S = 0.001
"""How much earlier than its request a stream may have begun, by the clocks of path and client."""


class Carried(NamedTuple):
    """Where a resource's request went: a stream of a wire. `sent_s` is when the request entered the link."""

    wire: Wire
    stream: int
    sent_s: float


def carriers(resources: Sequence[Resource], wires: Sequence[Wire]) -> Mapping[int, Carried]:
    """By a resource's place the stream that carried it. Of several of one path it is the first that began
    when the request left, or after, and is none else's."""
    told: dict[str, list[tuple[float, Wire, Stream]]] = {}
    for wire in wires:
        for stream in wire.connection.streams:
            if stream.path is not None and stream.request_sent_s is not None:
                at_s = stream.request_sent_s + wire.since_s
                told.setdefault(stream.path, []).append((at_s, wire, stream))
    for streams in told.values():
        streams.sort(key=lambda one: one[0])
    found: dict[int, Carried] = {}
    order = sorted(
        (place for place, one in enumerate(resources) if one.request_s is not None and not one.from_cache),
        key=lambda place: resources[place].request_s or 0.0,
    )
    for place in order:
        streams = told.get(resources[place].path, [])
        asked_s = resources[place].too_early_s or resources[place].request_s or 0.0
        for number, (at_s, wire, stream) in enumerate(streams):
            if at_s >= asked_s - _SLACK_S:
                found[place] = Carried(wire, stream.id, at_s)
                del streams[number]
                break
    return found


def of_stream(carried: Carried) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The places of a stream's pieces, in the order of their offsets."""
    pieces = carried.wire.connection.pieces
    mine = np.flatnonzero(pieces.stream == carried.stream)
    return mine[np.argsort(pieces.offset[mine], kind="stable")]

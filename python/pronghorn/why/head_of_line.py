"""How long bytes that had arrived waited for others, by stream.

TCP gives bytes to its application in the order of the connection, QUIC in that of each stream (RFC 9000
§2.2); what a stream's bytes wait for is their own stream's missing bytes, or other streams' alone.
"""

from collections.abc import Sequence

from pronghorn.model.arrivals import Connection
from pronghorn.model.why import HeadOfLine, StreamWaits
from pronghorn.why.spans import spans


def waits(connections: Sequence[Connection]) -> HeadOfLine | None:
    """The waits of all request streams of some connections; None where none of them was seen."""
    told = [_of(connection, place) for connection in connections for place in _streams(connection)]
    if not told:
        return None
    return HeadOfLine(
        stalled_s=sum(one.stalled_s for one in told),
        byte_seconds=sum(one.byte_seconds for one in told),
        own_stalled_s=sum(one.own_stalled_s for one in told),
        own_byte_seconds=sum(one.own_byte_seconds for one in told),
        counted=len(told),
        streams=[one for one in told if one.byte_seconds or one.own_byte_seconds],
    )


def _streams(connection: Connection) -> list[int]:
    answered = set(connection.pieces.stream.tolist())
    return [place for place, one in enumerate(connection.streams) if one.id in answered]


def _of(connection: Connection, place: int) -> StreamWaits:
    stream, pieces = connection.streams[place], connection.pieces
    mine = pieces.stream == stream.id
    length = pieces.length[mine]
    return StreamWaits(
        connection=connection.index,
        id=stream.id,
        path=stream.path,
        stalled_s=spans(pieces.available_s[mine], pieces.released_s[mine]).length_s,
        byte_seconds=float((pieces.head_of_line_s[mine] * length).sum()),
        own_stalled_s=spans(pieces.arrived_s[mine], pieces.own_released_s[mine]).length_s,
        own_byte_seconds=float((pieces.own_wait_s[mine] * length).sum()),
    )

"""When a receiver's windows kept a sender from sending."""

from typing import NamedTuple

import numpy as np

from pronghorn.model.arrivals import NO_STREAM, Limits
from pronghorn.why.spans import NONE, Spans, Times, spans
from pronghorn.why.wire import Places, Wire

CONNECTION, TCP = "connection", "tcp"
"""The scopes of a limit that are no stream's."""


class _Limit(NamedTuple):
    """What a sender might send up to, from each of these moments on; both ascend."""

    at_s: Times
    offset: Places

    def then(self, at_s: Times) -> Times:
        """The limit at some moments; infinite before the first is known."""
        known = np.concatenate(([np.inf], self.offset))
        return known[np.searchsorted(self.at_s, at_s, side="right")]

    def reaches_s(self, offset: Times) -> Times:
        """When offsets are allowed: minus infinity where they are from the first, infinity where never."""
        known = np.concatenate(([-np.inf], self.at_s[1:], [np.inf]))
        return known[np.searchsorted(self.offset, offset, side="left")]


def blocked(wire: Wire, stream: int) -> Spans:
    """By the server's clock: when it could not go on with a stream's bytes since a limit of the stream, of
    the connection or of TCP's did not allow them (RFC 9000 §4, RFC 9113 §5.2, RFC 9293 §3.8.6)."""
    limits = wire.connection.limits
    pieces = wire.connection.pieces
    if not len(limits) or not len(pieces):
        return NONE
    order = np.argsort(pieces.first_sent_s, kind="stable")
    mine = pieces.stream[order] == stream
    sent_s = pieces.first_sent_s[order] + wire.since_s
    length = pieces.length[order]
    needs = {
        str(stream): (pieces.offset + pieces.length)[order].astype(np.float64),
        CONNECTION: np.cumsum(np.where(pieces.stream[order] == NO_STREAM, 0, length)).astype(np.float64),
        TCP: np.cumsum(length).astype(np.float64),
    }
    allowed_s = np.full(int(mine.sum()), -np.inf)
    for scope, need in needs.items():
        if (limit := _limit(limits, scope, wire.since_s)) is not None:
            allowed_s = np.maximum(allowed_s, _allowed_s(limit, need[mine], sent_s[mine]))
    before = np.searchsorted(wire.sends_s, sent_s[mine], side="left") - 1
    paused_s = np.where(before >= 0, wire.sends_s[np.maximum(before, 0)], -np.inf)
    return spans(paused_s, np.where(np.isfinite(allowed_s), allowed_s, -np.inf))


def _limit(limits: Limits, scope: str, since_s: float) -> _Limit | None:
    mine = np.array([one == scope for one in limits.scope], dtype=np.bool_)
    if not mine.any():
        return None
    at_s = limits.at_s[mine] + since_s
    order = np.argsort(at_s, kind="stable")
    return _Limit(at_s[order], np.maximum.accumulate(limits.offset[mine][order]))


def _allowed_s(limit: _Limit, need: Times, sent_s: Times) -> Times:
    """From when bytes that end at the offsets `need`, and were sent at `sent_s`, were allowed.

    What was sent together is in no order here; what seems to have gone beyond its limit by that is taken off
    from then on."""
    with np.errstate(invalid="ignore"):
        beyond = np.maximum(need - limit.then(sent_s), 0.0)
    return limit.reaches_s(need - np.maximum.accumulate(beyond))

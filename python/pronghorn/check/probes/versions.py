"""Whether a server answers a version of QUIC that does not exist with those that it speaks (RFC 9000 §6)."""

import asyncio
import os
import struct

from pronghorn.check.probes.budget import Budget, Cut
from pronghorn.check.probes.datagrams import Datagrams

_UNKNOWN = 0x1A2A3A4A
"""Reserved so that it is never assigned (RFC 9000 §15)."""

_TRIES, _WAIT_S = 4, 0.6
_BYTES = 1200


async def negotiate(address: tuple[str, int], budget: Budget) -> tuple[int, ...] | None:
    """The versions of its Version Negotiation packet; () without one after some tries, None if this host
    can't send there, or has no time left."""
    versions: list[int] = []
    came = asyncio.Event()
    destination, source = os.urandom(8), os.urandom(8)

    def heard(data: bytes) -> None:
        versions.extend(read(data, source))

    socket = Datagrams(heard, lambda: came.set() if versions or socket.refused or socket.unsent else None)
    try:
        await socket.open(address)
    except OSError:
        return None
    try:
        for _ in range(_TRIES):
            socket.send(_packet(destination, source))
            try:
                await budget.within(_WAIT_S, came.wait())
                break
            except Cut:
                return tuple(dict.fromkeys(versions)) or None
            except TimeoutError:
                continue
    finally:
        socket.close()
    if socket.unsent:
        return None
    return tuple(dict.fromkeys(versions))


def _packet(destination: bytes, source: bytes) -> bytes:
    """As large as an Initial packet must be, and shaped like one of version 1: some servers read on before
    they look at the version."""
    head = struct.pack("!BI", 0xC0, _UNKNOWN)
    head += bytes([len(destination)]) + destination + bytes([len(source)]) + source
    length = _BYTES - len(head) - 3
    return head + b"\0" + (0x4000 | length).to_bytes(2) + os.urandom(length)


def read(data: bytes, source: bytes) -> list[int]:
    """The versions in a Version Negotiation packet for us; none in anything else (RFC 8999 §6)."""
    if len(data) < 7 or not data[0] & 0x80 or data[1:5] != bytes(4):
        return []
    at = 6 + data[5]
    if data[6:at] != source or at >= len(data):
        return []
    at += 1 + data[at]
    listed = data[at:]
    return [int.from_bytes(listed[each : each + 4]) for each in range(0, len(listed) - 3, 4)]

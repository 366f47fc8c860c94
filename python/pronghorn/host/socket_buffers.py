"""How large a buffer the kernel gives a UDP socket of this user's."""

import socket
from functools import cache
from typing import Literal

Direction = Literal["receive", "send"]

_OPTIONS: dict[Direction, tuple[int, int]] = {
    "receive": (33, socket.SO_RCVBUF),
    "send": (32, socket.SO_SNDBUF),
}
"""SO_RCVBUFFORCE and SO_SNDBUFFORCE (socket(7)), which Python doesn't name, and beside each what everybody
may use."""


@cache
def obtainable(direction: Direction, asked: int) -> int:
    """So much of the `asked` bytes as it gives: all where this user administers the network, else up to
    net.core.rmem_max or wmem_max. It doubles what it gives for its own bookkeeping; this is the half."""
    force, ask = _OPTIONS[direction]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.setsockopt(socket.SOL_SOCKET, force, asked)
        except PermissionError:
            probe.setsockopt(socket.SOL_SOCKET, ask, asked)
        return min(asked, probe.getsockopt(socket.SOL_SOCKET, ask) // 2)

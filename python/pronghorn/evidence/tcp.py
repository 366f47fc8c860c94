"""What the kernel says of this machine's TCP connections to a server while they are there: sock_diag(7),
which needs no privilege."""

import asyncio
import contextlib
import ipaddress
import socket
import struct

_NETLINK_SOCK_DIAG, _BY_FAMILY, _DONE, _ERROR = 4, 20, 3, 2
_DUMP = 0x301
_INFO = 2
_ESTABLISHED_AND_CLOSING = 0x0FF2
_EVERY_S = 0.02
_DISORDERED_AT = 224
"""Where `tcpi_rcv_ooopack` is in struct tcp_info (linux/tcp.h, since 5.4): segments out of order."""


def _asking() -> socket.socket:
    asking = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG)
    asking.settimeout(1.0)
    return asking


class Watch:
    """Looks at the connections to an address and port, as long as the block lasts."""

    def __init__(self, address: str, port: int) -> None:
        self._to = ipaddress.ip_address(address), port
        self._seen: dict[int, int] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def disordered(self) -> int | None:
        """How many segments came out of order on all connections together; None where none was seen."""
        return sum(self._seen.values()) if self._seen else None

    async def __aenter__(self) -> "Watch":
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        with contextlib.suppress(OSError), _asking() as asking:
            self._look(asking, self._family)  # what came since the last look

    @property
    def _family(self) -> int:
        return socket.AF_INET6 if self._to[0].version == 6 else socket.AF_INET

    async def _watch(self) -> None:
        with contextlib.suppress(OSError), _asking() as asking:
            while True:
                self._look(asking, self._family)
                await asyncio.sleep(_EVERY_S)

    def _look(self, asking: socket.socket, family: int) -> None:
        body = struct.pack("=BBBxI", family, socket.IPPROTO_TCP, 1 << (_INFO - 1), _ESTABLISHED_AND_CLOSING)
        asking.send(struct.pack("=IHHII", 16 + 56, _BY_FAMILY, _DUMP, 1, 0) + body + bytes(48))
        while True:
            answer = asking.recv(1 << 18)
            at = 0
            while at + 16 <= len(answer):
                length, kind = struct.unpack_from("=IH", answer, at)
                if kind in (_DONE, _ERROR) or length < 16:
                    return
                self._take(answer[at + 16 : at + length])
                at += (length + 3) & ~3

    def _take(self, message: bytes) -> None:
        """One socket: struct inet_diag_msg, then attributes."""
        if len(message) < 72:
            return
        own, to_port = struct.unpack_from("!HH", message, 4)
        length = 16 if message[0] == socket.AF_INET6 else 4
        if (ipaddress.ip_address(message[24 : 24 + length]), to_port) != self._to:
            return
        at = 72
        while at + 4 <= len(message):
            size, kind = struct.unpack_from("=HH", message, at)
            if size < 4:
                return
            if kind == _INFO and size >= 4 + _DISORDERED_AT + 4:
                (self._seen[own],) = struct.unpack_from("=I", message, at + 4 + _DISORDERED_AT)
            at += (size + 3) & ~3

"""UDP sockets whose datagrams are never fragmented."""

import asyncio
import errno
import ipaddress
import os
import socket
from collections.abc import Callable

_IP_MTU_DISCOVER, _IPV6_MTU_DISCOVER, _PROBE = 10, 23, 3
"""Linux's options (ip(7), ipv6(7)): set DF, and don't heed what was learnt of the path's MTU."""

_OWN = {errno.EPERM, errno.EACCES, errno.ENETUNREACH, errno.EADDRNOTAVAIL}
"""What sending ends with if this host's own filter or routes forbid it."""


class Datagrams(asyncio.DatagramProtocol):
    """A socket connected to one address. `refused`: an ICMP message said that nobody listens, or a filter on
    the way; `too_large`: this host's own interface can't carry what was to be sent, or a router said so;
    `unsent`: why this host itself sends nothing there."""

    def __init__(self, heard: Callable[[bytes], None], wake: Callable[[], None]) -> None:
        self.refused = False
        self.too_large = False
        self.unsent = ""
        self._heard = heard
        self._wake = wake
        self._transport: asyncio.DatagramTransport | None = None

    async def open(self, address: tuple[str, int]) -> None:
        """OSError if this host has no route there."""
        v6 = ipaddress.ip_address(address[0].partition("%")[0]).version == 6
        made = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM)
        try:
            made.setblocking(False)
            if v6:
                made.setsockopt(socket.IPPROTO_IPV6, _IPV6_MTU_DISCOVER, _PROBE)
            else:
                made.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _PROBE)
            made.connect(address)
            loop = asyncio.get_running_loop()
            self._transport, _ = await loop.create_datagram_endpoint(lambda: self, sock=made)
        except BaseException:
            made.close()
            raise

    def send(self, data: bytes) -> None:
        """Sends one datagram."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(data)

    def close(self) -> None:
        """Closes the socket; what was sent leaves."""
        if self._transport is not None:
            self._transport.close()

    def datagram_received(self, data: bytes, addr: object) -> None:  # noqa: ARG002  # asyncio's signature
        """One datagram came."""
        self._heard(data)
        self._wake()

    def error_received(self, exc: Exception) -> None:
        """An ICMP message came, or the datagram could not leave."""
        number = exc.errno if isinstance(exc, OSError) else None
        if number in (errno.ECONNREFUSED, errno.EHOSTUNREACH):  # a UDP socket gets the latter from filters
            self.refused = True
        elif number == errno.EMSGSIZE:
            self.too_large = True
        elif number in _OWN:
            self.unsent = os.strerror(number)
        self._wake()

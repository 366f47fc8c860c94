"""Single packets to a server's addresses, each tried again before its silence counts."""

import asyncio
import errno
import os
import socket
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pronghorn.evidence import initial

_WAITS_S = (0.5, 1.0, 2.0)
"""How long each try waits for an answer; three lost in a row are one in a thousand at 10 % of loss."""

_CONNECT_S, _CONNECT_TRIES = 3.0, 2

SIZES = (1200, 1350, 1452)
"""Bytes of UDP payload: the least of QUIC, what older stacks begin with, and the most over Ethernet and
IPv6."""

_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPERM)
_DONT_FRAGMENT = {socket.AF_INET: (socket.IPPROTO_IP, 10), socket.AF_INET6: (socket.IPPROTO_IPV6, 23)}
"""IP_MTU_DISCOVER and IPV6_MTU_DISCOVER (linux/in.h, in6.h), which Python doesn't name."""
_PROBE = 3


class Udp(NamedTuple):
    """What a port answered: at all (None: this machine has no way there), and to which lengths."""

    answers: bool | None
    sizes: tuple[tuple[int, bool], ...] = ()
    retry: bool | None = None


class Tcp(NamedTuple):
    """Whether an address takes connections (None: this machine has no way there), and this end's congestion
    control on one, which a route may have set."""

    answers: bool | None
    control: str | None = None


async def tcp(address: str, port: int) -> Tcp:
    """What an address answers over TCP."""
    for _ in range(_CONNECT_TRIES):
        try:
            async with asyncio.timeout(_CONNECT_S):
                _, writer = await asyncio.open_connection(address, port)
            control = writer.get_extra_info("socket").getsockopt(
                socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16
            )
            writer.close()
            return Tcp(True, control.split(b"\0")[0].decode())
        except TimeoutError:
            continue
        except OSError as error:
            # EHOSTUNREACH is a router's or a neighbour's word for a host that is dead.
            if error.errno in _NO_WAY and error.errno != errno.EHOSTUNREACH:
                return Tcp(None)
    return Tcp(False)


async def udp(address: str, port: int, *, more: bool = False) -> Udp:
    """Whether a QUIC server answers; with `more` also to which lengths, and whether by a Retry."""
    return await asyncio.to_thread(_udp, address, port, more)


def _udp(address: str, port: int, more: bool) -> Udp:
    short = _answered(address, port, partial(initial.unknown_version, initial.LEAST), initial.is_negotiation)
    if not short or not more:
        return Udp(short)
    sizes = [(initial.LEAST, True)]
    for size in SIZES[1:]:
        found = _answered(address, port, partial(initial.unknown_version, size), initial.is_negotiation)
        if found is not None:
            sizes.append((size, found))
    # A real ClientHello can't be had from here: what a server without Retry answers is of no matter.
    first = partial(_answered, address, port, lambda: initial.initial(os.urandom(300)), initial.is_retry)
    retried = first() and first()
    return Udp(True, tuple(sizes), retried)


def _answered(
    address: str, port: int, packet: Callable[[], bytes], wanted: Callable[[bytes], bool]
) -> bool | None:
    """Whether the first answer to one of several packets, each from a port of its own, is the one that is
    wanted; None where they can't leave this machine."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for wait_s in _WAITS_S:
        with socket.socket(family, socket.SOCK_DGRAM) as one:
            one.setsockopt(*_DONT_FRAGMENT[family], _PROBE)
            one.settimeout(wait_s)
            try:
                one.connect((address, port))
                one.send(packet())
            except OSError as error:
                if error.errno in _NO_WAY or error.errno == errno.EMSGSIZE:
                    return None
                continue
            try:
                return wanted(one.recv(65535))
            except OSError:  # silence, or ICMP: the port is closed
                continue
    return False

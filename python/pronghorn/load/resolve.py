"""At which address a host name is reached: the system's first one, unless there are several and only a later
one answers (as `localhost` is ::1 first, and many servers listen on 127.0.0.1 alone)."""

import contextlib
import os
import re
import socket
import time

from pronghorn.errors import InputError
from pronghorn.load import places
from pronghorn.load.places import Host
from pronghorn.load.spec import Protocol

_PATIENCE_S = 1.0
"""The time to wait for one address if there are others."""

_SMALLEST_INITIAL = 1200


def address(name: str, port: int, protocol: Protocol) -> str:
    """The IP address for `name`; InputError where it has none."""
    found = addresses(name, port)
    if len(found) == 1:
        return found[0]
    answers = _answers_quic if protocol == "h3" else _answers_tcp
    return next((one for one in found if answers(one, port)), found[0])


def literal(text: str) -> tuple[str, str | None]:
    """`text` as an IP address and the interface that it names as its zone; InputError where it is none."""
    try:
        return places.address(text.strip("[]"), "--address", repr(text))
    except InputError as error:
        if "is no IP address" in str(error):
            raise InputError(
                f"--address: {text!r} is no IP address.",
                hint="Write the name itself in the URL, or --connect-to.",
            ) from None
        raise


def connect_to(text: str) -> tuple[Host, int | None]:
    """`--connect-to HOST[:PORT]`; InputError where it is none."""
    rest = text.rpartition("]")[2]
    port = None
    if (found := re.search(r":([0-9]{1,5})$", rest)) is not None:
        port, text = int(found[1]), text[: -len(found[0])]
        if not 1 <= port <= 65535:
            raise InputError(f"--connect-to: port {port}; allowed are 1 to 65535.")
    where = "--connect-to"
    if text.startswith("[") or re.fullmatch(r"[0-9.]+", text):
        name, zone = places.address(text.strip("[]"), where, repr(text))
        return Host("https", name, port or 443, zone), port
    return Host("https", places.host_name(text, where), port or 443), port


def addresses(name: str, port: int) -> list[str]:
    """All addresses of `name`, in the system's order (getaddrinfo(3), RFC 6724)."""
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise InputError(
            f"{name}: this name has no address: {error.strerror}.",
            hint="To reach it at a certain address: --address IP",
        ) from None
    except UnicodeError:
        raise InputError(f"{name}: no host name: a part of it is empty or longer than 63 letters.") from None
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def _answers_tcp(ip: str, port: int) -> bool:
    try:
        socket.create_connection((ip, port), timeout=_PATIENCE_S).close()
    except OSError:
        return False
    return True


def _answers_quic(ip: str, port: int) -> bool:
    """Whether anything answers to a long header of a version that is reserved for being unknown: every QUIC
    server must tell its versions then (RFC 9000 §6.1, §15), and nothing of a connection remains."""
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    asking = b"\xc0" + bytes.fromhex("1a2a3a4a") + b"\x08" + os.urandom(8) + b"\x08" + os.urandom(8)
    with socket.socket(family, socket.SOCK_DGRAM) as prober, contextlib.suppress(OSError):
        prober.connect((ip, port))
        deadline = time.monotonic() + _PATIENCE_S
        while (left := deadline - time.monotonic()) > 0:
            prober.send(asking.ljust(_SMALLEST_INITIAL, b"\0"))
            prober.settimeout(min(left, _PATIENCE_S / 4))
            with contextlib.suppress(TimeoutError):
                return bool(prober.recv(2048))
    return False

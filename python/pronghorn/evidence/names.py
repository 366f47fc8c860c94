"""A host's addresses, and its HTTPS record (RFC 9460), asked of the system's resolver."""

import asyncio
import ipaddress
import os
import re
import socket
import struct
from pathlib import Path

_RESOLVERS = Path("/etc/resolv.conf")
_HTTPS, _IN, _ALPN = 65, 1, 1
_WITHIN_S, _TRIES = 2.0, 2


async def addresses(host: str, port: int) -> list[str]:
    """The addresses that the system knows, in its order; none where it knows none."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return list(dict.fromkeys(str(one[4][0]) for one in found))


async def record(host: str, port: int) -> tuple[bool | None, str | None]:
    """Whether the host has an HTTPS record that offers h3; None and why where that can't be known."""
    try:
        ipaddress.ip_address(host)
        return False, None  # RFC 9460: a name's alone
    except ValueError:
        pass
    name = host if port == 443 else f"_{port}._https.{host}"
    resolver = _resolver()
    if resolver is None:
        return None, "no resolver to ask for HTTPS records is known"
    for _ in range(_TRIES):
        answer = await asyncio.to_thread(_asked, resolver, _query(name))
        if answer is not None:
            return read(answer)
    return None, "the resolver did not answer for HTTPS records"


def _resolver() -> str | None:
    try:
        text = _RESOLVERS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r"^\s*nameserver\s+([0-9A-Fa-f:.]+)\s*$", text, re.MULTILINE)
    return found[1] if found else None


def _query(name: str) -> bytes:
    labels = b"".join(bytes([len(one)]) + one for one in name.rstrip(".").encode("idna").split(b"."))
    return (
        os.urandom(2) + struct.pack("!5H", 0x0100, 1, 0, 0, 0) + labels + struct.pack("!BHH", 0, _HTTPS, _IN)
    )


def _asked(resolver: str, query: bytes) -> bytes | None:
    family = socket.AF_INET6 if ":" in resolver else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.settimeout(_WITHIN_S)
        try:
            asking.connect((resolver, 53))
            asking.send(query)
            answer = asking.recv(65535)
        except OSError:
            return None
    return answer if answer[:2] == query[:2] and len(answer) >= 12 else None


def read(answer: bytes) -> tuple[bool | None, str | None]:
    """Whether one of the answer's records offers h3."""
    flags, questions, answers = struct.unpack_from("!3H", answer, 2)
    code = flags & 15
    if code not in (0, 3) or flags & 0x0200:
        return None, f"the resolver refused to tell HTTPS records (code {code})"
    try:
        at = 12
        for _ in range(questions):
            at = _after_name(answer, at) + 4
        for _ in range(answers):
            at = _after_name(answer, at)
            kind, _, _, length = struct.unpack_from("!HHIH", answer, at)
            data = answer[at + 10 : at + 10 + length]
            at += 10 + length
            if at > len(answer):
                raise IndexError
            if kind == _HTTPS and b"h3" in _alpn(data):
                return True, None
    except (struct.error, IndexError):
        return None, "the resolver's answer for HTTPS records can't be read"
    return False, None


def _after_name(text: bytes, at: int) -> int:
    while text[at]:
        if text[at] >= 0xC0:
            return at + 2
        at += 1 + text[at]
    return at + 1


def _alpn(data: bytes) -> list[bytes]:
    """The protocols in a record's data."""
    at = _after_name(data, 2)
    while at < len(data):
        key, length = struct.unpack_from("!HH", data, at)
        value = data[at + 4 : at + 4 + length]
        at += 4 + length
        if key == _ALPN:
            found = []
            while value:
                found.append(value[1 : 1 + value[0]])
                value = value[1 + value[0] :]
            return found
    return []

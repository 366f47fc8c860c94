"""A host's addresses, and its HTTPS record (RFC 9460), asked of the system's resolver."""

import asyncio
import ipaddress
import os
import re
import socket
import struct
from pathlib import Path
from typing import NamedTuple

_RESOLVERS = Path("/etc/resolv.conf")
_HTTPS, _IN, _ALPN, _PORT = 65, 1, 1, 3
_ALIASES = 4
_WITHIN_S, _TRIES = 2.0, 2


async def addresses(host: str, port: int) -> list[str]:
    """The addresses that the system knows, in its order; none where it knows none."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, ValueError):  # such as a host in Alt-Svc that is none
        return []
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class Record(NamedTuple):
    """Whether a host has an HTTPS record that offers h3; None and why where that can't be known. `port` and
    `host` are where, if they aren't the origin's."""

    offers: bool | None
    why: str | None = None
    port: int | None = None
    host: str = ""


async def record(host: str, port: int) -> Record:
    """What the host's records offer, those followed for which one stands (AliasMode)."""
    try:
        ipaddress.ip_address(host)
        return Record(False)  # RFC 9460: a name's alone
    except ValueError:
        pass
    name = host if port == 443 else f"_{port}._https.{host}"
    resolver = _resolver()
    if resolver is None:
        return Record(None, "no resolver to ask for HTTPS records is known")
    for _ in range(_ALIASES):
        answer = await _answer(resolver, name)
        if answer is None:
            return Record(None, "the resolver did not answer for HTTPS records")
        found = read(answer)
        if not isinstance(found, str):
            return found
        name = found
    return Record(None, "the host's HTTPS record is an alias of an alias, again and again")


async def _answer(resolver: str, name: str) -> bytes | None:
    for _ in range(_TRIES):
        try:
            question = _query(name)
        except UnicodeError:
            return None
        answer = await asyncio.to_thread(_asked, resolver, question)
        if answer is not None:
            return answer
    return None


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


def read(answer: bytes) -> Record | str:
    """What the answer's records offer; the name to ask for instead where they are an alias alone."""
    flags, questions, answers = struct.unpack_from("!3H", answer, 2)
    code = flags & 15
    if code not in (0, 3) or flags & 0x0200:
        return Record(None, f"the resolver refused to tell HTTPS records (code {code})")
    alias, serves = "", False
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
            if kind != _HTTPS:
                continue
            target = _name(data, 2)
            if data[:2] == bytes(2):
                alias = target
                continue
            serves = True
            told = _parameters(data)
            if b"h3" in _protocols(told.get(_ALPN, b"")):
                port = int.from_bytes(told[_PORT]) if len(told.get(_PORT, b"")) == 2 else None
                return Record(True, None, port or None, target)
    except (struct.error, IndexError):
        return Record(None, "the resolver's answer for HTTPS records can't be read")
    return Record(False) if serves or not alias else alias


def _after_name(text: bytes, at: int) -> int:
    while text[at]:
        if text[at] >= 0xC0:
            return at + 2
        at += 1 + text[at]
    return at + 1


def _name(data: bytes, at: int) -> str:
    """A name without compression (RFC 9460 §2.2); empty for the root, which is the owner's own."""
    labels = []
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode("ascii", errors="replace"))
        at += 1 + data[at]
    return ".".join(labels)


def _parameters(data: bytes) -> dict[int, bytes]:
    found = {}
    at = _after_name(data, 2)
    while at < len(data):
        key, length = struct.unpack_from("!HH", data, at)
        found[key] = data[at + 4 : at + 4 + length]
        at += 4 + length
    return found


def _protocols(alpn: bytes) -> list[bytes]:
    found = []
    while alpn:
        found.append(alpn[1 : 1 + alpn[0]])
        alpn = alpn[1 + alpn[0] :]
    return found

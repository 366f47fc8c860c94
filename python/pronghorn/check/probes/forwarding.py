"""What an application saw of a request, as its echo endpoint answers."""

import asyncio
import json
import re
from typing import Any

from pronghorn.check.facts import Answer, Echo, Forwarding
from pronghorn.check.probes import request
from pronghorn.check.probes.tcp import OverTcp
from pronghorn.check.probes.udp import OverUdp
from pronghorn.check.target import Target

CLAIMED = "192.0.2.77"
"""An address for documentation (RFC 5737), which no client has."""

_LINE = re.compile(r"^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)\r?$", re.MULTILINE)


async def look(target: Target, path: str, tcp: OverTcp, udp: OverUdp | None) -> Forwarding:
    """Asks the endpoint over each protocol, and once more with a forged origin."""
    plain = request.echo(target, path)
    forged = request.echo(
        target, path, ("x-forwarded-for", CLAIMED), ("x-real-ip", CLAIMED), ("forwarded", f"for={CLAIMED}")
    )
    h1, h2, claimed = await asyncio.gather(
        tcp.meet("h1", plain), tcp.meet("h2", plain), tcp.meet("h1", forged)
    )
    answers: list[tuple[str, Answer | None]] = [("h1", h1.answer)]
    if h2.tls is not None and h2.tls.alpn == "h2":
        answers.append(("h2", h2.answer))
    if udp is not None:
        answers += [("h3", each) for each in (await udp.meet(plain)).answers]
    lies: list[tuple[str, Answer | None]] = [("h1", claimed.answer)]
    if udp is not None:
        lies += [("h3", each) for each in (await udp.meet(forged)).answers]
    return Forwarding(_read(answers), _read(lies), CLAIMED)


def _read(answers: list[tuple[str, Answer | None]]) -> tuple[Echo, ...]:
    echoes = [read(protocol, answer) for protocol, answer in answers]
    return tuple(each for each in echoes if each is not None)


def read(protocol: str, answer: Answer | None) -> Echo | None:
    """The headers that an endpoint answered: JSON (an object of headers, or one under `headers`) or lines of
    `Name: value`. None if it isn't an echo."""
    if answer is None or answer.status != 200 or answer.digest is None:
        return None
    text = answer.body.decode("utf-8", "replace")
    try:
        found = _pairs(json.loads(text))
    except (ValueError, RecursionError):
        found = [(each[1], each[2]) for each in _LINE.finditer(text)]
    headers = tuple((name.lower(), value) for name, value in found)
    known = {"user-agent", "host", "accept"}
    return Echo(protocol, headers) if known & {name for name, _ in headers} else None


def _pairs(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict) and isinstance(value.get("headers"), dict | list):
        value = value["headers"]
    if isinstance(value, dict):
        return [
            (str(name), str(one))
            for name, given in value.items()
            for one in (given if isinstance(given, list) else [given])
        ]
    if isinstance(value, list):
        named = [
            (each["name"], each["value"])
            for each in value
            if isinstance(each, dict) and {"name", "value"} <= each.keys()
        ]
        paired = [tuple(each) for each in value if isinstance(each, list) and len(each) == 2]
        return [(str(name), str(given)) for name, given in (*named, *paired)]
    return []

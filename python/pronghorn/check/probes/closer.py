"""A closer look at one address, once it has answered."""

import asyncio
import secrets
from dataclasses import replace
from typing import NamedTuple, TypeVar

from pronghorn.check import comparing
from pronghorn.check.facts import Address, Datagrams, Early, Elsewhere, Forwarding, Hinted, Names, Quic, Tcp
from pronghorn.check.probes import elsewhere, forwarding, hints, request
from pronghorn.check.probes.errand import Errand
from pronghorn.check.probes.meeting import Met
from pronghorn.check.target import Target

SIZES = (1280, 1400, 1452)
"""UDP payloads in bytes: the least MTU of IPv6, what tunnels carry, what fits Ethernet's 1500 over IPv6."""

_MOST_HINTS = 2
Result = TypeVar("Result")


class Closer(NamedTuple):
    """What it shows, in the order and with the meanings of `Facts`."""

    address: Address
    elsewhere: tuple[Elsewhere, ...]
    hinted: tuple[Hinted, ...]
    datagrams: tuple[Datagrams, ...]
    early: tuple[Early, ...]
    forwarding: Forwarding | None


async def look(target: Target, names: Names, met: Met, errand: Errand) -> Closer:
    """What is independent at once, then what needs a ticket, then whether the protocols serve the same."""
    page = request.page(target)
    has_tcp, has_quic = met.address.tcp.reached == "ok", met.address.quic.reached == "ok"
    tcp, quic, others, hinted, sizes, forwarded = await asyncio.gather(
        _closer_tcp(met, page, errand) if has_tcp else _is(met.address.tcp),
        _closer_quic(met, page, errand) if has_quic else _is(met.address.quic),
        _elsewhere(target, names, met, errand),
        errand.noting("hinted addresses", _hinted(target, names, met.address.address, errand), ()),
        errand.noting("datagram sizes", met.udp.sizes(SIZES), ()) if has_quic and errand.active else _is(()),
        _forwarding(target, met, errand) if has_tcp and errand.settings.echo and errand.active else _is(None),
    )
    early: tuple[Early, ...] = ()
    if not errand.active:
        errand.note("0-RTT, forged headers, datagram sizes", f"{target.host} is not the host that was named")
    elif quic.early_data and not any(quic.retried):
        early = await errand.noting("0-RTT", _early(target, met, errand), ())
    elif quic.early_data:
        errand.note("0-RTT", "the server demands a Retry, which takes a round trip first")
    if forwarded is not None:
        marked = [forwarding.read("h3 in 0-RTT", each.answer) for each in early if each.method == "GET"]
        forwarded = replace(forwarded, early=next(iter(marked), None))
    tcp, quic = await errand.noting("h2 against h3", _again(tcp, quic, met, page), (tcp, quic))
    return Closer(replace(met.address, tcp=tcp, quic=quic), others, hinted, sizes, early, forwarded)


async def _closer_tcp(met: Met, page: request.Request, errand: Errand) -> Tcp:
    return await errand.noting("resumption over TCP", met.tcp.closer(met.address.tcp, page), met.address.tcp)


async def _closer_quic(met: Met, page: request.Request, errand: Errand) -> Quic:
    return await errand.noting(
        "resumption over QUIC", met.udp.closer(met.address.quic, page), met.address.quic
    )


async def _elsewhere(target: Target, names: Names, met: Met, errand: Errand) -> tuple[Elsewhere, ...]:
    asked = elsewhere.places(target, met.address, names)
    if len(asked) > elsewhere.MOST:
        errand.note("alternative services", f"{len(asked) - elsewhere.MOST} were not asked")
    look = elsewhere.look(asked[: elsewhere.MOST], target, met.address, errand)
    return await errand.noting("alternative services", look, ())


async def _hinted(target: Target, names: Names, main: str, errand: Errand) -> tuple[Hinted, ...]:
    """Addresses that only HTTPS records of the origin's own name hint at."""
    asked = hints.stale(target, names, main)
    return tuple(await asyncio.gather(*(hints.ask(each, target, errand) for each in asked[:_MOST_HINTS])))


async def _forwarding(target: Target, met: Met, errand: Errand) -> Forwarding | None:
    udp = met.udp if met.address.quic.reached == "ok" else None
    path = errand.settings.echo or "/"
    return await errand.noting("forwarded headers", forwarding.look(target, path, met.tcp, udp), None)


async def _early(target: Target, met: Met, errand: Errand) -> tuple[Early, ...]:
    """An unsafe request; to a path that nobody serves, unless there is an endpoint that takes any. With one,
    a safe request as well."""
    path = errand.settings.echo or f"/.well-known/pronghorn-check-{secrets.token_hex(8)}"
    asked = [replace(request.echo(target, path), method="POST")]
    if errand.settings.echo:
        asked.append(request.echo(target, path))
    found = [await met.udp.early(each) for each in asked]
    return tuple(each for each in found if each is not None)


async def _again(tcp: Tcp, quic: Quic, met: Met, page: request.Request) -> tuple[Tcp, Quic]:
    """Further responses while the protocols differ: several machines may serve two versions of a page, and
    chance must not tell them apart."""
    while any(comparing.differences(tcp.h2, quic.answers)) and fewest(tcp, quic) < comparing.SURE:
        over_tcp, over_quic = await asyncio.gather(met.tcp.meet("h2", page), met.udp.meet(page))
        if over_tcp.answer is None or not over_quic.answers:
            break
        if over_tcp.tls is None or over_tcp.tls.alpn != "h2":
            break
        tcp = replace(tcp, h2=(*tcp.h2, over_tcp.answer))
        quic = replace(quic, answers=quic.answers + over_quic.answers)
    return tcp, quic


def fewest(tcp: Tcp, quic: Quic) -> int:
    """How many responses the protocol gave that gave fewer."""
    return min(len(tcp.h2), len(quic.answers))


async def _is(result: Result) -> Result:
    return result

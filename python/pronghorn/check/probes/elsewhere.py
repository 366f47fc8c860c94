"""What answers where Alt-Svc and HTTPS records lead, asked as a browser does: with the origin's name."""

import asyncio
from collections.abc import Iterable

from pronghorn.check import alternatives
from pronghorn.check.facts import Address, Elsewhere, Names, Quic
from pronghorn.check.probes import names as resolver
from pronghorn.check.probes.errand import Errand
from pronghorn.check.probes.udp import OverUdp
from pronghorn.check.target import Target, leads_inside

MOST = 4
"""How many places are asked."""


def places(target: Target, main: Address, names: Names) -> list[tuple[str, int]]:
    """Hosts and ports that the address advertises for h3, or the records do, other than the origin's own; the
    host is empty if it is the origin's."""
    found: dict[tuple[str, int], None] = {}
    for answer in (main.tcp.h1, *main.tcp.h2[:1], *main.quic.answers[:1]):
        advertised = alternatives.parse(answer.all("alt-svc")) if answer is not None else None
        for each in advertised.of("h3") if advertised is not None else ():
            found["" if each.host == target.host else each.host, each.port] = None
    for record in names.records or ():
        if record.priority and "h3" in record.alpn:
            host = "" if record.target == target.host else record.target
            found[host, record.port or target.port] = None
    return [place for place in found if place != ("", target.port)]


async def look(
    asked: Iterable[tuple[str, int]], target: Target, main: Address, errand: Errand
) -> tuple[Elsewhere, ...]:
    """A handshake with each, all at once."""
    return tuple(await asyncio.gather(*(_one(host, port, target, main, errand) for host, port in asked)))


async def _one(host: str, port: int, target: Target, main: Address, errand: Errand) -> Elsewhere:
    addresses: tuple[str, ...] = (main.address,)
    if host:
        limit_s = min(resolver.LIMIT_S, errand.budget.left_s)
        names = await resolver.ask(Target(host, 443, "/"), errand.settings, limit_s)
        addresses = names.addresses
        if not addresses:
            return Elsewhere(host, port, () if names.from_dns == () else None, None)
        if leads_inside(main.address, addresses):
            return Elsewhere(host, port, addresses, Quic("unreachable", "its address is not public"))
    asked = [next((each for each in addresses if (":" in each) == v6), None) for v6 in (False, True)]
    seen = await asyncio.gather(*(tried((each, port), target, errand) for each in asked if each is not None))
    return Elsewhere(host, port, addresses, min(seen, key=_rank))


async def tried(address: tuple[str, int], target: Target, errand: Errand) -> Quic:
    """How an address answers over QUIC. Silence tells nothing where this host may have no way."""
    quic = await OverUdp(address, target.host, errand.authorities, errand.budget).tried()
    lost = quic.reached == "silent" and not errand.leads(address[0])
    return Quic("unreachable", "this host may have no way there") if lost else quic


def _rank(quic: Quic) -> int:
    """What browsers get that try one family after the other: the best of both."""
    return {"ok": 0, "failed": 1, "refused": 2, "silent": 2}.get(quic.reached, 3)

"""A host's addresses, each met over TCP and over UDP as browsers do."""

import asyncio
from dataclasses import dataclass

from pronghorn.check.facts import UNASKED, Address, Names
from pronghorn.check.probes import request
from pronghorn.check.probes.budget import Spent
from pronghorn.check.probes.errand import Errand
from pronghorn.check.probes.tcp import OverTcp
from pronghorn.check.probes.udp import CUT, OverUdp
from pronghorn.check.target import Target, redirected
from pronghorn.errors import NothingMeasured

MOST_REDIRECTS = 3
MOST_ADDRESSES, MOST_REDIRECTED = 4, 2
"""The most addresses that are met: of the host that was named, and of one that it redirects to."""

_REDIRECTS = {301, 302, 303, 307, 308}


@dataclass(frozen=True)
class Met:
    """An address, and the probes that can look at it further."""

    address: Address
    tcp: OverTcp
    udp: OverUdp


async def meet(target: Target, names: Names, errand: Errand, most: int) -> list[Met]:
    """Up to `most` addresses at once. NothingMeasured if none answers."""
    addresses = errand.settings.addresses or names.addresses
    if not addresses:
        why = names.detail or "the resolver knows no address of it"
        raise NothingMeasured(
            f"{target.host}: {why}.",
            hint="Name an address (--address) or another resolver (--resolver).",
        )
    if names.detail:
        errand.note("addresses", names.detail)
    if len(addresses) > most:
        errand.note("addresses", f"{len(addresses) - most} of {len(addresses)} were not asked")
        addresses = chosen(addresses, most)
    errand.tell(f"{target.shown}: {', '.join(addresses)}, over TCP and UDP")
    met = await asyncio.gather(*(_one((each, target.port), target, errand) for each in addresses))
    if not any(_answers(each.address) for each in met):
        if any("cut" in (each.address.tcp.reached, each.address.quic.reached) for each in met):
            raise NothingMeasured(
                f"{target.shown}: {CUT} before it answered.", hint="Give the check more time: --limit 60s."
            )
        told = "; ".join(
            f"{each.address.address}: TCP {each.address.tcp.reached}, UDP {each.address.quic.reached}"
            for each in met
        )
        raise NothingMeasured(
            f"{target.shown}: nothing answers on port {target.port} ({told}).",
            hint=f"Check the address and the port, and that firewalls pass {target.port}/tcp and "
            f"{target.port}/udp.",
        )
    return met


def chosen(addresses: tuple[str, ...], most: int) -> tuple[str, ...]:
    """The first ones, with both families among them."""
    v6 = [each for each in addresses if ":" in each]
    v4 = [each for each in addresses if ":" not in each]
    half = most // 2
    kept = {*v6[: max(half, most - len(v4))], *v4[: max(half, most - len(v6))]}
    return tuple(each for each in addresses if each in kept)


def best(met: list[Met]) -> Met:
    """The first address that answers over TCP and UDP; else over TCP, else over UDP."""

    def rank(each: Met) -> int:
        return 2 * (each.address.tcp.reached == "ok") + (each.address.quic.reached == "ok")

    return max(met, key=rank)


def onward(met: list[Met], target: Target, redirects: list[Target], errand: Errand) -> Target | None:
    """Where the page has gone, if that can be followed."""
    main = best(met).address
    answers = (*main.tcp.h2, *([main.tcp.h1] if main.tcp.h1 else []), *main.quic.answers)
    if not answers or answers[0].status not in _REDIRECTS or not answers[0].all("location"):
        return None
    found = redirected(target, answers[0].all("location")[0])
    if found is None:
        errand.note("redirect", "it leads to a URL that can't be checked, so it was not followed")
    elif len(redirects) >= MOST_REDIRECTS:
        errand.note("redirect", f"{MOST_REDIRECTS} were followed; the next was not")
    elif found in (*redirects, target):
        errand.note("redirect", "it leads back to a URL that was asked before")
    elif errand.settings.addresses and found.host != target.host:
        errand.note("redirect", f"it leads to {found.shown}, for which --address names no address")
    else:
        return found
    return None


async def _one(address: tuple[str, int], target: Target, errand: Errand) -> Met:
    tcp = OverTcp(address, target.host, errand.authorities, errand.budget)
    udp = OverUdp(address, target.host, errand.authorities, errand.budget)
    page = request.page(target)
    try:
        over_tcp, over_udp = await asyncio.gather(tcp.first(page), udp.first(page))
    except Spent:
        raise NothingMeasured(f"{target.shown}: too many requests; redirects used them up.") from None
    if not {over_tcp.reached, over_udp.reached} <= {"silent", *UNASKED}:
        errand.answered(address[0])
    for protocol, reached, detail in (
        ("TCP", over_tcp.reached, over_tcp.detail),
        ("UDP", over_udp.reached, over_udp.detail),
    ):
        if reached == "unreachable":
            errand.note(f"{address[0]} over {protocol}", f"this host can't reach it: {detail}")
        elif reached == "cut" or (reached == "ok" and detail):
            errand.note(f"{address[0]} over {protocol}", detail)
    return Met(Address(address[0], over_tcp, over_udp), tcp, udp)


def _answers(address: Address) -> bool:
    return any(reached in ("ok", "failed") for reached in (address.tcp.reached, address.quic.reached))

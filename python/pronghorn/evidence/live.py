"""A live URL: what it offers, what answers there, and a few loads over each protocol."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pronghorn.analysis.numbers import count
from pronghorn.engine import Engine
from pronghorn.errors import NothingMeasured
from pronghorn.evidence import hops, names, probes
from pronghorn.evidence.probes import Tcp, Udp
from pronghorn.evidence.target import Target
from pronghorn.evidence.visits import Place, Visits
from pronghorn.foreign import line
from pronghorn.traps.facts import Address, Facts, Offer, Protocol, Tickets, Visit, alternative

_HOPELESS = 2
"""Visits that fail one after the other: more would fail as well."""


class Asked(NamedTuple):
    """How a URL is looked at: how often it is loaded over each protocol, how long a load may take, the only
    authority to trust."""

    visits: int
    limit_s: float
    authority: Path | None


async def facts(first: Target, asked: Asked, folder: Path, say: Callable[[str], None]) -> Facts:
    """All that can be found out. `folder` is empty, and takes what is left behind; `say` is told what goes
    on. NothingMeasured where no server answers."""
    context = hops.trusting(asked.authority)
    say(f"{first.shown}: looking at what it offers")
    last, way = await asyncio.to_thread(hops.follow, first, context)
    found, record = await asyncio.gather(
        names.addresses(last.host, last.port), names.record(last.host, last.port)
    )
    offered = alternative(way[-1].alt_svc)
    quic_host, quic_port = offered if offered else (record.host, record.port or last.port)
    elsewhere = bool(quic_host) and quic_host != last.host
    quic_found = await names.addresses(quic_host, quic_port) if elsewhere else found
    tcp, udp = await _reached(found, quic_found, last.port, quic_port)
    addresses = [
        Address(one, answer.answers, None if elsewhere or one not in udp else udp[one].answers)
        for one, answer in tcp.items()
    ]
    taken = next((text for text, one in tcp.items() if one.answers), None)
    if taken is None:
        raise NothingMeasured(f"{last.shown}: none of its addresses takes connections.")
    quic_taken = next((text for text, one in udp.items() if one.answers), None)
    if quic_taken is None:
        quic_taken = quic_found[0] if elsewhere and quic_found else taken
    of_udp = udp.get(quic_taken, Udp(None))
    at_url = (await probes.udp(taken, last.port)).answers if quic_port != last.port else of_udp.answers
    offer = Offer(
        way, quic_port, record.offers, record.why, of_udp.answers, at_url, of_udp.sizes, of_udp.retry
    )
    place = Place(
        last.host,
        last.document,
        taken,
        last.port,
        quic_taken,
        quic_port,
        asked.authority.absolute() if asked.authority else None,
        asked.limit_s,
        tcp[taken].control or "cubic",
    )
    visits, tickets, spoilt = await _visits(place, asked.visits, folder, say)
    return Facts(first.shown, visits, offer, addresses, tickets, _lacks(visits, offer), spoilt)


async def _reached(
    found: list[str], quic_found: list[str], port: int, quic_port: int
) -> tuple[dict[str, Tcp], dict[str, Udp]]:
    """What each address answers, all at the same time."""
    tcps = {one: asyncio.create_task(probes.tcp(one, port)) for one in found}
    udps = {one: asyncio.create_task(probes.udp(one, quic_port, more=True)) for one in quic_found}
    return {one: await task for one, task in tcps.items()}, {one: await task for one, task in udps.items()}


async def _visits(
    place: Place, times: int, folder: Path, say: Callable[[str], None]
) -> tuple[list[Visit], Tickets | None, int]:
    """The loads, by turns, and whether a session can be resumed."""
    engine = await Engine.start()
    try:
        control = place.control
        await engine.request("open", path=None, seed=1, tcp_congestion_control=control, capture=None)
        visits = Visits(engine, place, folder, say)
        made: list[Visit] = []
        for turn in range(times):
            order: tuple[Protocol, ...] = ("h2", "h3") if turn % 2 == 0 else ("h3", "h2")
            for protocol in order:
                before = [one for one in made if one.protocol == protocol]
                if len(before) >= _HOPELESS and all(one.page.outcome != "ok" for one in before):
                    continue
                one = await visits.load(protocol)
                say(f"{protocol}: {_told(one)}")
                made.append(one)
        ok = any(one.protocol == "h3" and one.page.outcome == "ok" for one in made)
        tickets = await visits.tickets() if ok else None
        return made, tickets, visits.spoilt
    finally:
        await engine.stop()


def _told(one: Visit) -> str:
    return f"{one.page.load_s:.3f} s" if one.page.load_s is not None else _failure(one)


def _failure(one: Visit) -> str:
    return line(f"{one.page.reason}: {one.page.detail}" if one.page.detail else str(one.page.reason))


def _lacks(visits: list[Visit], offer: Offer) -> tuple[str, ...]:
    lacks = []
    for protocol in ("h2", "h3"):
        tried = [one for one in visits if one.protocol == protocol]
        if tried and not any(one.ok for one in tried):
            spoilt = any(one.page.outcome == "ok" for one in tried)
            why = "this machine was too busy" if spoilt else _failure(tried[-1])
            lacks.append(f"No visit over {protocol} can be used: {why}.")
        elif failed := [one for one in tried if one.page.outcome != "ok"]:
            lacks.append(f"{count(len(failed), 'visit')} over {protocol} failed: {_failure(failed[0])}.")
    here = sum(one.dropped_here for one in visits)
    if here:
        lacks.append(
            f"{count(here, 'datagram')} came and found no room in this machine's receive buffer: raise "
            "net.core.rmem_max. The network's losses over UDP aren't known of these visits."
        )
    if any(one.shook and one.page.reason == "timeout" for one in visits):
        lacks.append("Loads that don't end in time tell little: give a larger --limit.")
    if offer.record_why is not None:
        lacks.append(f"Whether the host has an HTTPS record is not known: {offer.record_why}.")
    return tuple(lacks)

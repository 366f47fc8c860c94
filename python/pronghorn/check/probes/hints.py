"""Addresses that HTTPS records hint at, asked as browsers do (RFC 9460 §7.3)."""

from typing import NamedTuple

from pronghorn.check.facts import Hinted, Names
from pronghorn.check.probes import request
from pronghorn.check.probes.elsewhere import tried
from pronghorn.check.probes.errand import Errand
from pronghorn.check.probes.tcp import OverTcp
from pronghorn.check.target import Target, leads_inside


class Hint(NamedTuple):
    """One address, its record's port, and what browsers use there: `TCP`, or `UDP` if TCP is excluded."""

    address: str
    port: int
    over: str


def stale(target: Target, names: Names, main: str) -> list[Hint]:
    """The hints that no A or AAAA record of the origin names. Another name's are not its own,
    and a public host's hints at addresses that aren't are not asked."""
    found: dict[Hint, None] = {}
    for record in names.records or ():
        if not record.priority or record.target != target.host:
            continue
        over = "UDP" if record.no_default_alpn and "h2" not in record.alpn else "TCP"
        for address in record.hints:
            known = names.from_dns is None or address in names.from_dns
            if not known and not leads_inside(main, [address]):
                found[Hint(address, record.port or target.port, over)] = None
    return list(found)


async def ask(hint: Hint, target: Target, errand: Errand) -> Hinted:
    """How it answers. Silence tells nothing where this host may have no way."""
    place = hint.address, hint.port
    if hint.over == "UDP":
        return Hinted(*hint, (await tried(place, target, errand)).reached)
    probe = OverTcp(place, target.host, errand.authorities, errand.budget)
    reached = (await probe.tried(request.page(target))).reached
    lost = reached == "silent" and not errand.leads(hint.address)
    return Hinted(*hint, "unreachable" if lost else reached)

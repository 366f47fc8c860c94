"""Several addresses of one host: do they all serve it alike?"""

from collections.abc import Iterator
from datetime import datetime

from pronghorn.check import alternatives
from pronghorn.check.facts import REJECTED, UNASKED, Address, Chain, Facts
from pronghorn.check.finding import Finding, Unknown

_DEAD = {"silent", "refused", "failed"}


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Each address against the main one. If nothing of a family answers, this host may have no way there."""
    for family, lost in _lost(facts).items():
        if lost:
            yield Unknown(
                f"{family} addresses",
                f"{', '.join(each.address for each in lost)} answer nothing, or this host's {family} leads "
                "nowhere: check from another network",
            )
    for each in facts.addresses:
        if each.address == facts.main.address or any(each in lost for lost in _lost(facts).values()):
            continue
        rejected = each.tcp.detail == REJECTED and _leads(":" in each.address, facts)
        if facts.main.tcp.reached == "ok" and (each.tcp.reached in _DEAD or rejected):
            yield Finding(
                "address-dead",
                "error",
                f"{each.address} port {facts.target.port}: TCP {each.tcp.reached}; {facts.main.address} "
                "answers.",
                "Visitors whose browser picks this address wait, or see an error.",
                "Bring it back, or remove it from DNS.",
            )
        elif facts.main.quic.reached == "ok" and each.quic.reached in _DEAD:
            yield Finding(
                "address-without-h3",
                "error" if _advertises(each) else "warning",
                f"{each.address} port {facts.target.port}: UDP {each.quic.reached}; {facts.main.address} "
                "serves h3.",
                "Browsers that were sent to h3 wait for it in vain at this address, or never learn of it.",
                f"Serve h3 at every address of the host, and let {facts.target.port}/udp through to each.",
            )
        else:
            yield from _unlike(each, facts)


def _leads(v6: bool, facts: Facts) -> bool:
    """Whether an address of the family answers, so that another's fault is no lack of routes here."""
    return any((":" in each.address) == v6 and each.tcp.reached == "ok" for each in facts.addresses)


def _lost(facts: Facts) -> dict[str, list[Address]]:
    """The addresses of a family of which all are silent, by the family's name."""
    found: dict[str, list[Address]] = {}
    for family, colon in (("IPv4", False), ("IPv6", True)):
        its = [each for each in facts.addresses if (":" in each.address) == colon]
        mute = all({each.tcp.reached, each.quic.reached} <= {"silent", *UNASKED} for each in its)
        asked = any("silent" in (each.tcp.reached, each.quic.reached) for each in its)
        found[family] = its if mute and asked else []
    return found


def _unlike(one: Address, facts: Facts) -> Iterator[Finding]:
    main, other = facts.main.tcp.offered_h2, one.tcp.offered_h2
    if main is None or other is None:
        return
    differing = []
    if main.alpn != other.alpn:
        differing.append(f"ALPN {other.alpn or 'none'} instead of {main.alpn or 'none'}")
    if main.version != other.version:
        differing.append(f"{other.version.replace('v', ' ')} instead of {main.version.replace('v', ' ')}")
    refused = list(_refused(main.chain, other.chain, facts.now))
    differing += refused
    if facts.main.quic.reached == "ok" == one.quic.reached and _advertises(facts.main) != _advertises(one):
        differing.append("Alt-Svc with h3" if _advertises(one) else "no Alt-Svc with h3")
    if differing:
        yield Finding(
            "addresses-differ",
            "error" if refused else "warning",
            f"{one.address} has {', '.join(differing)}, compared with {facts.main.address}.",
            "What visitors get depends on the address that their browser picks.",
            "Give every address the same configuration.",
        )


def _refused(main: Chain | None, other: Chain | None, now: datetime) -> Iterator[str]:
    """Why browsers refuse the other's certificate, and not the main one's."""
    if main is None or other is None:
        return
    if main.covers_host and not other.covers_host:
        yield "a certificate for another host"
    if now <= main.certificates[0].not_after and now > other.certificates[0].not_after:
        yield "an expired certificate"
    if main.distrust == 0 and other.distrust:
        yield "a chain that is not trusted"


def _advertises(address: Address) -> bool:
    answers = (*address.tcp.h2[:1], *([address.tcp.h1] if address.tcp.h1 else []))
    told = [alternatives.parse(answer.all("alt-svc")) for answer in answers]
    return any(each is not None and each.of("h3") for each in told)

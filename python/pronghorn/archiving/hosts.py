"""The tables of an archive's hosts."""

from collections.abc import Iterable, Sequence
from statistics import median

from pronghorn.archiving import addresses
from pronghorn.archiving.draft import Draft
from pronghorn.sites.archive import Host
from pronghorn.sites.archive.exchange import Protocol

_ORDER: tuple[Protocol, ...] = ("h1", "h2", "h3")


def tables(drafts: Sequence[Draft], page: str) -> dict[str, Host]:
    """A table for each host of the drafts, whose URLs are clean. `page` is the document's URL: its site is
    the first party, as `addresses.site_of` guesses it."""
    own = addresses.site_of(addresses.host_of(page))
    by_host: dict[str, list[Draft]] = {}
    for one in drafts:
        by_host.setdefault(_name(one.url), []).append(one)
    groups: dict[str, int] = {}
    return {
        name: Host(
            first_party=addresses.site_of(name) == own,
            protocols=tuple(known for known in _ORDER if known in set(_protocols(theirs))),
            group=_group(theirs, groups),
            rtt_s=_rtt_s(theirs),
        )
        for name, theirs in by_host.items()
    }


def _name(url: str) -> str:
    host = addresses.host_of(url)
    return f"[{host}]" if ":" in host else host


def _rtt_s(drafts: Iterable[Draft]) -> float | None:
    """The median of the connections' handshakes: a single one may be far too short or too long."""
    told = [one.rtt_s for one in drafts if one.rtt_s]
    return round(median(told), 6) if told else None


def _group(drafts: Sequence[Draft], groups: dict[str, int]) -> int | None:
    address = next((one.address for one in drafts if one.address), None)
    return groups.setdefault(address, len(groups) + 1) if address else None


def _protocols(drafts: Iterable[Draft]) -> Iterable[Protocol]:
    """Those that were seen, and h3 where a host advertises it (RFC 7838)."""
    for one in drafts:
        if one.protocol:
            yield one.protocol
        advertised = one.header("alt-svc") or ""
        if any(word.strip().startswith(("h3=", "h3-29=")) for word in advertised.split(",")):
            yield "h3"

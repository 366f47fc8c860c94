"""An archive rewritten before it is replayed, as `model.recorded_site` names it: other hosts, protocols,
priorities. `choice` leaves exchanges out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from pronghorn.sites.archive import Archive, Host
from pronghorn.sites.replay import one_host

_EQUAL = "Low"
"""The priority whose urgency is 3, the default (RFC 9218 §4.1)."""


def rewritten(archive: Archive, rewritings: Sequence[str]) -> Archive:
    """The archive with the `rewritings` that concern it, names of `model.recorded_site.REWRITINGS`."""
    for word in rewritings:
        if change := _CHANGES.get(word):
            archive = change(archive)
    return archive


def _first_party_h3(archive: Archive) -> Archive:
    def without(host: Host) -> Host:
        left = tuple(one for one in host.protocols if one != "h3")
        return host if host.first_party else host.model_copy(update={"protocols": left})

    return _with_hosts(archive, without)


def _all_h3(archive: Archive) -> Archive:
    return _with_hosts(archive, lambda host: host.model_copy(update={"protocols": ("h1", "h2", "h3")}))


def _with_hosts(archive: Archive, change: Callable[[Host], Host]) -> Archive:
    hosts = {name: change(host) for name, host in archive.site.hosts.items()}
    return replace(archive, site=archive.site.model_copy(update={"hosts": hosts}))


def _equal_priorities(archive: Archive) -> Archive:
    equal = tuple(one.model_copy(update={"priority": _EQUAL}) for one in archive.exchanges)
    return replace(archive, exchanges=equal)


_CHANGES: Mapping[str, Callable[[Archive], Archive]] = MappingProxyType(
    {
        "one-host": one_host.moved,
        "first-party-h3": _first_party_h3,
        "all-h3": _all_h3,
        "equal-priorities": _equal_priorities,
        "round-robin": _equal_priorities,
    }
)

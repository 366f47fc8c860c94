"""An archive as a built site."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pronghorn.sites import hosts
from pronghorn.sites.archive import Exchange, read
from pronghorn.sites.built import BuiltSite, Kind, Resource
from pronghorn.sites.hosts import Replay
from pronghorn.sites.replay import answers, steps, table
from pronghorn.sites.replay.choice import Chosen, choose
from pronghorn.sites.replay.rewriting import rewritten

_KINDS: dict[str, Kind] = {
    "document": "document",
    "script": "script",
    "style": "style",
    "image": "image",
    "font": "font",
}


def build(folder: Path, directory: Path, rewritings: Sequence[str] = ()) -> BuiltSite:
    """Makes the archive in `folder` ready in `directory`, which must be empty; `rewritings` are names of
    `model.recorded_site.REWRITINGS`. InputError where it is no archive, or its page can't be replayed or asks
    for too much; OSError where `directory` can't be written."""
    archive = rewritten(read(folder), rewritings)
    chosen = choose(archive, rewritings)
    page = chosen.exchanges[0]
    found, faces = hosts.of(archive.site.hosts, _ports(chosen.exchanges))
    replay = Replay(
        page.target.host,
        {host.name: host for host in found},
        faces,
        directory,
        images="no-images" not in rewritings,
    )
    alike = table.of(answers.write(archive, chosen.exchanges, replay.hosts, directory)).unreachable
    late = steps.write(archive, chosen, directory, _incremental(rewritings))
    resources = tuple(_resource(replay, one) for one in chosen.exchanges)
    return BuiltSite(directory, page.target.path, resources, _notes(replay, chosen, late, alike), replay)


def _incremental(rewritings: Sequence[str]) -> bool | None:
    """Whether every response is of use in parts (RFC 9218 §4.2); None: as a browser says of each."""
    if "round-robin" in rewritings:
        return True
    return False if "equal-priorities" in rewritings else None


def _ports(exchanges: Sequence[Exchange]) -> dict[str, frozenset[int]]:
    """The ports by host that a browser is asked for over TLS."""
    found: dict[str, set[int]] = {}
    for one in exchanges:
        port = 443 if one.target.port == 80 else one.target.port
        found.setdefault(one.target.host, {443}).add(port)
    return {host: frozenset(ports) for host, ports in found.items()}


def _resource(replay: Replay, one: Exchange) -> Resource:
    path = replay.named(one.target.host, one.target.path)
    return Resource(path, _KINDS.get(one.kind, "other"), one.body_bytes)


def _notes(replay: Replay, chosen: Chosen, late: int, alike: int) -> dict[str, Any]:
    """What the manifest says of the replay."""
    notes: dict[str, Any] = {
        "page": f"https://{replay.page}{chosen.exchanges[0].target.path}",
        "hosts": {
            host.name: {
                "first_party": host.first_party,
                "highest_protocol": host.highest,
                "address": host.face + 1,
                **_delay(replay.faces[host.face].delay_ns),
            }
            for host in replay.hosts.values()
        },
        "statuses": dict(sorted(Counter(str(one.status) for one in chosen.exchanges).items())),
        "bodies_made_up": sum(one.made for one in chosen.exchanges),
        "after_the_load": late,
        "answered_alike": alike,
    }
    if chosen.left_out:
        notes["left_out"] = dict(chosen.left_out)
    if chosen.over_http:
        notes["recorded_over_http"] = chosen.over_http
    return notes


def _delay(delay_ns: int) -> dict[str, float]:
    """The extra round trip of a host that has one."""
    return {"delay_s": delay_ns / 1e9} if delay_ns else {}

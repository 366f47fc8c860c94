"""The hosts of a replayed site: which of them share an address, and over which protocols each is loaded."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pronghorn.sites.archive import Host as ArchiveHost

_RANKS = ("h1", "h2", "h3")


class Host(NamedTuple):
    """A host: its name, the highest protocol that it speaks, and the ports that recorded URLs name. `face` is
    its place among the addresses."""

    name: str
    first_party: bool
    highest: str
    face: int
    ports: frozenset[int]

    def speaks(self, asked: str) -> str:
        """The protocol over which it is loaded by an arm that asks for one: that, or the highest below it
        that the host speaks."""
        return min(asked, self.highest)


class Face(NamedTuple):
    """An address of the server's host with a certificate for all `names` there. HTTP/1.1 is always spoken.
    `delay_ns` is its extra round trip."""

    names: tuple[str, ...]
    h2: bool
    h3: bool
    delay_ns: int = 0


@dataclass(frozen=True)
class Replay:
    """What is to be known of a replayed site while it is measured. `page` is the name of its document's host;
    `root` holds what origins serve and the native client asks for. `images`: whether the page is loaded with
    its images."""

    page: str
    hosts: Mapping[str, Host]
    faces: tuple[Face, ...]
    root: Path
    images: bool = True

    def host_of(self, path: str) -> str:
        """The host of a resource by its path as records have it: whole URLs are other hosts'."""
        if not path.startswith(("https://", "http://")):
            return self.page
        try:
            return urlsplit(path).hostname or ""
        except ValueError:
            return ""

    def allowed(self, path: str, protocols: Collection[str]) -> frozenset[str]:
        """The protocols over which a resource may come in a load by an arm with `protocols`."""
        host = self.hosts.get(self.host_of(path))
        return frozenset(protocols if host is None else map(host.speaks, protocols))

    def named(self, host: str | None, path: str) -> str:
        """A request's path as records have it: with its host where that isn't the page's."""
        return path if host is None or host == self.page else f"https://{host}{path}"


def of(
    hosts: Mapping[str, ArchiveHost], asked: Mapping[str, frozenset[int]]
) -> tuple[tuple[Host, ...], tuple[Face, ...]]:
    """The hosts of an archive that are `asked` for, with the ports of their URLs, and their faces: hosts of a
    group share one, any other has its own. Those of HTTP/1.1 alone don't share one with the rest of their
    group, since a face offers the same protocols (ALPN) whichever of its names is asked for."""
    groups: dict[object, list[str]] = {}
    for name in asked:
        group, lowest = hosts[name].group, _highest(hosts[name]) == "h1"
        groups.setdefault((name if group is None else group, lowest), []).append(name)
    found: list[Host] = []
    faces: list[Face] = []
    for names in groups.values():
        here = [_host(name, hosts[name], len(faces), asked[name]) for name in names]
        highest = [host.highest for host in here]
        delay_ns = max(hosts[name].delay_ns for name in names)
        faces.append(Face(tuple(names), max(highest) >= "h2", "h3" in highest, delay_ns))
        found += here
    return tuple(found), tuple(faces)


def _host(name: str, host: ArchiveHost, face: int, ports: frozenset[int]) -> Host:
    return Host(name, host.first_party, _highest(host), face, ports)


def _highest(host: ArchiveHost) -> str:
    """A page's own hosts speak all protocols, for what they would do is the question; others what they were
    seen with or advertised, and h2 where nothing is known."""
    if host.first_party:
        return _RANKS[-1]
    return max(host.protocols, key=_RANKS.index, default="h2")

"""A mirrored folder as wget leaves it, with queries in its files' names, or a folder a host (`wget -H`)."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from pronghorn import __version__
from pronghorn.archiving import Body, Draft, Making, Source, Told, addresses
from pronghorn.errors import InputError
from pronghorn.importing.har.timing import written
from pronghorn.model.media_types import MEDIA_TYPES, OTHER
from pronghorn.sites import compression, folder, names, own_host

CODING = "br"
"""What texts get, as most hosts send them compressed and a mirror has them decoded."""

HOST = "site.example"
"""The host of a folder that doesn't say from where it was saved."""

_TYPES = {ending: kind for kind, endings in MEDIA_TYPES.items() for ending in endings}
_REWRITTEN = frozenset({"html", "htm", "css", "js", "mjs", "svg", "xml"})


def bring(source: Path, target: Path, *, page: str | None = None, keep_secrets: bool = False) -> Told:
    """Makes the archive `target` of the folder `source`. `page` is the page's URL; its `index.html`
    without it. InputError where the folder can't be read, or has no page."""
    try:
        files = folder.files(source)
    except ValueError as error:
        raise InputError(f"{error}.") from None
    hosts = _hosts(source)
    index = [root / names.INDEX for root in hosts if (root / names.INDEX).is_file()]
    if page is None and len(index) != 1:
        found = ", ".join(str(one) for one in index[:5]) or "none"
        raise InputError(
            f"{source}: it has to have one {names.INDEX}, the page; found: {found}.",
            hint="Name the page: --page URL",
        )
    by = f"pronghorn {__version__} (import of a folder)"
    first = page if page is not None else f"https://{hosts[index[0].parent]}/"
    described = Source(written(time.time()), by, first, timed=False)
    with Making(target, described, keep_secrets=keep_secrets) as making:
        for root, host in hosts.items():
            for file in files:
                if file.is_relative_to(root):
                    making.take(_draft(file, f"/{file.relative_to(root).as_posix()}", host, hosts, described))
        return making.finish()


def _hosts(source: Path) -> dict[Path, str]:
    """The folders that are hosts, with their names: the folder itself where it has a page, else those in
    it whose names are hosts'."""
    if (source / names.INDEX).is_file():
        return {source: _host_of(source)}
    inner = sorted(one for one in source.iterdir() if one.is_dir() and not one.is_symlink())
    return {one: one.name.lower() for one in inner if own_host.is_host(one.name)} or {
        source: _host_of(source)
    }


def _host_of(root: Path) -> str:
    try:
        content = (root / names.INDEX).read_bytes()[: 2**20]
    except OSError:
        content = b""
    found = own_host.detect(root.resolve().name, content)
    return found.host if found else HOST


def _draft(file: Path, path: str, host: str, hosts: dict[Path, str], source: Source) -> Draft:
    """A file as the response to the request that it answers."""
    ending = names.ending(path)
    headers = [("Content-Type", _TYPES.get(ending, OTHER))]
    content = file.read_bytes()
    if ending in _REWRITTEN and len(hosts) > 1:
        content, count = _with_hosts(content, set(hosts.values()))
        source.repaired["link to another host's folder"] += count
    if ending in compression.TEXTS and len(content) >= compression.LEAST_BYTES:
        headers.append(("Content-Encoding", CODING))
    url, *aliases = dict.fromkeys(_urls(path, host))
    return Draft(url, headers=headers, body=Body(content, decoded=True), aliases=tuple(aliases))


def _urls(path: str, host: str) -> Iterator[str]:
    """The URLs that a file answers, the one first that browsers ask for."""
    yield f"https://{host}{names.url(path)}"
    for target in names.targets(path):
        query = f"?{target.query}" if target.query is not None else ""
        if url := addresses.clean(f"https://{host}{quote(target.path)}{query}"):
            yield url


def _with_hosts(content: bytes, hosts: set[str]) -> tuple[bytes, int]:
    """A text whose links into other hosts' folders, as `wget --convert-links` writes them, are absolute
    again."""
    words = "|".join(re.escape(host) for host in sorted(hosts, key=len, reverse=True)).encode()
    return re.subn(rb"(?:\.\./)+(?=(?:" + words + rb")/)", b"https://", content)

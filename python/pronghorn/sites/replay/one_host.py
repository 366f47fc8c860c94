"""An archive with all that it can hold on the page's own host: what the page names elsewhere is named and
served there.

A host stays where it is if it answers one of the requests otherwise than the page's host or a host moved
before it. Names of hosts are replaced after `//` in texts and headers; integrity attributes and policies
(CSP) go, since they hold for the texts as they were."""

import hashlib
import re
from dataclasses import replace

from pronghorn.sites import codings
from pronghorn.sites.archive import Archive, Exchange
from pronghorn.sites.archive.site import Site

_TEXTS = frozenset({"document", "script", "style", "fetch"})
_POLICIES = frozenset({"content-security-policy", "content-security-policy-report-only"})
_INTEGRITY = re.compile(rb"""(?<=\sintegrity=)(?:"sha(?:256|384|512)-[^"]*"|'sha(?:256|384|512)-[^']*')""")
_CORS = "preflight"

_Answer = tuple[int, str | None]


def moved(archive: Archive) -> Archive:
    """The archive with its hosts moved. A preflight between hosts that are one now is asked for no longer."""
    page = archive.page.target.host
    hosts = _movable(archive, page)
    if not hosts:
        return archive
    change = _Renaming(archive, page, hosts)
    kept = [one for one in archive.exchanges if not (one.how == _CORS and one.target.host in hosts)]
    numbers = {one.id: number for number, one in enumerate(kept, 1)}
    initiators = {one.id: one.initiator for one in archive.exchanges}

    def number(asked_by: int | None) -> int | None:
        while asked_by is not None and asked_by not in numbers:
            asked_by = initiators[asked_by]
        return None if asked_by is None else numbers[asked_by]

    exchanges = tuple(
        change.exchange(one).model_copy(
            update={
                "id": numbers[one.id],
                "initiator": number(one.initiator),
                "document": number(one.document),
            }
        )
        for one in kept
    )
    left = {name: host for name, host in archive.site.hosts.items() if name not in hosts}
    site: Site = archive.site.model_copy(update={"hosts": left, "page": change.text(archive.site.page)})
    return replace(archive, site=site, exchanges=exchanges, rewritten={**archive.rewritten, **change.bodies})


def _movable(archive: Archive, page: str) -> frozenset[str]:
    """The hosts whose requests no other one, moved or the page's, answers otherwise."""
    by_host: dict[str, dict[tuple[str, str], _Answer]] = {}
    for one in archive.exchanges:
        if one.how != _CORS:
            asked = one.method, one.target.path
            by_host.setdefault(one.target.host, {}).setdefault(asked, (one.status, one.body))
    taken = dict(by_host.pop(page, {}))
    found: set[str] = set()
    for host, answers in by_host.items():
        if all(taken.get(asked, answer) == answer for asked, answer in answers.items()):
            taken.update(answers)
            found.add(host)
    return frozenset(found)


class _Renaming:
    """Names of `hosts` become the page's in URLs, headers and bodies; `bodies` are those that changed."""

    def __init__(self, archive: Archive, page: str, hosts: frozenset[str]) -> None:
        self.bodies: dict[str, bytes] = {}
        self._archive = archive
        self._known: dict[tuple[str, str, tuple[str, ...]], tuple[str, int]] = {}
        longest_first = sorted(map(re.escape, hosts), key=len, reverse=True)
        names = rf"(?<=//|\\/)(?:{'|'.join(longest_first)})(?::\d+)?(?![A-Za-z0-9.-])"
        port = archive.page.target.port
        self._page = page if port in (80, 443) else f"{page}:{port}"
        self._text = re.compile(names)
        self._bytes = re.compile(names.encode())

    def text(self, text: str) -> str:
        """A URL or a header's value."""
        return self._text.sub(self._page, text)

    def exchange(self, one: Exchange) -> Exchange:
        """A request with its response."""
        headers = tuple(
            (name, self.text(value)) for name, value in one.headers if name.lower() not in _POLICIES
        )
        digest, size = one.body, one.body_bytes
        if digest is not None and one.kind in _TEXTS:
            digest, size = self._body(one, digest)
        url = self.text(one.url)
        if url != one.url:
            url = re.sub(r"^http:", "https:", url)
        return one.model_copy(
            update={
                "url": url,
                "headers": headers,
                "hints": tuple((name, self.text(value)) for name, value in one.hints),
                "request_headers": tuple((name, self.text(value)) for name, value in one.request_headers),
                "body": digest,
                "body_bytes": size,
            }
        )

    def _body(self, one: Exchange, digest: str) -> tuple[str, int]:
        """The SHA-256 and size of a body with other names in it."""
        coding = tuple(codings.named(one.header("content-encoding")))
        key = digest, one.kind, coding
        if key not in self._known:
            self._known[key] = self._changed(one, digest, list(coding))
        return self._known[key]

    def _changed(self, one: Exchange, digest: str, coding: list[str]) -> tuple[str, int]:
        content = self._archive.body(digest)
        try:
            plain = codings.undone(content, coding)
        except codings.Undecodable:
            return digest, len(content)
        changed = self._bytes.sub(self._page.encode(), plain)
        if one.kind == "document":
            changed = _INTEGRITY.sub(b'""', changed)
        if changed == plain:
            return digest, len(content)
        coded = codings.applied(changed, coding)
        name = hashlib.sha256(coded).hexdigest()
        self.bodies[name] = coded
        return name, len(coded)

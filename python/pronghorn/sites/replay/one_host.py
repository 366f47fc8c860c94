"""A recorded page with all that it can hold on one host, that of its document: what it names elsewhere is
named and served there.

A host stays where it is if it answers a request otherwise than the document's host or a host moved before it.
The redirects that lead to the document stay, too."""

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urljoin

from pronghorn.errors import InputError
from pronghorn.sites import codings
from pronghorn.sites.archive import Archive, Exchange, limits
from pronghorn.sites.archive.exchange import target_of
from pronghorn.sites.replay.choice import REDIRECTS
from pronghorn.sites.replay.renaming import Renamed, Renaming

Store = Callable[[str, bytes], None]
"""Takes a body that the archive lacks, by its SHA-256."""

_TEXTS = ("text/", "json", "xml", "javascript", "ecmascript", "manifest")
"""In media types."""

_POLICIES = frozenset({"content-security-policy", "content-security-policy-report-only"})
_OF_ANSWERS = ("location", "content-type", "content-encoding")
"""Headers by which answers differ."""

_Asked = tuple[str, str, tuple[str, ...]]
_Answer = tuple[object, ...]


class Dropped(NamedTuple):
    """A request that is made no longer. `instead` is the id of the same one, made for another host."""

    instead: int | None = None


class Moving:
    """How `exchanges`, the page's first, are moved. `initiators` are the ids of what asked for each; `hosts`
    are those that move, `page` the document's, and `store` gets the bodies that change."""

    def __init__(
        self,
        archive: Archive,
        exchanges: Sequence[Exchange],
        initiators: Mapping[int, int | None],
        store: Store,
    ) -> None:
        hops, document = _document(exchanges, initiators)
        self.page = document.target.host
        self._hops = hops
        self._archive = archive
        self._store = store
        self.hosts = _movable([one for one in exchanges if one.id not in hops], self.page)
        self._renaming = Renaming(self.hosts, self.page)
        self._bodies: dict[tuple[str, tuple[str, ...], bool], tuple[str, int]] = {}
        self._documents: dict[int, Renamed] = {}
        self._made: dict[tuple[str, str, _Answer], tuple[int, str]] = {}

    def moved(self, one: Exchange, *, made: bool) -> Exchange | Dropped:
        """An exchange where it is then. Dropped are preflights, redirects to what is the same URL then, and
        requests that two hosts had alike; `made`: whether the native client makes this one. They have to be
        asked for in their order."""
        if one.id in self._hops:
            return one
        moves = one.target.host in self.hosts
        if moves and one.how == "preflight":
            return Dropped()
        found = self._rewritten(one)
        if _same(_location(found), found.url) and not _same(_location(one), one.url):
            return Dropped()
        if found.method == "GET" and made:
            key = found.url, found.kind, _answer(found)
            first, host = self._made.setdefault(key, (one.id, one.target.host))
            if first != one.id and host != one.target.host:
                return Dropped(first)
        return found

    def place(self, document: Exchange, end: int) -> int:
        """How many bytes of a document's text, rewritten, stand for the first `end` as recorded."""
        renamed = self._documents.get(document.id)
        return end if renamed is None else renamed.place(end)

    def _rewritten(self, one: Exchange) -> Exchange:
        url = self._renamed(one.url, limits.MOST_URL)
        if one.target.host in self.hosts:
            url = re.sub(r"^http:", "https:", url)
        digest, size = one.body, one.body_bytes
        if digest is not None and _is_text(one):
            digest, size = self._body(one, digest)
        return one.model_copy(
            update={
                "url": url,
                "headers": self._headers(one.headers),
                "hints": self._headers(one.hints),
                "request_headers": self._headers(one.request_headers),
                "body": digest,
                "body_bytes": size,
            }
        )

    def _headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple(
            (name, self._renamed(value, limits.MOST_HEADER))
            for name, value in headers
            if name.lower() not in _POLICIES
        )

    def _renamed(self, text: str, most: int) -> str:
        changed = self._renaming.text(text)
        if len(changed) > most:
            raise self._too_long("a URL or a header", most)
        return changed

    def _body(self, one: Exchange, digest: str) -> tuple[str, int]:
        """The SHA-256 and size of a body with other names in it."""
        coding = tuple(codings.named(one.header("content-encoding")))
        document = one.kind == "document"
        key = digest, coding, document
        if document or key not in self._bodies:
            self._bodies[key] = self._recoded(one, digest, list(coding))
        return self._bodies[key]

    def _recoded(self, one: Exchange, digest: str, coding: list[str]) -> tuple[str, int]:
        content = self._archive.body(digest)
        try:
            plain = codings.undone(content, coding)
        except codings.Undecodable:
            return digest, len(content)
        document = one.kind == "document"
        changed = self._renaming.content(plain, document=document, most=limits.MOST_BODY)
        if changed is None:
            raise self._too_long(one.url[:200], limits.MOST_BODY)
        if document:
            self._documents[one.id] = changed._replace(text=b"")
        if changed.text == plain:
            return digest, len(content)
        coded = codings.applied(changed.text, coding)
        name = hashlib.sha256(coded).hexdigest()
        self._store(name, coded)
        return name, len(coded)

    def _too_long(self, what: str, most: int) -> InputError:
        return InputError(
            f"{self._archive.folder}: with '+one-host' {what} would have more than {most} characters.",
            hint="Leave '+one-host' out.",
        )


def _document(
    exchanges: Sequence[Exchange], initiators: Mapping[int, int | None]
) -> tuple[frozenset[int], Exchange]:
    """The ids of the redirects that the load begins with, and what they lead to."""
    hops: set[int] = set()
    here = exchanges[0]
    for one in exchanges[1:]:
        if here.status in REDIRECTS and initiators[one.id] == here.id and one.how == "redirect":
            hops.add(here.id)
            here = one
    return frozenset(hops), here


def _movable(exchanges: Iterable[Exchange], page: str) -> frozenset[str]:
    """The hosts whose requests no other one, moved or the page's, answers otherwise. Requests are compared
    without the values of their parameters, which may vary from load to load."""
    by_host: dict[str, dict[_Asked, dict[_Answer, None]]] = {}
    led: list[tuple[str, _Asked, str]] = []
    for one in exchanges:
        if one.how == "preflight":
            continue
        asked = _asked(one)
        by_host.setdefault(one.target.host, {}).setdefault(asked, {})[_answer(one)] = None
        if (host := _led_to(one)) is not None:
            led.append((one.target.host, asked, host))
    # What redirects to the same path elsewhere is answered as that is.
    for own, asked, host in reversed(led):
        by_host[own][asked] = by_host.get(host, {}).get(asked, by_host[own][asked])
    taken = dict(by_host.pop(page, {}))
    found: set[str] = set()
    for host, answers in by_host.items():
        if all(list(taken.get(asked, here)) == list(here) for asked, here in answers.items()):
            taken.update(answers)
            found.add(host)
    return frozenset(found)


def _led_to(one: Exchange) -> str | None:
    """The host to which an exchange redirects for the same path; None where it doesn't."""
    location = _location(one)
    if location is not None:
        with contextlib.suppress(ValueError):
            target = target_of(location)
            if target.path == one.target.path and target.host != one.target.host:
                return target.host
    return None


def _location(one: Exchange) -> str | None:
    """The URL to which an exchange redirects, without a fragment; None where it doesn't."""
    location = one.header("location") if one.status in REDIRECTS else None
    if location:
        with contextlib.suppress(ValueError):
            return urljoin(one.url, location).partition("#")[0]
    return None


def _same(one: str | None, other: str) -> bool:
    """Whether two URLs lead to the same place over TLS."""
    if one is None:
        return False
    with contextlib.suppress(ValueError):
        first, second = (target_of(url) for url in (one, other))
        return (first.host, first.path) == (second.host, second.path)
    return False


def _asked(one: Exchange) -> _Asked:
    path, _, query = one.target.path.partition("?")
    names = sorted(parameter.partition("=")[0] for parameter in query.split("&"))
    return one.method, path, tuple(names)


def _answer(one: Exchange) -> _Answer:
    return one.status, one.body, *(one.header(name) for name in _OF_ANSWERS)


def _is_text(one: Exchange) -> bool:
    media_type = (one.header("content-type") or "").lower()
    return one.kind in ("document", "script", "style") or any(word in media_type for word in _TEXTS)


def kept(hosts: Mapping[str, object], moving: Moving) -> list[str]:
    """The hosts that stay, but for the document's."""
    return sorted(name for name in hosts if name not in moving.hosts and name != moving.page)

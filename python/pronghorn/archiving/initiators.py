"""Which request asked for which, where a source says so, and where it has to be found out."""

from collections.abc import Callable, Iterator, Sequence

from pronghorn.archiving import addresses, markup
from pronghorn.archiving.draft import Draft
from pronghorn.mirror import references
from pronghorn.sites.archive import How

MOST_TEXT = 4 * 2**20
"""Bytes of a document or a style sheet in which references are looked for."""

_OF_KIND: dict[str | None, How] = {"document": "parser", "style": "style", "script": "script"}


class Origins:
    """What asked for the drafts, which stand in the order of their start and have clean URLs. `text` gives a
    draft's body as text, empty where there is none.

    A place in the list is the answer, always an earlier one. In order: a redirect that leads there; what
    the source says; the Referer, which for what a style sheet asks for is the style sheet (Fetch §4.5); a
    document or a style sheet that names the URL; at last the page itself."""

    def __init__(self, drafts: Sequence[Draft], text: Callable[[int], str]) -> None:
        self._drafts = drafts
        self._text = text
        self._last: dict[str, int] = {}
        self._redirects: dict[str, int] = {}
        self._named: dict[str, tuple[int, How]] = {}
        self._page: int | None = None
        self._starts: list[int] = []
        self.found: list[tuple[int | None, How]] = []
        # Documents are parsed only where a source leaves a request's initiator open.
        self._parse = any(one.initiator is None and place for place, one in enumerate(drafts))
        for place in range(len(drafts)):
            self.found.append(self._of(place))
            self._starts.append(self._start(place))
            self._enter(place)

    def frame(self, place: int) -> int | None:
        """The document within which a draft was asked for; None for the page's own."""
        place = self._starts[place]
        told, at = self._drafts[place].frame, self.found[place][0]
        if told is not None:
            at = next((one for one in range(place) if self._is_document(one, told)), at)
        while at is not None and self._drafts[at].kind != "document":
            at = self.found[at][0]
        return None if at is None or self._is_of_page(at) else at

    def _start(self, place: int) -> int:
        """The first of the redirects that led to a draft; the draft itself where none did."""
        initiator, how = self.found[place]
        return self._starts[initiator] if how == "redirect" and initiator is not None else place

    def _is_document(self, place: int, url: str) -> bool:
        return self._drafts[place].kind == "document" and self._drafts[place].url == url

    def _is_of_page(self, place: int) -> bool:
        """Whether a document is the page, or a redirect that led to it."""
        return self._page is None or place <= self._page

    def _of(self, place: int) -> tuple[int | None, How]:
        draft = self._drafts[place]
        if place == 0:
            return None, "other"
        redirect = self._redirects.pop(draft.url, None)
        if redirect is not None:
            return redirect, "redirect"
        how = draft.how
        if draft.method == "OPTIONS" and draft.request_header("access-control-request-method"):
            how = "preflight"
        at = self._last.get(draft.initiator) if draft.initiator is not None else None
        if at is not None:
            return at, how or _OF_KIND.get(self._drafts[at].kind, "other")
        referrer = draft.request_header("referer")
        at = self._last.get(addresses.clean(referrer) or "") if referrer else None
        if at is not None and self._drafts[at].kind == "style":
            return at, how or "style"
        if (named := self._named.get(draft.url)) is not None:
            return named[0], how or named[1]
        if at is not None:
            return at, how or ("script" if self._parse and self._drafts[at].kind == "document" else "other")
        return self._page, how or "other"

    def _enter(self, place: int) -> None:
        draft = self._drafts[place]
        self._last[draft.url] = place
        if url := draft.redirects_to:
            self._redirects[url] = place
            return
        if self._page is None and draft.kind == "document":
            self._page = place
        if self._parse and draft.kind in ("document", "style"):
            self._parsed(place)

    def _parsed(self, place: int) -> None:
        draft = self._drafts[place]
        for url in named_in(draft, self._text(place)):
            self._named.setdefault(url, (place, _OF_KIND[draft.kind]))


def named_in(draft: Draft, text: str) -> Iterator[str]:
    """The clean URLs that a document or a style sheet names, in the order in which it does."""
    text, base = text[:MOST_TEXT], draft.url
    if draft.kind == "document":
        told, names = markup.references(text)
        base = (addresses.joined(base, told) if told else None) or base
    else:
        names = references.in_style(text)
    for name in names:
        if url := addresses.joined(base, name):
            yield url

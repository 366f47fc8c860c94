"""What a page names, and what that names: the requests of its load, where a source has no times."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from pronghorn.archiving import addresses
from pronghorn.archiving.draft import Draft
from pronghorn.archiving.initiators import named_in

_Key = tuple[str, str | None]


def reached(drafts: Sequence[Draft], page: int, text: Callable[[int], str]) -> list[int]:
    """The places of the drafts that the page loads, the nearest first, each after what names it: by
    redirects, documents and style sheets, and by their Referer. Of a URL that comes several times the
    first counts. `text` gives a draft's body. A draft with `aliases` gets the URL by which it was named."""
    by_url: dict[_Key, int] = {}
    for place, one in enumerate(drafts):
        for url in (one.url, *one.aliases):
            by_url.setdefault(_key(url), place)
    by_url[_key(drafts[page].url)] = page
    referred: dict[str, list[int]] = {}
    for place, one in enumerate(drafts):
        referrer = addresses.clean(one.request_header("referer") or "")
        if referrer and one.kind != "document":
            referred.setdefault(referrer, []).append(place)
    found, ahead = [page], deque([page])
    known = {page}
    while ahead:
        at = ahead.popleft()
        for url in _asks(drafts[at], lambda at=at: text(at)):  # type: ignore[misc]
            named = by_url.get(_key(url))
            if named is not None and named not in known:
                drafts[named].url = url
                known.add(named)
                found.append(named)
                ahead.append(named)
        for place in referred.get(drafts[at].url, ()):
            if place not in known and by_url.get(_key(drafts[place].url)) == place:
                known.add(place)
                found.append(place)
                ahead.append(place)
    return found


def _key(url: str) -> _Key:
    """A URL whatever way its path is percent-encoded: `wget --convert-links` writes `a.css%3Fv=2`."""
    path, mark, query = url.partition("?")
    return unquote(path), query if mark else None


def _asks(draft: Draft, text: Callable[[], str]) -> Iterator[str]:
    if url := draft.redirects_to:
        yield url
    elif draft.kind in ("document", "style"):
        yield from named_in(draft, text())

"""Which requests an archive takes over, and the words by which the others are counted."""

import re
from collections import Counter
from collections.abc import Sequence

from pronghorn.archiving import addresses
from pronghorn.archiving.draft import Draft, Source
from pronghorn.errors import InputError

SOCKET, STREAM, FAILED, SCHEME, TUNNEL, METHOD, CACHED = (
    "WebSocket",
    "event stream",
    "failed or aborted",
    "not http or https",
    "proxy tunnel",
    "method that is none",
    "answered by the browser's cache",
)

_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}")
_NO_BODY = (204, 205, 304)
_KINDS = (
    ("text/html", "document"),
    ("application/xhtml+xml", "document"),
    ("text/css", "style"),
    ("image/", "image"),
    ("font/", "font"),
    ("audio/", "media"),
    ("video/", "media"),
)


def left_out(draft: Draft) -> str | None:
    """Why a draft can't be taken over, whatever the others are; None where it can. Its URL is as its source
    has it."""
    scheme = draft.url.strip().partition(":")[0].lower()
    if scheme in ("ws", "wss") or draft.status == 101:
        return SOCKET
    if draft.failed:
        return draft.failed
    if draft.method == "CONNECT":
        return TUNNEL
    if _METHOD.fullmatch(draft.method) is None:
        return METHOD
    if scheme not in ("http", "https"):
        return SCHEME
    if draft.media_type == "text/event-stream":
        return STREAM
    return FAILED if not 200 <= draft.status <= 999 else None


def without_cached(drafts: Sequence[Draft], source: Source) -> list[Draft]:
    """The drafts without those that the browser's cache answered, unless nothing else has their response; and
    revalidated ones as they are when a cache is empty."""
    travelled = {one.url for one in drafts if not one.from_cache and one.status != 304}
    kept: list[Draft] = []
    for one in drafts:
        revalidated = one.status == 304 and one.method == "GET" and not source.cold
        if (one.from_cache or revalidated) and one.url in travelled:
            source.left_out[CACHED] += 1
            continue
        has_body = one.body.content or one.body.decoded_bytes or one.body.coded_bytes
        if one.from_cache or (revalidated and has_body):
            source.repaired["response taken from the browser's cache"] += 1
            one.status = 200 if revalidated else one.status
            travelled.add(one.url)
        kept.append(one)
    return kept


def page_of(drafts: Sequence[Draft], source: Source) -> int:
    """The place of the request that the page's load begins with. InputError where there is none."""
    if source.page is not None:
        wanted = addresses.clean(source.page)
        for place, one in enumerate(drafts):
            if one.url == wanted and one.method == "GET":
                return place
        raise InputError(
            f"no request for the page {source.page[:200]!a}.",
            hint="Name a page that was loaded: --page URL",
        )
    documents = [
        place
        for place, one in enumerate(drafts)
        if one.kind == "document" and one.method == "GET" and not one.redirects
    ]
    if not documents:
        raise InputError("no request is for a page.", hint="Name the URL that stands for it: --page URL")
    # A frame's document has a Referer, and a proxy's file may begin with the frame of an advertisement.
    typed = (place for place in documents if not drafts[place].request_header("referer"))
    return _before_redirects(drafts, next(typed, documents[0]))


def kind_by_headers(draft: Draft) -> str:
    """What a response is, by Sec-Fetch-Dest and its media type, where the source has no word for it."""
    dest = (draft.request_header("sec-fetch-dest") or "").lower()
    if dest in _DESTINATIONS:
        return _DESTINATIONS[dest]
    media_type = draft.media_type
    if "javascript" in media_type or "ecmascript" in media_type:
        return "script"
    if "font" in media_type:
        return "font"
    found = next((kind for start, kind in _KINDS if media_type.startswith(start)), None)
    if found is None and (media_type.endswith("json") or draft.method not in ("GET", "HEAD")):
        return "fetch"
    return found or "other"


_DESTINATIONS = {
    "document": "document",
    "iframe": "document",
    "frame": "document",
    "script": "script",
    "worker": "script",
    "style": "style",
    "image": "image",
    "font": "font",
    "audio": "media",
    "video": "media",
    "track": "media",
    "empty": "fetch",
}


def has_no_body(draft: Draft) -> bool:
    """Whether a response has no body, whatever is said of its size (RFC 9110 §6.4.1)."""
    return draft.method == "HEAD" or draft.status in _NO_BODY


def counted(counts: Counter[str]) -> dict[str, int]:
    """Counts as an archive keeps them, by word."""
    return {word: count for word, count in sorted(counts.items()) if count}


def _before_redirects(drafts: Sequence[Draft], place: int) -> int:
    """The place of the request whose redirects led to the one at `place`."""
    led: dict[str, int] = {}
    for at, one in enumerate(drafts[:place]):
        if url := one.redirects_to:
            led.setdefault(url, at)
    while (before := led.get(drafts[place].url, place)) < place:
        place = before
    return place

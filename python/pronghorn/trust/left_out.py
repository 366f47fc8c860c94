"""What a client names as left out of its load, as an origin's log has it."""

from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from pronghorn.model.trial import LeftOut, PageLoad
from pronghorn.sites.hosts import Replay


def sockets(page: PageLoad, replay: Replay | None) -> set[str]:
    """The paths, with their queries, of the WebSockets that a client names: browsers open them over HTTP/1.1
    whatever they speak otherwise (RFC 6455 §4.1). They are not measured."""
    return set(_paths((one for one in page.left_out if one.why == "socket"), replay))


def recordable(page: PageLoad, replay: Replay | None) -> set[str]:
    """The same of what an archive could hold: everything else but event streams."""
    return set(_paths((one for one in page.left_out if one.why not in ("socket", "stream")), replay))


def _paths(left_out: Iterator[LeftOut], replay: Replay | None) -> Iterator[str]:
    for url in (one.url for one in left_out):
        # One's own client may name what is no URL.
        with suppress(ValueError):
            parts = urlsplit(url)
            path = "".join((parts.path or "/", *url.partition("?")[1:]))
            yield path if replay is None else replay.named(parts.hostname, path)

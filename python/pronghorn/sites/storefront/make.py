"""The archive: the items with their times, as an archive's requests."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pronghorn.sites import codings
from pronghorn.sites.archive import Device, Exchange, Site, Writer
from pronghorn.sites.storefront.hosts import HOSTS, WWW
from pronghorn.sites.storefront.item import Item
from pronghorn.sites.storefront.items import items
from pronghorn.sites.storefront.times import Timed, protocol, timed

RECORDED = datetime(2026, 11, 26, 14, tzinfo=UTC)
DEVICE = Device(width=1366, height=768)

_AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)
_VISITOR = "visitor=1; consent=none; store=12"
_ACCEPTED = {
    "document": "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "style": "text/css,*/*;q=0.1",
    "image": "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
}
_DESTINATIONS = {
    "document": "document",
    "style": "style",
    "script": "script",
    "image": "image",
    "font": "font",
}


def make(folder: Path) -> None:
    """Writes the archive into `folder`, a new one. InputError where it is there already, HostError where it
    can't be written. Brotli's and zlib's versions decide about the bytes of compressed bodies, and nothing
    else does."""
    load = timed(items())
    with Writer(folder) as writer:
        exchanges = list(_exchanges(writer, load.timed))
        site = Site(
            recorded=RECORDED.strftime("%Y-%m-%dT%H:%M:%SZ"),
            by="pronghorn.sites.storefront, times by rule",
            page=f"{WWW}/",
            load_s=round(load.load_s, 6),
            device=DEVICE,
            hosts=dict(HOSTS),
        )
        writer.finish(site, exchanges)


def _exchanges(writer: Writer, load: Sequence[Timed]) -> Iterator[Exchange]:
    numbers = {one.item: number for number, one in enumerate(load, 1)}
    for one in load:
        item = one.item
        body = codings.applied(item.content, [item.coding] if item.coding else [])
        yield Exchange(
            id=numbers[item],
            url=item.url,
            method=item.method,
            status=item.status,
            headers=tuple(_answered(one, len(body))),
            body=writer.body(body),
            body_bytes=len(body),
            kind=item.kind,
            initiator=None if item.by is None else numbers[item.by],
            how=item.how,
            document=None if item.document is None else numbers[item.document],
            start_s=round(one.start_s, 6),
            blocked_s=round(one.blocked_s, 6),
            wait_s=round(one.wait_s, 6),
            receive_s=round(one.receive_s, 6),
            priority=item.priority,
            protocol="h2" if protocol(item) == "h2" else "h1",
            request_headers=tuple(_asked(item)),
            request_body=writer.body(item.posted),
            request_bytes=len(item.posted),
        )


def _answered(one: Timed, size: int) -> Iterator[tuple[str, str]]:
    """The headers of an answer, as delivery networks and applications send them."""
    item = one.item
    moment = RECORDED + timedelta(seconds=one.first_byte_s)
    yield "date", moment.strftime("%a, %d %b %Y %H:%M:%S GMT")
    if item.media_type:
        yield "content-type", item.media_type
    if item.coding:
        yield "content-encoding", item.coding
        yield "vary", "accept-encoding"
    if item.status != 204:
        yield "content-length", str(size)
    if "cache-control" not in dict(item.answer_headers):
        long = item.kind not in ("document", "fetch")
        yield "cache-control", "public, max-age=31536000, immutable" if long else "private, max-age=0"
    if item.credentials is not None:
        yield "access-control-allow-origin", WWW if item.credentials else "*"
    if item.credentials:
        yield "access-control-allow-credentials", "true"
    yield "timing-allow-origin", "*"
    yield "x-content-type-options", "nosniff"
    yield from item.answer_headers


def _asked(item: Item) -> Iterator[tuple[str, str]]:
    """The headers of a request, as Chromium sends them."""
    yield "Accept", _ACCEPTED.get(item.kind, "*/*")
    yield "Accept-Encoding", "gzip, deflate, br, zstd"
    yield "Accept-Language", "en-US,en;q=0.9"
    if item.by is not None:
        yield "Referer", (item.document.url if item.document else f"{WWW}/")
    if item.credentials is not None or item.method != "GET":
        yield "Origin", WWW
    if item.target.host.endswith("shop.example") and item.credentials is not False:
        yield "Cookie", _VISITOR
    yield "Sec-Fetch-Dest", _DESTINATIONS.get(item.kind, "empty")
    yield (
        "Sec-Fetch-Mode",
        "navigate" if item.kind == "document" else "no-cors" if item.credentials is None else "cors",
    )
    yield "Sec-Fetch-Site", _site(item)
    yield "User-Agent", _AGENT
    yield from item.request_headers


def _site(item: Item) -> str:
    if item.by is None:
        return "none"
    if item.url.startswith(WWW):
        return "same-origin"
    return "same-site" if HOSTS[item.target.host].first_party else "cross-site"

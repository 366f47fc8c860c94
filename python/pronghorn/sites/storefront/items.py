"""All requests of the load, in no order."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from pronghorn.sites import woff
from pronghorn.sites.storefront import calls, page, pictures, scripts, styles
from pronghorn.sites.storefront.hosts import ADS, FONTS, STATIC, TAGS, WIDGET, WWW
from pronghorn.sites.storefront.item import Item, Pairs, Upon
from pronghorn.sites.storefront.pictures import Picture
from pronghorn.sites.storefront.texts import KB, STREAM

HTML, CSS, SCRIPT, JSON = "text/html; charset=utf-8", "text/css", "text/javascript", "application/json"
PNG, SVG, GIF, WOFF = "image/png", "image/svg+xml", "image/gif", "font/woff"

NO_STORE: Pairs = (("cache-control", "no-store"),)

_FONT_BYTES = (34 * KB, 35 * KB, 28 * KB, 16 * KB)
_CHUNK_BYTES = {"ui": 34 * KB, "state": 16 * KB, "search": 22 * KB, "cart": 14 * KB, "gallery": 26 * KB,
                "reviews": 18 * KB}  # fmt: skip


def items() -> Sequence[Item]:
    """Every request, its initiator before it; the page is the first."""
    document = Item(
        f"{WWW}/", "document", HTML, page.page(), how="other", think_s=0.12, coding="br", priority="VeryHigh",
        answer_headers=(("link", f"<{STATIC}/css/base.css>; rel=preload; as=style"), *NO_STORE),
    )  # fmt: skip
    of_page = (_styles, _scripts, _shown, _third_parties, _frames)
    return [document, *chain.from_iterable(part(document) for part in of_page)]


def _styles(document: Item) -> Iterator[Item]:
    def sheet(name: str, content: bytes, priority: str = "VeryHigh", upon: Upon = "named") -> Item:
        return Item(
            f"{STATIC}/css/{name}.css", "style", CSS, content, document, upon=upon, coding="br",
            priority=priority, how="preload" if upon == "head" else "parser",
        )  # fmt: skip

    base = sheet("base", styles.base(), upon="head")
    yield base
    yield Item(
        f"{STATIC}/css/theme.css", "style", CSS, styles.theme(), base, "style", "end", coding="br",
        priority="VeryHigh",
    )  # fmt: skip
    catalogue = sheet("catalogue", styles.catalogue())
    yield catalogue
    yield sheet("print", styles.for_print(), "VeryLow")
    for one in pictures.BACKGROUNDS[:2]:
        yield _picture(one, catalogue, how="style", upon="end", compute_s=0.02)
    yield _picture(pictures.BACKGROUNDS[2], document)
    named = Item(
        f"{FONTS}/fonts.css", "style", CSS, styles.fonts(), document, coding="br", priority="VeryHigh"
    )
    yield named
    for family, size in zip(styles.FAMILIES, _FONT_BYTES, strict=True):
        early = family in styles.PRELOADED
        yield Item(
            styles.font(family), "font", WOFF, woff.font(STREAM, family, size), document if early else named,
            "preload" if early else "style", "named" if early else "end", 0.0 if early else 0.02,
            priority="High" if early else "VeryHigh", credentials=False,
        )  # fmt: skip


def _scripts(document: Item) -> Iterator[Item]:
    def script(name: str, content: bytes, priority: str = "Low", *, deferred: bool = False) -> Item:
        return Item(
            f"{STATIC}/js/{name}.js", "script", SCRIPT, content, document, coding="br", priority=priority,
            deferred=deferred, credentials=False if name == "app" else None,
        )  # fmt: skip

    def chunk(name: str, by: Item, upon: Upon, compute_s: float = 0.0) -> Item:
        return Item(
            scripts.chunk_url(name), "script", SCRIPT, scripts.chunk(name, _CHUNK_BYTES[name]), by,
            "preload" if upon == "named" else "script", upon, compute_s, coding="br", credentials=False,
            deferred=name in scripts.CHUNKS, priority="High",
        )  # fmt: skip

    runtime = script("runtime", scripts.runtime(), "High")
    yield runtime
    for name, size, _ in scripts.DEFERRED:
        yield script(name, scripts.deferred(name, size), deferred=True)
    app = script("app", scripts.app(), "High", deferred=True)
    yield app
    for name in scripts.CHUNKS[:3]:
        made = chunk(name, document, "named")
        yield made
        if name == "state":
            yield chunk("cart", made, "end", 0.001)
    for name in scripts.LATE_CHUNKS:
        yield chunk(name, app, "deferred", _run_s())
    yield from _data(runtime, app)


def _data(runtime: Item, app: Item) -> Iterator[Item]:
    def data(
        url: str, content: bytes, by: Item, upon: Upon, compute_s: float, think_s: float, **more: Any
    ) -> Item:
        return Item(
            url, "fetch", JSON, content, by, "script", upon, compute_s, think_s, "br", priority="High",
            **{"credentials": False, **more},
        )  # fmt: skip

    early_s = scripts.BUSY_MS["runtime"] / 1000
    recommended = data(
        f"{calls.RECOMMENDATIONS}1795708800000", calls.recommendations(), runtime, "end", early_s, 0.045
    )
    yield recommended
    yield data(calls.SESSION, calls.session(), runtime, "end", early_s, 0.03, credentials=True)
    for one in pictures.RECOMMENDED:
        yield _picture(one, app, how="script", upon="deferred", compute_s=_run_s() + 0.002)
    yield data(calls.STOCK, calls.stock(), app, "deferred", _run_s(), 0.06)
    preflight = Item(
        calls.PRICES, "fetch", by=app, how="preflight", upon="deferred", compute_s=_run_s(), think_s=0.002,
        method="OPTIONS", status=204, priority="High", credentials=False,
        request_headers=(
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type,x-currency"),
        ),
        answer_headers=(
            ("access-control-allow-methods", "GET, POST"),
            ("access-control-allow-headers", "content-type, x-currency"),
        ),
    )  # fmt: skip
    yield preflight
    yield data(
        calls.PRICES, calls.prices(), preflight, "end", 0.0, 0.07, method="POST",
        posted=calls.ASKED_PRICES.encode(),
        request_headers=(("Content-Type", JSON), ("X-Currency", calls.CURRENCY)),
    )  # fmt: skip


def _shown(document: Item) -> Iterator[Item]:
    yield Item(
        f"{STATIC}/logo.svg", "image", SVG, pictures.svg("logo", 60).encode(), document, coding="br",
        priority="Medium",
    )  # fmt: skip
    yield Item(
        f"{WWW}/icons.svg", "image", SVG, pictures.sprite(page.ICONS).encode(), document, coding="br",
        priority="High",
    )  # fmt: skip
    yield _picture(pictures.HERO, document, how="preload", priority="High", think_s=0.012)
    for place, one in enumerate((*pictures.BANNERS, *pictures.CATEGORIES, *pictures.PRODUCTS)):
        yield _picture(one, document, priority="Medium" if place < 5 else "Low")
    for one in pictures.STORIES:
        yield _picture(one, document, upon="scroll")


def _third_parties(document: Item) -> Iterator[Item]:
    tag = Item(f"{TAGS}/tag.js", "script", SCRIPT, scripts.tag(), document, coding="br", think_s=0.006)
    yield tag
    run_s = scripts.BUSY_MS["tag"] / 1000
    yield Item(
        f"{TAGS}/config.json?id=shop", "fetch", JSON, calls.settings(), tag, "script", "end", run_s, 0.008,
        "br", priority="High", credentials=False,
    )  # fmt: skip
    analytics = Item(
        f"{TAGS}/analytics.js", "script", SCRIPT, scripts.analytics(), tag, "script", "end", run_s, 0.006,
        "br",
    )  # fmt: skip
    yield analytics
    yield _beacon(
        f"{TAGS}/collect?v=2&id=shop&en=view&_=1795708800600", calls.VIEW, analytics, "end",
        scripts.BUSY_MS["analytics"] / 1000,
    )  # fmt: skip
    yield _beacon(calls.VITALS, calls.MEASURED, analytics, "load", 0.001)
    yield _beacon(
        f"{TAGS}/collect?v=2&id=shop&en=load&_=1795708801900", calls.LOADED, analytics, "load", 0.001
    )
    consent = Item(
        f"{ADS}/consent.js", "script", SCRIPT, scripts.consent(), document, coding="gzip", think_s=0.01
    )
    yield consent
    yield Item(
        f"{ADS}/consent.json?site=shop", "fetch", JSON, calls.choices(), consent, "script", "end",
        scripts.BUSY_MS["consent"] / 1000, 0.02, "gzip", priority="High", credentials=False,
    )  # fmt: skip
    moved = f"{TAGS}/p.gif?site=shop&page=home"
    pixel = Item(
        page.PIXEL, "image", by=document, think_s=0.015, status=302,
        answer_headers=(("location", moved), *NO_STORE),
    )  # fmt: skip
    yield pixel
    yield Item(moved, "image", GIF, pictures.GIF, pixel, "redirect", "head", answer_headers=NO_STORE)


def _frames(document: Item) -> Iterator[Item]:
    yield Item(f"{WIDGET}/sdk.js", "script", SCRIPT, scripts.sdk(), document, coding="br", think_s=0.008)
    pay = Item(
        page.PAY, "document", HTML, page.pay(), document, think_s=0.03, coding="br", priority="VeryHigh"
    )
    yield pay
    yield Item(
        f"{WIDGET}/frame.css", "style", CSS, styles.frame(), pay, coding="br", priority="VeryHigh",
        document=pay,
    )  # fmt: skip
    script = Item(
        f"{WIDGET}/frame.js", "script", SCRIPT, scripts.frame(), pay, coding="br", priority="Medium",
        document=pay,
    )  # fmt: skip
    yield script
    run_s = scripts.BUSY_MS["frame"] / 1000
    yield Item(
        f"{WIDGET}/methods.json", "fetch", JSON, calls.methods(), script, "script", "end", run_s, 0.03, "br",
        priority="High", document=pay,
    )  # fmt: skip
    for name in calls.METHODS:
        yield Item(
            f"{WIDGET}/m/{name}.svg", "image", SVG, pictures.svg(name, 40).encode(), script, "script", "end",
            run_s, coding="br", document=pay,
        )  # fmt: skip
    ad = Item(
        page.AD, "document", HTML, page.ad(), document, think_s=0.015, coding="gzip", priority="VeryHigh",
        answer_headers=NO_STORE,
    )  # fmt: skip
    yield ad
    for one in pictures.CREATIVES:
        yield Item(page.creative(one), "image", PNG, one.content, ad, priority="Medium", document=ad)


def _picture(one: Picture, by: Item, **more: Any) -> Item:
    return Item(one.url, "image", PNG, one.content, by, **{"think_s": 0.006, **more})


def _beacon(url: str, posted: str, by: Item, upon: Upon, compute_s: float) -> Item:
    return Item(
        url, "fetch", by=by, how="script", upon=upon, compute_s=compute_s, method="POST", status=204,
        posted=posted.encode(), answer_headers=NO_STORE,
        request_headers=(("Content-Type", "text/plain;charset=UTF-8"),),
    )  # fmt: skip


def _run_s() -> float:
    """What the deferred scripts and modules compute before the shop's own asks for something."""
    names = [name for name, _, _ in scripts.DEFERRED] + [*scripts.CHUNKS, "app"]
    return sum(scripts.BUSY_MS[name] for name in names) / 1000

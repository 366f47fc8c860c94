"""The shop's page and the two frames within it."""

import html
from collections.abc import Iterable

from pronghorn.sites.storefront import scripts, styles
from pronghorn.sites.storefront.hosts import ADS, API, FONTS, IMAGES, STATIC, TAGS, WIDGET
from pronghorn.sites.storefront.pictures import (
    BACKGROUNDS,
    BANNERS,
    CATEGORIES,
    CREATIVES,
    HERO,
    PRODUCTS,
    STORIES,
    Picture,
    sized,
)  # fmt: skip
from pronghorn.sites.storefront.texts import KB, filled, text, words

PAGE_BYTES = 34 * KB
"""The page's bytes as sent."""

LAZY = PRODUCTS[6:12]
"""Products below the first screen, whose pictures load before they are seen."""

ICONS = ("search", "heart", "basket", "person", "menu", "close", "left", "right")

PIXEL = f"{ADS}/pixel?site=shop&page=home"
AD = f"{ADS}/frame.html?slot=1"
PAY = f"{WIDGET}/frame.html?shop=12"


def page() -> bytes:
    """The document. The pictures of `STORIES` stand so far below that they load when one scrolls."""
    head = "\n".join(_head())
    body = "\n".join(_body())
    return filled("page", f"{head}\n{body}\n<template><p>", "</p></template></body></html>\n", PAGE_BYTES)


def pay() -> bytes:
    """The frame of the widget that takes payments."""
    head = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Pay</title>'
        '<link rel="stylesheet" href="/frame.css"><div class="methods"></div>'
        '<script src="/frame.js"></script><template><p>'
    )
    return filled("pay", head, "</p></template>\n", 4 * KB)


def ad() -> bytes:
    """The frame of an advertisement."""
    shown = "".join(f'<img src="{creative(one)}" width="150" height="90" alt="">' for one in CREATIVES)
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Ad</title>{shown}<template><p>'
    return filled("ad", head, "</p></template>\n", 3 * KB, "gzip")


def creative(picture: Picture) -> str:
    """Where a picture of the advertisement is."""
    return f"{ADS}/c/{picture.name}.png"


def _head() -> Iterable[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width,initial-scale=1">'
    yield '<title>Storefront</title><link rel="icon" href="data:,">'
    yield f'<link rel="preconnect" href="{STATIC}"><link rel="preconnect" href="{IMAGES}">'
    yield f'<link rel="preconnect" href="{API}" crossorigin><link rel="preconnect" href="{FONTS}">'
    yield f'<link rel="preconnect" href="{FONTS}" crossorigin><link rel="dns-prefetch" href="{TAGS}">'
    yield f'<link rel="stylesheet" href="{STATIC}/css/base.css">'
    yield f'<link rel="stylesheet" href="{FONTS}/fonts.css">'
    yield (
        f'<link rel="preload" as="image" imagesrcset="{_widths(HERO, 683, 1366, 2732)}" '
        'imagesizes="100vw" fetchpriority="high">'
    )
    for family in styles.PRELOADED:
        yield f'<link rel="preload" as="font" type="font/woff" href="{styles.font(family)}" crossorigin>'
    yield f'<script src="{STATIC}/js/runtime.js"></script>'
    yield f'<link rel="stylesheet" href="{STATIC}/css/catalogue.css">'
    yield f'<link rel="stylesheet" href="{STATIC}/css/print.css" media="print">'
    for name in scripts.CHUNKS[:3]:
        yield f'<link rel="modulepreload" href="{scripts.chunk_url(name)}">'
    for name, _, _ in scripts.DEFERRED:
        yield f'<script src="{STATIC}/js/{name}.js" defer></script>'
    yield f'<script type="module" src="{STATIC}/js/app.js"></script>'
    yield f'<script nomodule src="{STATIC}/js/legacy.js"></script>'
    yield f'<script src="{TAGS}/tag.js" async></script><script src="{ADS}/consent.js" async></script>'
    yield "<style>.bar{position:sticky;top:0;display:flex;gap:12px;align-items:center}</style></head>"


def _body() -> Iterable[str]:
    yield f'<body><header class="bar"><img src="{STATIC}/logo.svg" width="140" height="40" alt="Storefront">'
    yield "".join(f'<svg class="icon"><use href="/icons.svg#{name}"/></svg>' for name in ICONS)
    yield "<nav>" + "".join(f'<a href="/c/{one.name}">{_title(one)}</a>' for one in CATEGORIES) + "</nav>"
    yield f'</header><main><section class="hero"><h1>{words("headline", 6)}</h1>'
    yield (
        f'<img src="{_at(HERO)}" srcset="{_widths(HERO, 683, 1366, 2732)}" sizes="100vw" width="1366" '
        'height="400" alt="" fetchpriority="high"></section><section class="row">'
    )
    for one in BANNERS:
        yield (
            f'<picture><source media="(max-width: 600px)" srcset="{html.escape(sized(one.name, 320))}">'
            f'<img src="{_at(one)}" width="640" height="240" alt=""></picture>'
        )
    yield '</section><section class="row band-1">'
    for one in CATEGORIES:
        shown = f'<img src="{_at(one)}" width="160" height="100" alt="">'
        yield f'<a href="/c/{one.name}">{shown}{_title(one)}</a>'
    yield '</section><h2>New</h2><section class="row">'
    for one in PRODUCTS:
        yield _card(one)
    yield f'</section><section style="background-image:url({_at(BACKGROUNDS[2])})"><p>{words("news", 40)}</p>'
    yield '</section><section id="recommended" class="row band-2"></section>'
    yield f'<script src="{WIDGET}/sdk.js" async></script><iframe src="{PAY}" title="Pay"></iframe>'
    yield f'<iframe src="{AD}" title="Advertisement"></iframe><div class="spacer"></div>'
    for one in STORIES:
        told = text(f"{one.name} text", 3000)
        yield f"<article><h2>{_title(one)}</h2><p>{told}</p>{_lazy(one)}</article>"
    yield f"</main><footer><p>{words('footer', 60)}</p>"
    yield f'<img src="{html.escape(PIXEL)}" width="1" height="1" alt="">'
    yield "</footer>"


def _card(one: Picture) -> str:
    shown = (
        f'<img src="{_at(one)}" srcset="{_widths(one, 240, 480)}" sizes="240px" width="240" height="240" '
        f'alt=""{" loading=lazy" if one in LAZY else ""}>'
    )
    return (
        f'<article class="card"><a href="/p/{one.name}">{shown}<b>{_title(one)}</b></a>'
        f'<p>{text(f"{one.name} text", 120)}</p><span class="price">{len(one.content) / 100:.2f}</span>'
        f'<button data-id="{one.name}">Add</button></article>'
    )


def _lazy(one: Picture) -> str:
    return f'<img src="{_at(one)}" width="320" height="200" alt="" loading="lazy">'


def _widths(one: Picture, *widths: int) -> str:
    return ", ".join(f"{html.escape(sized(one.name, width))} {width}w" for width in widths)


def _at(one: Picture) -> str:
    return html.escape(one.url)


def _title(one: Picture) -> str:
    return words(f"{one.name} title", 3)

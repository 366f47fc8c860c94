"""What scripts ask servers for as data: addresses, what is posted, what is answered."""

import json
from typing import Any

from pronghorn.sites.storefront.hosts import API, WWW
from pronghorn.sites.storefront.pictures import PRODUCTS, RECOMMENDED
from pronghorn.sites.storefront.texts import words

SESSION = f"{API}/v1/session"
RECOMMENDATIONS = f"{API}/v1/recommendations?limit={len(RECOMMENDED)}&_="
"""A time is appended."""
PRICES = f"{API}/v1/prices"
STOCK = f"{API}/v1/stock?store=12"
VITALS = f"{WWW}/vitals"

CURRENCY = "EUR"
METHODS = ("card", "transfer", "invoice")


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


ASKED_PRICES = _json({"products": [one.name for one in PRODUCTS], "customer": None})
VIEW = _json({"event": "view", "page": "/", "items": [one.name for one in PRODUCTS[:12]]})
LOADED = _json({"event": "load", "page": "/"})
MEASURED = _json({"page": "/", "metrics": ["lcp", "cls", "inp"]})


def _described(name: str, length: int) -> dict[str, Any]:
    return {
        "id": name,
        "title": words(f"{name} title", 4),
        "text": words(f"{name} text", length),
        "rating": 1 + len(words(f"{name} rating", 3)) % 5,
    }


def session() -> bytes:
    """Who visits: nobody that is known."""
    return _json({"customer": None, "currency": CURRENCY, "cart": [], "flags": _flags(150)}).encode()


def recommendations() -> bytes:
    """What is recommended, with pictures."""
    return _json([{**_described(one.name, 500), "image": one.url} for one in RECOMMENDED]).encode()


def prices() -> bytes:
    """What each product costs."""
    return _json(
        {
            one.name: {"amount": 500 + len(one.content), "currency": CURRENCY, "note": words(one.name, 60)}
            for one in PRODUCTS
        }
    ).encode()


def stock() -> bytes:
    """How many there are."""
    return _json([{**_described(one.name, 160), "count": len(one.content) % 50} for one in PRODUCTS]).encode()


def settings() -> bytes:
    """What the tag manager is to do."""
    return _json({"tags": ["analytics"], "flags": _flags(500)}).encode()


def choices() -> bytes:
    """What a visitor has to be asked."""
    return _json({"region": "none", "vendors": [_described(f"vendor {n}", 90) for n in range(60)]}).encode()


def methods() -> bytes:
    """Ways to pay."""
    return _json([_described(one, 500) for one in METHODS]).encode()


def _flags(count: int) -> dict[str, bool]:
    return {
        words(f"flag {number}", 2).replace(" ", "-") + f"-{number}": number % 3 > 0 for number in range(count)
    }

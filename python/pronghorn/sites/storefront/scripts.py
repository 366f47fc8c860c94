"""Scripts, which fetch what the page's load holds, and are busy as long on every machine."""

import json

from pronghorn.sites.storefront import calls
from pronghorn.sites.storefront.hosts import ADS, STATIC, TAGS, WIDGET
from pronghorn.sites.storefront.texts import KB, filled

CHUNKS = ("ui", "state", "search", "cart")
"""Modules that others import: the page preloads all but the last, which only `state` names."""

LATE_CHUNKS = ("gallery", "reviews")
"""Modules that the shop's script imports once it runs."""

DEFERRED = (("vendor", 112 * KB, 22), ("carousel", 13 * KB, 5), ("forms", 10 * KB, 3))
"""Deferred scripts: bytes as sent, milliseconds of computing."""

BUSY_MS = {
    "runtime": 3, "vendor": 22, "carousel": 5, "forms": 3, "app": 14, "tag": 9, "analytics": 11, "consent": 7,
    "sdk": 8, "frame": 6, "ui": 4, "state": 3, "search": 3, "cart": 2, "gallery": 5, "reviews": 4,
}  # fmt: skip
"""How long a script computes, in milliseconds."""


def runtime() -> bytes:
    """The blocking script in the head, which asks for the recommendations before anything else does."""
    early = (
        f"window.storefront={{recommended:fetch({_text(calls.RECOMMENDATIONS)}+Date.now()),"
        f"session:fetch({_text(calls.SESSION)},{{credentials:'include'}})}};"
    )
    return _script("runtime", early, 4 * KB)


def deferred(name: str, size: int) -> bytes:
    """One of `DEFERRED`."""
    return _script(name, f'(window.ran=window.ran||[]).push("{name}");', size)


def app() -> bytes:
    """The shop's module: the cart and the prices, and the pictures of what is recommended."""
    imports = "".join(f'import {{{name}}} from "./chunks/{name}.js";' for name in CHUNKS[:3])
    late = "".join(f'import("./chunks/{name}.js");' for name in LATE_CHUNKS)
    body = (
        f"ui();state();search();{late}"
        f"fetch({_text(calls.PRICES)},{{method:'POST',headers:{{'Content-Type':'application/json',"
        f"'X-Currency':'{calls.CURRENCY}'}},body:{_text(calls.ASKED_PRICES)}}}).then(r=>r.json());"
        f"fetch({_text(calls.STOCK)}).then(r=>r.json());"
        "storefront.session.then(r=>r.json());"
        "storefront.recommended.then(r=>r.json()).then(list=>list.forEach(one=>{"
        "const image=new Image(200,200);image.src=one.image;"
        "document.querySelector('#recommended').append(image)}));"
    )
    return _script("app", body, 40 * KB, before=imports)


def chunk(name: str, size: int) -> bytes:
    """A module."""
    before = 'import {cart} from "./cart.js";cart();' if name == "state" else ""
    return _script(name, f"export const {name}=()=>0;", size, before=before)


def tag() -> bytes:
    """The tag manager: it asks for its settings, and puts the analytics beside itself."""
    body = (
        f"fetch('{TAGS}/config.json?id=shop').then(r=>r.json());"
        f"const s=document.createElement('script');s.async=true;s.src='{TAGS}/analytics.js';"
        "document.head.append(s);"
    )
    return _script("tag", f"(()=>{{{body}}})();", 88 * KB)


def analytics() -> bytes:
    """It reports that the page is seen and, after the load event, how long that took."""
    where = f"{TAGS}/collect?v=2&id=shop&en="
    body = (
        f"fetch('{where}view&_='+Date.now(),{{method:'POST',mode:'no-cors',keepalive:true,"
        f"body:{_text(calls.VIEW)}}});"
        "addEventListener('load',()=>{"
        f"navigator.sendBeacon('{calls.VITALS}',{_text(calls.MEASURED)});"
        f"navigator.sendBeacon('{where}load&_='+Date.now(),{_text(calls.LOADED)})}});"
    )
    return _script("analytics", body, 50 * KB)


def consent() -> bytes:
    """It asks what may be shown."""
    return _script("consent", f"fetch('{ADS}/consent.json?site=shop').then(r=>r.json());", 40 * KB, "gzip")


def sdk() -> bytes:
    """The page's half of the widget."""
    return _script("sdk", "window.pay={ready:true};", 46 * KB)


def frame() -> bytes:
    """The frame's half of the widget: it asks which ways there are, and shows each."""
    body = (
        f"fetch('{WIDGET}/methods.json').then(r=>r.json());"
        f"for(const one of {json.dumps(calls.METHODS)}){{const i=new Image(48,48);i.src=`/m/${{one}}.svg`;"
        "document.querySelector('.methods').append(i)}"
    )
    return _script("frame", body, 34 * KB)


def chunk_url(name: str) -> str:
    """Where a module is."""
    return f"{STATIC}/js/chunks/{name}.js"


def _script(name: str, body: str, size: int, coding: str = "br", *, before: str = "") -> bytes:
    busy = f"{{const t=performance.now()+{BUSY_MS[name]};while(performance.now()<t);}}"
    return filled(f"{name}.js", f"{before}{busy}{body}/*", "*/\n", size, coding)


def _text(value: str) -> str:
    return json.dumps(value)

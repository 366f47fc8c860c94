"""Style sheets: with an import, fonts and backgrounds."""

from pronghorn.sites.storefront.hosts import FONTS
from pronghorn.sites.storefront.pictures import BACKGROUNDS
from pronghorn.sites.storefront.texts import KB, filled

FAMILIES = ("text-regular", "text-bold", "display", "figures")
"""The fonts, each a family of its own."""

PRELOADED = FAMILIES[:2]
"""Fonts that the page preloads."""

_BASE = """@import url("theme.css");
*{box-sizing:border-box}body{margin:0;font:16px/1.5 text-regular,sans-serif}
header,footer,main{max-width:1340px;margin:auto;padding:8px}nav a{margin-right:16px}
h1,h2{font-family:display,serif;margin:12px 0}b,strong,th{font-family:text-bold,sans-serif;font-weight:400}
img{display:block;max-width:100%}iframe{border:0;width:100%;height:180px}
.hero{min-height:380px}.spacer{min-height:7000px}
"""

_THEME = """:root{--ink:#222;--paper:#fdfcf8;--accent:#a43}body{color:var(--ink);background:var(--paper)}
a{color:var(--accent)}button{font:inherit;padding:6px 12px;border:1px solid var(--ink);background:none}
"""

_CATALOGUE = """.row{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:12px}
.card{padding:6px;border:1px solid #ddd}.price{font-family:figures,monospace}.icon{width:24px;height:24px}
"""

_PRINT = "nav,iframe,button{display:none}body{font-size:10pt;background:none}\n"

_FRAME = """body{margin:0;font:14px/1.4 sans-serif}.methods{display:flex;gap:8px;padding:8px}
.methods img{width:48px;height:48px}
"""


def base() -> bytes:
    """The shop's sheet, which imports another."""
    return filled("base.css", f"{_BASE}/*", "*/\n", 38 * KB)


def theme() -> bytes:
    """The imported one."""
    return filled("theme.css", f"{_THEME}/*", "*/\n", 12 * KB)


def catalogue() -> bytes:
    """The sheet of what is sold, with the backgrounds of classes."""
    shown = "".join(
        f".band-{number}{{background:url({one.url}) center/cover}}"
        for number, one in enumerate(BACKGROUNDS[:2], 1)
    )
    return filled("catalogue.css", f"{_CATALOGUE}{shown}\n/*", "*/\n", 20 * KB)


def for_print() -> bytes:
    """The sheet for paper."""
    return filled("print.css", f"{_PRINT}/*", "*/\n", 2 * KB)


def fonts() -> bytes:
    """The sheet of a host of fonts."""
    rules = "".join(
        f'@font-face{{font-family:"{family}";src:url({font(family)}) format("woff");font-display:swap}}\n'
        for family in FAMILIES
    )
    return filled("fonts.css", f"{rules}/*", "*/\n", 1200)


def frame() -> bytes:
    """The sheet of the widget that takes payments."""
    return filled("frame.css", f"{_FRAME}/*", "*/\n", 5 * KB)


def font(family: str) -> str:
    """Where a font is."""
    return f"{FONTS}/f/{family}.woff"

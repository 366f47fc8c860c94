"""Foreign text made safe to show: what a server, a program, a file's name or a page may say of itself.

Such text can hold characters that act on a terminal (clear it, retitle it, overwrite what stands there), that
turn the order of what follows, or that nobody sees. Here they become visible, as JSON writes them: ESC is
`\\u001b`. So a JSON document stays the same document, and what comes out is legal in XML 1.0 and of a width
that can be counted.

Streams to a terminal or a log pass through this as they are written (`standard.py`, `terminal.py`). Markdown,
SVG and XML ask for it where they escape their own characters.
"""

import html
import re
from typing import Any

_ACTING = (
    "\0-\x08\x0b-\x1f\x7f-\x9f"  # control characters, C0 without tab and line feed, and C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of text
    "\xad\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # of no width
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
    "\u2028\u2029"  # ends of lines and paragraphs
    "\ud800-\udfff\ufffe\uffff"  # what is no character
)
_UNSAFE = re.compile(f"[{_ACTING}]")
_UNSAFE_IN_A_LINE = re.compile(f"[\t\n{_ACTING}]")

LONGEST = 200
"""The most characters of a foreign sentence that are shown by default."""


def visible(text: str) -> str:
    """`text` with each character that acts, or that nobody sees, written as `\\uXXXX`; tabs and line feeds
    stay. Twice is the same as once."""
    return _UNSAFE.sub(_written, text)


def line(text: str, most: int = LONGEST) -> str:
    """`text` on one line, as `visible` has it, of at most `most` characters: a longer one ends with `…`."""
    told = _UNSAFE_IN_A_LINE.sub(_written, text[: most + 1])
    return told if len(told) <= most else f"{told[: most - 1]}…"


def escape(text: str) -> str:
    """`text` for HTML, SVG and XML: as `visible` has it, its `&<>"'` as character references."""
    return html.escape(visible(text))


def shown(value: Any) -> Any:
    """For a template's `finalize`: plain text as `visible` has it; markup and other values as they are."""
    return visible(value) if type(value) is str else value


def _written(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))

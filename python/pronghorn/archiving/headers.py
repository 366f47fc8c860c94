"""Which headers an archive keeps: those that a server sends of itself, spelt so that they can be sent."""

import re
from collections import Counter
from collections.abc import Iterable

from pronghorn.sites.archive import limits
from pronghorn.sites.archive.exchange import TOKEN

Pair = tuple[str, str]

MOST_IN_ALL = 2**19
"""Characters of all headers of a message (512 KiB); no server sends a tenth of them."""

_HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)
"""Of one connection, not of a message (RFC 9110 §7.6.1)."""

_CONTROL = re.compile(r"[\0-\x08\x0a-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def kept(headers: Iterable[Pair], repaired: Counter[str]) -> list[Pair]:
    """The headers without pseudo headers (`:status`) and those of a connection. A value of several lines is
    several headers, as DevTools writes them. What no server can send is left out or changed, and counted."""
    found: list[Pair] = []
    size = 0
    for name, joined in headers:
        if name.startswith(":") or name.lower() in _HOP_BY_HOP:
            continue
        for value in joined.split("\n"):
            clean = _SURROGATE.sub("�", _CONTROL.sub(" ", value)).strip()
            if TOKEN.fullmatch(name) is None or len(name) + len(clean) > limits.MOST_HEADER:
                repaired["header left out"] += 1
                continue
            if clean != value.strip(" \t\r"):
                repaired["header changed"] += 1
            size += len(name) + len(clean)
            if len(found) >= limits.MOST_HEADERS or size > MOST_IN_ALL:
                repaired["header left out"] += 1
                continue
            found.append((name, clean))
    return found


def with_value(headers: Iterable[Pair], name: str, value: str | None) -> list[Pair]:
    """The headers with another value of `name` (in lower case), which they may lack; None: without it."""
    changed = [(key, value if key.lower() == name else old) for key, old in headers]
    return [(key, told) for key, told in changed if told is not None]

"""What asked for an entry: Chrome's table, WebPageTest's and browsertime's URL."""

import json
from typing import Any

from pronghorn.importing.har.values import items, table, text
from pronghorn.sites.archive import How

HOWS: dict[str, How] = {"script": "script", "preload": "preload", "preflight": "preflight"}
"""By DevTools' type of an initiator."""

_DEEPEST = 16


def asked(entry: dict[str, Any]) -> tuple[str | None, How | None]:
    """The URL that asked for it, and how, as far as the entry says. That a `parser` did is left open: Chrome
    calls so what reads markup, and what reads a style sheet."""
    told = entry.get("_initiator")
    if isinstance(told, dict):
        kind, url = text(told.get("type"), 64), text(told.get("url")) or _of_stack(told.get("stack"))
    else:
        detail = table(_parsed(text(entry.get("_initiator_detail"))), "stack")
        kind, url = text(entry.get("_initiator_type"), 64), text(told) or _of_stack(detail)
    how = HOWS.get(kind.lower())
    if entry.get("_isLinkPreload") is True:
        how = "preload"
    return url or None, how


def _of_stack(stack: Any) -> str:
    """The innermost script of a stack, or of the one that led to it."""
    for _ in range(_DEEPEST):
        for frame in items(table(stack).get("callFrames")):
            if url := text(table(frame).get("url")):
                return url
        stack = table(stack).get("parent")
        if not isinstance(stack, dict):
            break
    return ""


def _parsed(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None

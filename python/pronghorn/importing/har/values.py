"""Values of any type out of somebody's JSON, read without fail: what isn't of the type isn't there."""

import math
from typing import Any

_MOST_TEXT = 64 * 2**10


def table(value: Any, *keys: str) -> dict[str, Any]:
    """The table at `keys` below `value`; an empty one where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """A list; an empty one where it is none."""
    return value if isinstance(value, list) else []


def text(value: Any, most: int = _MOST_TEXT) -> str:
    """A text of at most `most` characters; of a number its digits; empty where it is neither."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)[:most] if not isinstance(value, int) or abs(value) < 10**18 else ""


def number(value: Any) -> float | None:
    """A finite number, also one that stands there as a text; None where it is none."""
    if isinstance(value, str):
        try:
            value = float(value[:40])
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def size(value: Any) -> int | None:
    """A number of bytes; None where it is none, or negative as HAR has it for what isn't known."""
    found = number(value)
    return int(found) if found is not None and 0 <= found < 1e18 else None


def pairs(value: Any) -> list[tuple[str, str]]:
    """Headers as HAR has them, `{"name": …, "value": …}`."""
    return [
        (text(one.get("name"), 1024), text(one.get("value"), 2**20))
        for one in items(value)
        if isinstance(one, dict) and text(one.get("name"), 1024)
    ]

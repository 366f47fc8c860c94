"""Values of settings: read back, or told by a source that stands beside them in parentheses; compared, and
in words."""

import re
from collections.abc import Iterable

Value = bool | int | str

SEGMENT_BYTES = 1448
"""TCP's payload in a packet of 1500 bytes: less 20 of IPv4, 20 of TCP and 12 of its time stamps."""

UNBOUNDED = 2**60
"""From here on a number stands for no bound: the largest that QUIC can say is 2⁶² - 1."""

_BYTES = re.compile(r"(\d+) bytes\b")
_SEGMENTS = re.compile(r"(\d+) segments\b")
_SWITCH = {"yes": True, "no": False}


def distinct(values: Iterable[Value | None]) -> list[Value]:
    """The known ones of `values`, each once, in their order of appearance."""
    found: list[Value] = []
    for value in values:
        if value is not None and not any(value == one and type(value) is type(one) for one in found):
            found.append(value)
    return found


def plain(value: Value) -> Value:
    """`value` without its source: a number of bytes, a yes or no as a bool, else the words before the
    parenthesis."""
    if not isinstance(value, str):
        return value
    size = bytes_of(value)
    words = value.partition(" (")[0]
    return size if size is not None else _SWITCH.get(words, words)


def bytes_of(value: Value | None) -> int | None:
    """The bytes that a value tells of; None where it tells of none. Segments count as those of an MTU of
    1500."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if found := _BYTES.match(value):
        return int(found[1])
    if found := _SEGMENTS.match(value):
        return int(found[1]) * SEGMENT_BYTES
    return None


def words(value: Value, unit: str | None) -> str:
    """`value` for people: `14480 bytes`, `yes`, `no bound`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= UNBOUNDED:
        return "no bound"
    return f"{value} {unit}" if isinstance(value, int) and unit else str(value)


def all_words(values: Iterable[Value], unit: str | None) -> str:
    """Several values for people; `not known` where there is none."""
    return ", ".join(words(value, unit) for value in values) or "not known"

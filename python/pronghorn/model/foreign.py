"""Texts from outside this process, parsed: JSON and TOML that a person, a program or a file has written.

Whatever the bytes are there is a value within the bounds (`bounds.py`) or a Malformed that says why not."""

import re
import tomllib
from typing import Any

from pydantic_core import from_json

from pronghorn.model import bounds

MOST_BYTES = 64 * 2**20
"""The longest JSON text where its reader doesn't say another bound."""


class Malformed(ValueError):
    """A text can't be used: why, as a clause."""


def json(content: bytes | str, *, most_bytes: int = MOST_BYTES, most_items: int = bounds.MOST_ITEMS) -> Any:
    """The value of a JSON text (RFC 8259), in UTF-8 without a byte order mark; of keys that stand twice the
    last. NaN and infinities are refused, as are lone surrogates."""
    if len(content) > most_bytes:
        raise Malformed(f"it is longer than {most_bytes} bytes")
    try:
        value = from_json(content, allow_inf_nan=False)
        bounds.check(value, most_items=most_items)
    except bounds.OutOfBounds as error:
        raise Malformed(str(error)) from None
    except ValueError as error:
        raise Malformed(_fault(str(error))) from None
    return value


def json_table(
    content: bytes | str, *, most_bytes: int = MOST_BYTES, most_items: int = bounds.MOST_ITEMS
) -> dict[str, Any]:
    """The same, of a text that has to be one table (a JSON object)."""
    value = json(content, most_bytes=most_bytes, most_items=most_items)
    if not isinstance(value, dict):
        raise Malformed(f"it is no table, but {_KINDS.get(type(value), 'null')}")
    return value


def toml(text: str) -> dict[str, Any]:
    """The table of a TOML text. tomllib.TOMLDecodeError, which tells the place, where it is none."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise Malformed("nested too deep") from None


_KINDS = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false"}


def _fault(said: str) -> str:
    if said.startswith("recursion limit exceeded"):
        return f"it is nested too deep{_place(said)}; {bounds.MOST_DEPTH} levels are allowed"
    return f"it is no JSON: {said}"


def _place(said: str) -> str:
    found = re.search(r" at line \d+ column \d+", said)
    return found[0] if found else ""

"""A HAR file's bytes as a table."""

import codecs
import json
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from pronghorn import reading
from pronghorn.errors import InputError

MOST_BYTES = 256 * 2**20
"""Of a HAR file (256 MiB), which is held in memory."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def log(source: Path) -> dict[str, Any]:
    """The table `log` of a HAR file, which has a list of `entries`. InputError where it isn't one."""
    try:
        content = reading.content(source, MOST_BYTES, "a HAR file")
    except reading.Unreadable as error:
        raise InputError(f"{source}: {error}.", hint="Export one page load alone.") from None
    value = _parsed(source, content)
    found = value.get("log") if isinstance(value, dict) else None
    entries = found.get("entries") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(entries, list):
        raise InputError(
            f"{source}: this JSON is no HAR file: it has no list log.entries.",
            hint="In a browser's developer tools: Network, then 'Save all as HAR with content'.",
        )
    if not entries:
        raise InputError(f"{source}: log.entries is empty: nothing was recorded.")
    return found


def _parsed(source: Path, content: bytes) -> Any:
    if content.startswith(_UTF_16):
        text = content.decode("utf-16", "replace")
    else:
        content = content.removeprefix(codecs.BOM_UTF8)
        try:
            return from_json(content, allow_inf_nan=True)
        except ValueError:
            # Half characters (lone surrogates) and bytes of other encodings occur in texts that were cut.
            text = content.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(f"{source}: this JSON is nested too deep.") from None
    except ValueError as error:
        raise InputError(f"{source}: this is no JSON: {error}.", hint="Export it again.") from None

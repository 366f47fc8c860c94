"""The export as one JSON object: what holds for the whole run, and the `rows`."""

import json

from pronghorn.export.rows import Table


def encode(table: Table) -> bytes:
    """The file's content."""
    text = json.dumps({**table.about, "rows": table.rows}, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"

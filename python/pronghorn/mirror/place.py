"""The file in which an address is kept: its path below the folder, its query behind a `?` as wget has it
(`sites/names.py` finds it again)."""

from pathlib import PurePosixPath
from urllib.parse import SplitResult, unquote

INDEX = "index.html"

_LONGEST = 255
"""The most bytes of a file's name on Linux."""


def of(address: SplitResult) -> PurePosixPath | None:
    """None where no file can have such a name."""
    *folders, name = unquote(address.path or "/").split("/")[1:] or [""]
    name = name or INDEX
    if address.query:
        name += "?" + address.query.replace("/", "%2F")
    parts = [*folders, name]
    for part in parts:
        wrong = part in ("", ".", "..") or "\0" in part or "/" in part
        if wrong or len(part.encode(errors="surrogateescape")) > _LONGEST:
            return None
    return PurePosixPath(*parts)

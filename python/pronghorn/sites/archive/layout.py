"""The names of an archive's files."""

import re
from pathlib import Path

SITE = "site.toml"
REQUESTS = "requests.jsonl"
BODIES = "bodies"

_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_digest(text: str) -> bool:
    """Whether a text is a SHA-256 in lower-case hexadecimal digits, and so can be a body's name."""
    return _DIGEST.fullmatch(text) is not None


def body(folder: Path, digest: str) -> Path:
    """The file of the body with this SHA-256. ValueError where it is none: no other text becomes a path."""
    if not is_digest(digest):
        raise ValueError(f"{digest[:80]!r} is no SHA-256")
    return folder / BODIES / digest[:2] / digest

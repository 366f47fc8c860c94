"""A script within the page, which the page's policy lets run by its hash and by nothing else."""

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import NamedTuple


class Script(NamedTuple):
    """Its text, and its hash as a source of a Content Security Policy (CSP 3, §2.3.1)."""

    text: str
    hash: str


@cache
def script(name: str) -> Script:
    """The script of this name among the templates."""
    text = resources.files("pronghorn.report").joinpath("templates", name).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Script(text, f"sha256-{digest}")

"""Sites of one page, written by a test: what the page names, in which order, of which size."""

import random
from pathlib import Path
from typing import NamedTuple

_SUFFIX = {"style": "css", "script": "js", "image": "png"}


class Named(NamedTuple):
    """A resource that a page names. `place`: `head` or `body`; `blocking`: a script stops the parser."""

    name: str
    kind: str
    size: int
    place: str = "body"
    blocking: bool = True

    @property
    def path(self) -> str:
        """Its path in the URL."""
        return f"/{self.name}.{_SUFFIX[self.kind]}"

    @property
    def tag(self) -> str:
        """How the page names it."""
        if self.kind == "style":
            return f'<link rel="stylesheet" href="{self.path}">'
        if self.kind == "script":
            return f'<script{"" if self.blocking else " async"} src="{self.path}"></script>'
        return f'<img src="{self.path}">'


def write(root: Path, named: list[Named]) -> None:
    """Writes the page and what it names, of seeded bytes that don't compress."""
    root.mkdir()
    head, body = ("".join(one.tag for one in named if one.place == place) for place in ("head", "body"))
    page = f'<!doctype html><head><link rel="icon" href="data:,">{head}</head><body>{body}</body>'
    (root / "index.html").write_text(page, encoding="utf-8")
    for one in named:
        (root / one.path[1:]).write_bytes(_body(one))


def _body(one: Named) -> bytes:
    # Comments, so that no style sheet names anything.
    filling = random.Random(one.name).randbytes(one.size).hex().encode()[: one.size - 4]
    return b"/*" + filling + b"*/" if one.kind != "image" else filling.ljust(one.size, b"0")

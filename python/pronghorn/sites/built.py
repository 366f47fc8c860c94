"""What building a site leaves."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["document", "script", "style", "image", "font", "other"]
"""What a resource is, in the engine's words."""


@dataclass(frozen=True)
class Resource:
    """One file of a site: its absolute path in the URL (percent-encoded as RFC 3986 §2.1 has it), its kind,
    its size in bytes."""

    path: str
    kind: Kind
    size: int


@dataclass(frozen=True)
class BuiltSite:
    """A site on disk. `root` is the folder that an origin serves; `document` the URL path of the page,
    whose file is `root/index.html`. For a folder of somebody's own, `resources` are all its files, whether
    the page asks for them or not."""

    root: Path
    document: str
    resources: tuple[Resource, ...]

    @property
    def total_bytes(self) -> int:
        """The sum of all bodies, the document among them."""
        return sum(resource.size for resource in self.resources)

"""What building a site leaves."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pronghorn.sites.hosts import Replay

Kind = Literal["document", "script", "style", "image", "font", "other"]
"""What a resource is, in the engine's words."""


@dataclass(frozen=True)
class Resource:
    """One resource of a site: its path in the URL, with the query that its file's name holds (percent-encoded
    as browsers send it), its kind, its size in bytes, and the bytes that a client gets which takes every
    coding; None: the same."""

    path: str
    kind: Kind
    size: int
    coded: int | None = None

    @property
    def wire_size(self) -> int:
        """The bytes of its body on the wire."""
        return self.size if self.coded is None else self.coded


@dataclass(frozen=True)
class BuiltSite:
    """A site on disk. `root` is the folder that an origin serves; `document` the URL path of the page,
    whose file is `root/index.html`. For a folder of somebody's own, `resources` are all its files, whether
    the page asks for them or not; `notes` say what was found and changed when it was copied."""

    root: Path
    document: str
    resources: tuple[Resource, ...]
    notes: dict[str, Any] = field(default_factory=dict)
    replay: Replay | None = None

    @property
    def total_bytes(self) -> int:
        """The sum of all bodies on the wire, the document among them."""
        return sum(resource.wire_size for resource in self.resources)

    @property
    def decoded_bytes(self) -> int:
        """The sum of all bodies as they are before any coding."""
        return sum(resource.size for resource in self.resources)

    def to_manifest(self) -> dict[str, Any]:
        """What a run's manifest says of the site."""
        return {
            "resources": len(self.resources),
            "bytes_on_wire": self.total_bytes,
            "bytes_decoded": self.decoded_bytes,
            "compressed": sum(resource.coded is not None for resource in self.resources),
            **self.notes,
        }

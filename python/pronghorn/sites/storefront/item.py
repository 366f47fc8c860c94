"""One request of the page's load, and what answers it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pronghorn.sites.archive import How, Kind
from pronghorn.sites.archive.exchange import Target, target_of

Upon = Literal["head", "named", "end", "deferred", "load", "scroll"]
"""What a request waits for: its initiator's head; the arrival of its name in its initiator, a document; its
initiator's end; the end of the page and all its deferred scripts; the load event; the scrolling after it."""

RATIOS: Mapping[str, float] = {"br": 2.98, "gzip": 3.05}
"""How much smaller a content coding makes the site's texts, about: for the times."""

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Item:
    """`content` is the body without its `coding`. `by` asked for it; None: the navigation. It starts
    `compute_s` after what it waits `upon`, and its server takes `think_s`. `credentials`: it is asked for
    with cookies; None: without CORS. `document` brought the frame that it belongs to; None: the page."""

    url: str
    kind: Kind
    media_type: str = ""
    content: bytes = b""
    by: "Item | None" = None
    how: How = "parser"
    upon: Upon = "named"
    compute_s: float = 0.0
    think_s: float = 0.004
    coding: str | None = None
    method: str = "GET"
    status: int = 200
    posted: bytes = b""
    priority: str = "Low"
    credentials: bool | None = None
    document: "Item | None" = None
    deferred: bool = False
    answer_headers: Pairs = ()
    request_headers: Pairs = field(default=())

    @property
    def target(self) -> Target:
        """Where it leads."""
        return target_of(self.url)

    @property
    def holds_load(self) -> bool:
        """Whether the load event waits for it."""
        return self.kind != "fetch" and self.upon not in ("load", "scroll")

    @property
    def wire_bytes(self) -> int:
        """About how long its body is as sent. The exact length depends on the compressor's version."""
        return round(len(self.content) / RATIOS[self.coding]) if self.coding else len(self.content)

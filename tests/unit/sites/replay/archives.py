"""Small archives, each of a few exchanges."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pronghorn.sites.archive import Archive, Exchange, Host, Site, Writer, read

OWN = Host(first_party=True, protocols=("h2",), rtt_s=0.02)
OTHER = Host(first_party=False, protocols=("h2",))


def archive(
    folder: Path,
    *exchanges: Mapping[str, Any],
    page: str = "https://a.test/",
    hosts: Mapping[str, Host] | None = None,
    load_s: float | None = None,
) -> Archive:
    """An archive in the new `folder`; `body` is what an exchange's response holds."""
    with Writer(folder) as writer:
        made = []
        for number, given in enumerate(exchanges, 1):
            body = given.get("body", b"")
            own = {"status": 200, **given, "id": number, "body": writer.body(body), "body_bytes": len(body)}
            made.append(Exchange(**own))
        described = Site(
            recorded="2026-11-26T14:00:00Z",
            by="a test",
            page=page,
            load_s=load_s,
            hosts=dict(hosts or {"a.test": OWN, "b.test": OTHER}),
        )
        writer.finish(described, made)
    return read(folder)

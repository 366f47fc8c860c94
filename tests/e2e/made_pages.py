"""One load of a site that is made of a few files, in Chromium."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from pronghorn.certificates import Certificates
from pronghorn.execute.stage import Measurement

from .stages import Scene, load

FAVICON = '<!doctype html><link rel="icon" href="data:,">'


def site(folder: Path, pages: Mapping[str, str | bytes]) -> Path:
    """A site of these files."""
    root = folder / "site"
    root.mkdir(parents=True)
    for name, content in pages.items():
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def measured(
    pages: Mapping[str, str | bytes],
    arm: str,
    identity: Certificates,
    folder: Path,
    limit: str = "60s",
    **settings: object,
) -> Measurement:
    """One load of a site."""
    (found,), _ = asyncio.run(
        load(Scene(arm, site(folder, pages), identity, limit=limit, settings=settings), folder)
    )
    return found

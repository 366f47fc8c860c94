"""A site archive, served and loaded again on stages, and what was recorded against what was loaded."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pronghorn import certificates, sites
from pronghorn.execute.stage import Measurement, Site
from pronghorn.sites.archive import read

from . import stages
from .stages import NEAR, Definition, Scene

ARMS = ("h1", "h2", "h3")

Answers = Counter[tuple[str, int | None, int]]
"""Requests by URL, status and bytes of the body."""

_TIME = re.compile(r"([?&]\w+=)\d{9,}")
"""The time that a script puts into a URL."""


class Replayed:
    """The archive in `source`, with `rewritings`, and what a stage is built of it; `folder` takes what that
    needs. Of the URLs `often`, which a page asks for again and again, one answer of each kind counts."""

    def __init__(
        self, source: Path, folder: Path, *, often: Sequence[str] = (), rewritings: str = ""
    ) -> None:
        self.archive = read(source)
        self._often = often
        root = folder / "site"
        root.mkdir()
        built = sites.build(f"archive:{source}{rewritings}", 1, root)
        assert built.replay is not None
        self.replay = built.replay
        self._identity = certificates.make(folder, names=[face.names for face in built.replay.faces])
        self._site = Site(root, built.document, built.total_bytes, {}, built.replay, self._identity.leaves)

    def scene(self, arm: str, client: str, origin: str, **more: Any) -> Scene:
        """One load."""
        identity, site = self._identity, self._site
        return Scene(arm, site.root, identity, client=client, origin=origin, site=site, **more)

    def loads(
        self,
        client: str,
        folder: Path,
        *,
        origin: str = "builtin",
        arms: Sequence[str] = ARMS,
        path: Definition = NEAR,
        settings: Mapping[str, Any] = {},
    ) -> Iterable[tuple[str, Measurement]]:
        """A load over each arm."""
        scenes = [self.scene(arm, client, origin, path=path, limit="60s", settings=settings) for arm in arms]
        return zip(arms, asyncio.run(stages.trials(scenes, folder)), strict=True)

    def recorded(self, until_s: float = float("inf")) -> Answers:
        """What was asked for until then."""
        return self._counted(
            (one.url, one.status, one.body_bytes) for one in self.archive.exchanges if one.start_s <= until_s
        )

    def of_load(self) -> Answers:
        """What was asked for up to the load event."""
        assert self.archive.site.load_s is not None
        return self.recorded(self.archive.site.load_s)

    def loaded(self, measured: Measurement) -> Answers:
        """What a client loaded."""
        return self._counted((self._url(one.path), one.status, one.bytes) for one in measured.page.resources)

    def _counted(self, answers: Iterable[tuple[str, int | None, int]]) -> Answers:
        found = Counter((_TIME.sub(r"\1", url), status, size) for url, status, size in answers)
        return Counter({one: 1 if one[0] in self._often else count for one, count in found.items()})

    def _url(self, path: str) -> str:
        return f"https://{self.replay.page}{path}" if path.startswith("/") else path

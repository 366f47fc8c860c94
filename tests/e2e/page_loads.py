"""Loads of the corpus's pages: each on a stage of its own, several engines side by side."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn import sites
from pronghorn.certificates import Certificates
from pronghorn.engine import Engine
from pronghorn.execute.stage import Measurement, Stage

from . import corpus
from .corpus import Page
from .stages import NEAR, Scene, plot

ORIGINS = ("builtin", "nginx", "caddy", "haproxy")
ARMS = ("h1", "h2", "h3")

LANES = 2
"""How many loads run at a time."""


class Load(NamedTuple):
    """One load that is wanted, as an experiment names its parts."""

    page: str
    client: str
    origin: str = "builtin"
    arm: str = "h2"

    def __str__(self) -> str:
        return f"{self.page}/{self.origin}/{self.arm}/{self.client}"


class Loaded(NamedTuple):
    """A load and what came of it."""

    load: Load
    page: Page
    found: Measurement

    @property
    def faults(self) -> list[str]:
        """In which it is otherwise than its page's file says."""
        served = {request.path for request in self.found.log.requests}
        return sorted(corpus.faults(self.page, self.load.client, self.found.page, served))


def run(loads: Sequence[Load], certificates: Certificates, folder: Path) -> list[Loaded]:
    """Does each of the `loads`; what came of them in their order."""
    return asyncio.run(_run(loads, certificates, folder))


async def _run(loads: Sequence[Load], certificates: Certificates, folder: Path) -> list[Loaded]:
    waiting = list(enumerate(loads))
    done: dict[int, Loaded] = {}

    async def lane() -> None:
        engine = await Engine.start()
        try:
            while waiting:
                number, load = waiting.pop(0)
                done[number] = await _load(engine, load, certificates, folder / str(number))
        finally:
            await engine.stop()

    async with asyncio.TaskGroup() as group:
        for _ in range(min(LANES, len(waiting))):
            group.create_task(lane())
    return [done[number] for number in range(len(loads))]


async def _load(engine: Engine, load: Load, certificates: Certificates, folder: Path) -> Loaded:
    page = Page.read(load.page)
    source, root = page.build(folder / "source"), folder / "site"
    root.mkdir(parents=True)
    built = sites.build(f"dir:{source}", 1, root, compressed=True)
    scene = Scene(
        load.arm,
        built.root,
        certificates,
        path=NEAR,
        client=load.client,
        origin=load.origin,
        settings={"compression": "static", **({"tolerate": page.tolerate} if page.tolerate else {})},
    )
    stage = Stage(engine, plot(scene, folder))
    await stage.open(1)
    try:
        found = await stage.load(1)
    finally:
        await stage.close()
    return Loaded(load, page, found)


def told(loaded: Sequence[Loaded]) -> str:
    """What is wrong with the loads, for a person; loads of one page with the same faults stand together."""
    alike: dict[tuple[str, str, tuple[str, ...]], list[Load]] = {}
    for one in loaded:
        if one.faults:
            alike.setdefault((one.load.page, one.load.client, tuple(one.faults)), []).append(one.load)
    return "\n".join(
        f"{page}, {client} ({', '.join(f'{load.origin} {load.arm}' for load in loads)}):\n"
        + "".join(f"    {fault}\n" for fault in faults)
        for (page, client, faults), loads in alike.items()
    )

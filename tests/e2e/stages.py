"""Stages as trials have them: an arm, an origin, a client and a path, and what loads on them gave."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.certificates import Certificates
from pronghorn.engine import Engine
from pronghorn.execute.stage import Measurement, Plot, Site, Stage
from pronghorn.model import arm as arms
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import PathProfile, parse
from pronghorn.model.source import Source
from pronghorn.model.trial import Cell, Counters
from pronghorn.runs.artifacts import Artifacts

Definition = Mapping[str, Any]

FAR: Definition = {
    "down": {"rate": "100Mbit", "delay": "50ms", "queue": "1MB"},
    "up": {"rate": "100Mbit", "delay": "50ms", "queue": "1MB"},
}
"""A round trip of 100 ms, in which nothing is lost."""

NEAR: Definition = {
    "down": {"rate": "100Mbit", "delay": "5ms", "queue": "1MB"},
    "up": {"rate": "100Mbit", "delay": "5ms", "queue": "1MB"},
}
"""A round trip of 10 ms, in which nothing is lost."""


class Scene(NamedTuple):
    """What a stage is to be: names as an experiment has them, a site's folder, a path's definition. `site` is
    one that is more than its folder."""

    arm: str
    root: Path
    certificates: Certificates
    path: Definition = NEAR
    client: str = "chromium"
    origin: str = "builtin"
    limit: str = "30s"
    artifacts: tuple[str, ...] = ()
    settings: Mapping[str, Any] = {}
    arms_beside: tuple[str, ...] = ()
    site: Site | None = None


@asynccontextmanager
async def stage(scene: Scene, folder: Path, seed: int = 1) -> AsyncIterator[Stage]:
    """An open stage; bench and engine end with the block. Artifacts go to `folder`/artifacts."""
    engine = await Engine.start()
    try:
        built = Stage(engine, plot(scene, folder))
        await built.open(seed)
        yield built
    finally:
        await engine.stop()


async def trials(scenes: Sequence[Scene], folder: Path) -> list[Measurement]:
    """One load a scene, each on a stage of its own, one after the other in the same engine."""
    engine = await Engine.start()
    found = []
    try:
        for number, scene in enumerate(scenes):
            opened = Stage(engine, plot(scene, folder / str(number)))
            await opened.open(number)
            found.append(await opened.load(number))
            await opened.close()
    finally:
        await engine.stop()
    return found


async def load(scene: Scene, folder: Path, *, times: int = 1) -> tuple[list[Measurement], Counters]:
    """The loads of one stage, and its counters at the end."""
    async with stage(scene, folder) as opened:
        found = [await opened.load(seed) for seed in range(1, times + 1)]
        return found, await opened.close()


def plot(scene: Scene, folder: Path) -> Plot:
    """What a stage is built of; `folder` takes what it writes."""
    experiment = _experiment(scene)
    artifacts = Artifacts(folder, Path("artifacts"), scene.artifacts)
    artifacts.prepare()
    return Plot(
        experiment=experiment,
        cell=Cell(site="folder", path="scene", origin=scene.origin, client=scene.client),
        arm=experiment.arms[0],
        site=scene.site or Site(scene.root, "/", 0),
        certificates=scene.certificates,
        artifacts=artifacts,
        folder=folder / "stage",
    )


def _experiment(scene: Scene) -> Experiment:
    return Experiment(
        name="scene",
        sites=("folder",),
        paths=(_profile(scene.path),),
        origins=(scene.origin,),
        clients=(scene.client,),
        arms=tuple(arms.parse(name) for name in (scene.arm, *scene.arms_beside)),
        baseline=scene.arm,
        repeat=1,
        limit=scene.limit,
        margin_text="3%",
        seed=1,
        artifacts=scene.artifacts,
        **scene.settings,
    )


def _profile(definition: Definition) -> PathProfile:
    table = dict(definition)
    return parse("scene", table, Source("scene", ""), ("path", "scene"))

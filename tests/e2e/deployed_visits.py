"""Chromium's visits to the servers of deploy/, as trials have them."""

import asyncio
import shlex
from pathlib import Path
from typing import Any

from pronghorn.certificates import ADDRESSES, HOST_NAME, Certificates
from pronghorn.execute.stage import Measurement
from pronghorn.model.arm import DISCOVERIES, PROTOCOLS
from pronghorn.model.own_stack import OwnStack

from . import deployed, zone
from .stages import FAR, Scene, stage

_NAME = "deployed"

SERVER = ADDRESSES[-1]
"""The address of a bench's server."""


def visit(
    server: str, arm: str, identity: Certificates, folder: Path
) -> tuple[Measurement, list[dict[str, Any]]]:
    """One visit to the application's page across a path, and what the application got of it."""
    own = folder / server
    own.mkdir(parents=True)
    deployed.lay_out(server, own, identity)
    variables = [f"{name}={value}" for name, value in deployed.environment(own).items()]
    stack = OwnStack(
        command=shlex.join(["exec", "env", *variables, *deployed.both(server)]),
        directory=str(own),
        protocols=tuple(PROTOCOLS),
        options=tuple(DISCOVERIES),
        ready="both",
    )
    settings = {"own_origins": {_NAME: stack}}
    scene = Scene(arm, own, identity, path=FAR, origin=_NAME, settings=settings)
    found = asyncio.run(_loaded(scene, folder))
    assert (found.page.outcome, found.page.detail) == ("ok", None)
    wanted = {one.path for one in found.page.resources}
    return found, [one for one in deployed.got(own) if one["path"] in wanted]


async def _loaded(scene: Scene, folder: Path) -> Measurement:
    """One load, with the shipped HTTPS record in the name server if the arm looks for one. It lacks the hints
    of addresses, which the bench's name server doesn't have."""
    async with stage(scene, folder) as opened:
        if scene.arm.endswith("~https"):
            told = zone.service()
            record = {
                "priority": told.priority,
                "target": told.target,
                "alpn": told.parameters["alpn"].split(","),
            }
            names = [{"name": HOST_NAME, "a": [SERVER], "https": [record]}]
            await opened._engine.request("dns", records=names)
        return await opened.load(1)

"""The congestion control that a bench was asked for holds for programs that know nothing of it."""

import asyncio
from pathlib import Path

import pytest

from .benches import bench
from .links import both_ways, link

pytestmark = pytest.mark.needs("namespaces")

PORT = 8080


@pytest.mark.parametrize("control", ["cubic", "reno", "bbr"])
def test_foreign_sockets_run_it_and_may_run_no_other(control: str, tmp_path: Path) -> None:
    async def ends() -> list[list[str]]:
        async with bench(tmp_path) as one:
            if control not in (await one.engine.hello()).congestion_controls:
                pytest.fail(f"this kernel has no {control}: modprobe tcp_{control}")
            _, server = await one.open(both_ways(link(1)), congestion_control=control)
            accepting = await one.start("server", "tcp_end", "accept", server, PORT)
            connecting = await one.start("client", "tcp_end", "connect", server, PORT)
            return [await one.finish(connecting), await one.finish(accepting)]

    connected, accepted = asyncio.run(ends())

    assert connected == accepted == [control, "EPERM", "EPERM", control]

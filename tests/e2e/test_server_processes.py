"""A server that does not get ready is told of by a sentence with its last lines."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pronghorn.engine import Engine
from pronghorn.origins import OriginFailed, process
from pronghorn.origins.process import Listens

from .benches import bench
from .links import both_ways, link

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

PORT = 443

BINDS = (
    "import socket, time\n"
    "tcp = socket.create_server(('0.0.0.0', 443), reuse_port=True)\n"
    "udp = socket.socket(type=socket.SOCK_DGRAM)\n"
    "udp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)\n"
    "udp.bind(('0.0.0.0', 443))\n"
    "time.sleep(60)\n"
)
LEAVES = "import sys\nprint('first', file=sys.stderr)\nsys.exit('no such module')\n"


def python(script: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", script]


def on_a_bench(folder: Path, work: Callable[[Engine], Awaitable[None]]) -> None:
    async def run() -> None:
        async with bench(folder) as one:
            await one.open(both_ways(link(1)))
            await work(one.engine)

    asyncio.run(run())


def test_a_server_is_ready_when_it_listens(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        started = await process.start(engine, "binds", python(BINDS), tmp_path, Listens(PORT))
        assert started.stderr == tmp_path / "binds.err"

    on_a_bench(tmp_path, work)


def test_a_server_that_ends_is_told_with_its_status_and_its_last_lines(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        with pytest.raises(OriginFailed) as failure:
            await process.start(engine, "leaves", python(LEAVES), tmp_path, Listens(PORT))
        assert str(failure.value) == (
            "leaves ended with status 1 before it listened on port 443; "
            "its last lines:\nfirst\nno such module"
        )

    on_a_bench(tmp_path, work)


def test_a_server_that_never_listens_is_not_waited_for_without_end(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        idle = python("import time; time.sleep(60)")
        with pytest.raises(OriginFailed, match=r"idle did not listen .* within 0\.2 s; it wrote nothing"):
            await process.start(engine, "idle", idle, tmp_path, Listens(PORT), timeout_s=0.2)

    on_a_bench(tmp_path, work)


def test_a_port_that_is_taken_is_not_shared_in_silence(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        await process.start(engine, "first", python(BINDS), tmp_path, Listens(PORT))
        with pytest.raises(OriginFailed, match=r"second was not started: .* has port 443 \(TCP\)"):
            await process.start(engine, "second", python(BINDS), tmp_path, Listens(PORT))
        with pytest.raises(OriginFailed, match=r"third was not started: .* has port 443 \(UDP\)"):
            await process.start(engine, "third", python(BINDS), tmp_path, Listens(PORT, tcp=False))

    on_a_bench(tmp_path, work)


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        with pytest.raises(OriginFailed, match="gone could not be started"):
            await process.start(engine, "gone", [str(tmp_path / "gone")], tmp_path, Listens(PORT))

    on_a_bench(tmp_path, work)

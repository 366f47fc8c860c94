"""The engine tells when a server inside a host listens, and where it was started."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from pronghorn.engine import Engine, EngineError

from .benches import bench, until
from .links import both_ways, link

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

PATH = both_ways(link(1))

# Takes its TCP port at once, its UDP port when the file `go` says something. Arguments: address and port.
SERVER = """\
import socket, sys, time
kind = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
tcp = socket.create_server((sys.argv[1], int(sys.argv[2])), family=kind)
udp = socket.socket(kind, socket.SOCK_DGRAM)
while not open("go").read(): time.sleep(0.01)
udp.bind((sys.argv[1], int(sys.argv[2])))
time.sleep(60)
"""


def listening(engine: Engine, port: int, *, timeout_s: float = 30.0, **more: Any) -> Any:
    asked = {"host": "server", "port": port, "tcp": True, "udp": True, "process": None, **more}
    return engine.request("listening", timeout_s=timeout_s, **asked)


async def spawned(engine: Engine, script: str, *arguments: str, **more: Any) -> int:
    argv = [sys.executable, "-I", "-S", "-c", script, *arguments]
    ok = await engine.request("spawn", host="server", argv=argv, **more)
    return int(ok["process"])


@pytest.mark.parametrize("address", ["0.0.0.0", "198.18.0.2", "::"])
def test_a_server_listens_once_all_that_was_asked_for_is_bound(tmp_path: Path, address: str) -> None:
    (tmp_path / "go").write_text("")

    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.open(PATH)
            server = await spawned(one.engine, SERVER, address, "443", directory=str(tmp_path))
            tcp = await listening(one.engine, 443, udp=False, process=server)
            assert tcp == {"listening": True, "status": None}
            assert not (await listening(one.engine, 443, timeout_s=0.05, process=server))["listening"]
            (tmp_path / "go").write_text("yes")
            assert await listening(one.engine, 443, process=server) == {"listening": True, "status": None}
            there = await listening(one.engine, 443, timeout_s=0.0, host="client")
            assert there == {"listening": False, "status": None}, "the other host's ports are others"

    asyncio.run(work())


def test_a_server_that_ends_before_it_listens_ends_the_waiting_with_its_status(tmp_path: Path) -> None:
    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.open(PATH)
            server = await spawned(one.engine, "raise SystemExit(7)")
            assert await listening(one.engine, 443, process=server) == {"listening": False, "status": 7}
            with pytest.raises(EngineError) as refused:
                await listening(one.engine, 443, tcp=False, udp=False)
            assert refused.value.kind == "input"

    asyncio.run(work())


def test_a_server_on_loopback_is_waited_for_alike(tmp_path: Path) -> None:
    ask = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)"

    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.engine.request("open", path=None, seed=1, tcp_congestion_control="", capture=None)
            stdout = tmp_path / "port"
            server = await spawned(one.engine, f"{ask}\nimport time; time.sleep(60)", stdout=str(stdout))
            await until("a port", lambda: stdout.exists() and stdout.read_text().endswith("\n"))
            found = await listening(one.engine, int(stdout.read_text()), udp=False, process=server)
            assert found == {"listening": True, "status": None}

    asyncio.run(work())

"""The built-in origin in the clear, as a foreign client asks it: curl."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pronghorn.certificates import Certificates
from pronghorn.engine import Engine, EngineError

from .benches import LIMIT_S, bench
from .links import both_ways, link

pytestmark = pytest.mark.beside


async def start(engine: Engine, site: Path, identity: Certificates, **more: Any) -> dict[str, Any]:
    return await engine.request(
        "origin",
        root=str(site),
        certificate=str(identity.chain),
        key=str(identity.key),
        congestion_control={"tcp": "cubic", "quic": "cubic"},
        **more,
    )


def curl(*arguments: str) -> str:
    form = "%{http_version} %{http_code} %{size_download}"
    argv = ["curl", "--silent", "--show-error", "--output", "/dev/null", "--write-out", form, *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=True, timeout=LIMIT_S).stdout


@pytest.mark.needs("engine", "curl")
def test_a_foreign_client_gets_both_protocols_in_the_clear(
    tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    async def served() -> tuple[list[str], dict[str, Any]]:
        async with bench(tmp_path) as one:
            await one.engine.request("open", path=None, seed=1, tcp_congestion_control="cubic")
            started = await start(one.engine, tiny, identity, address="127.0.0.7", clear_port=0)
            url = f"http://127.0.0.7:{started['clear_port']}/"
            told = [
                await asyncio.to_thread(curl, *how, url)
                for how in ([], ["--http2-prior-knowledge"], ["--http2"])
            ]
            return told, await one.engine.request("origin_log")

    told, log = asyncio.run(served())
    size = (tiny / "index.html").stat().st_size
    assert told == [f"1.1 200 {size}", f"2 200 {size}", f"1.1 200 {size}"]
    assert [(one["path"], one["protocol"]) for one in log["requests"]] == [
        ("/", "h1"),
        ("/", "h2"),
        ("/", "h1"),
    ]
    assert [(one["protocol"], one["tls"]) for one in log["connections"]] == [
        ("h1", False),
        ("h2", False),
        ("h1", False),
    ]


@pytest.mark.needs("engine", "namespaces")
def test_on_a_bench_the_address_is_the_hosts(tmp_path: Path, tiny: Path, identity: Certificates) -> None:
    async def refused() -> EngineError:
        async with bench(tmp_path) as one:
            await one.open(both_ways(link(1)))
            with pytest.raises(EngineError) as caught:
                await start(one.engine, tiny, identity, address="127.0.0.7")
            return caught.value

    error = asyncio.run(refused())
    assert error.kind == "input" and "`address` is for loopback" in str(error)


@pytest.mark.needs("engine", "curl")
def test_a_log_of_counts_counts_what_it_does_not_keep(
    tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    async def served() -> dict[str, Any]:
        async with bench(tmp_path) as one:
            await one.engine.request("open", path=None, seed=1, tcp_congestion_control="cubic")
            started = await start(one.engine, tiny, identity, clear_port=0, log="counts")
            url = f"http://127.0.0.1:{started['clear_port']}"
            for how, path in ([], "/"), ([], "/none"), (["--http2-prior-knowledge"], "/"):
                await asyncio.to_thread(curl, *how, url + path)
            return await one.engine.request("origin_log")

    log = asyncio.run(served())
    size = (tiny / "index.html").stat().st_size
    assert log["requests"] == []
    told = [(one["protocol"], one["status"], one["requests"], one["bytes"]) for one in log["counts"]]
    assert told == [("h1", 200, 1, size), ("h1", 404, 1, 0), ("h2", 200, 1, size)]
    assert log["connection_counts"] == [
        {"protocol": "h1", "tls": False, "connections": 2},
        {"protocol": "h2", "tls": False, "connections": 1},
    ]

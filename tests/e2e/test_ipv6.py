"""Over a path with `family = 6` every server is loaded by every client, and what the path saw is of IPv6."""

import asyncio
import ipaddress
from pathlib import Path
from typing import Any

import pytest

from pronghorn import calibration
from pronghorn.certificates import Certificates
from pronghorn.model import arrivals
from pronghorn.model.experiment_file import shipped_paths
from pronghorn.model.path import from_words

from . import links, pages, programme
from .benches import bench
from .captures import Capture
from .links import link
from .pages import Named
from .programme import Run
from .virtual_runs import experiment

pytestmark = [pytest.mark.needs("guest"), pytest.mark.beside]

PATHS = """
[path.six]
family = 6
down = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
up = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
[path.four]
down = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
up = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
"""

ARMS = ("h2", "h3")

NAMED = [Named("large", "image", 500_000)]

NETWORK = ipaddress.ip_network("fd70:726f:6e67::/48")


@pytest.mark.needs("nginx", "haproxy", "caddy")
def test_every_server_is_loaded_and_every_load_recorded(tmp_path: Path) -> None:
    origins = ["builtin", "nginx", "haproxy", "caddy"]
    kept = ["arrivals", "flight"]
    asked = experiment(tmp_path, PATHS, paths=["six"], origins=origins, arms=ARMS, repeat=1, artifacts=kept)
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    run = Run(tmp_path / "run")
    assert run.manifest()["paths"]["six"]["family"] == 6
    loads = run.trials()
    assert {(one.cell.origin, one.arm, one.status) for one in loads} == {
        (origin, arm, "ok") for origin in origins for arm in ARMS
    }
    files = list(run.directory.rglob("arrivals.json.gz"))
    assert len(files) == len(loads)
    assert {one.protocol for file in files for one in arrivals.read(file).connections} == set(ARMS)
    told = [one for load in loads if load.page is not None for one in load.page.connections]
    assert len(told) >= len(loads)


def test_a_header_of_ipv6_takes_twenty_bytes_more(tmp_path: Path) -> None:
    asked = experiment(tmp_path, PATHS, paths=["four", "six"], arms=["h2", "h3"], repeat=1)
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    carried = {
        (one.cell.path, one.arm): (link.packets_out, link.bytes_out)
        for one in Run(tmp_path / "run").trials()
        if one.counters is not None and (link := one.counters.down) is not None
    }
    for arm in ("h2", "h3"):
        (packets, four), (as_many, six) = carried["four", arm], carried["six", arm]
        assert as_many == packets, arm
        # A signature's length differs from handshake to handshake by some bytes.
        assert abs(six - four - 20 * packets) < packets, arm


def test_a_client_moves_beside_nobody_and_loads_beside_other_flows(
    tmp_path: Path, identity: Certificates
) -> None:
    pages.write(tmp_path / "site", NAMED)
    path: dict[str, Any] = {**links.both_ways(link(10, rate_mbit=8, queue_bytes=60_000)), "family": 6}
    moving = {**path, "handover": {"at_ns": 250_000_000, "path": path}}
    shared = {**path, "cross": {"flows": 2, "tcp_congestion_control": "cubic"}}

    async def work() -> None:
        async with bench(tmp_path, virtual=True) as one:
            await one.open(moving)
            page = await one.load(tmp_path / "site", identity, "h3")
            assert page.outcome == "ok", page.detail
            counters = await one.close()
            assert counters.handover is not None
            assert ipaddress.ip_address(counters.handover.address) in NETWORK
            ends = await one.open(shared)
            assert all(ipaddress.ip_address(end) in NETWORK for end in ends)
            page = await one.load(tmp_path / "site", identity, "h2")
            assert page.outcome == "ok", page.detail
            counted = await one.engine.request("close")
            assert counted["cross"]["bytes"] > 0

    asyncio.run(work())


def test_a_path_of_ipv6_does_what_it_was_asked_to(tmp_path: Path) -> None:
    asked = from_words(["lte", "family=6", "corrupt=5%", "loss=1%"], shipped_paths()).spec
    assert asked is not None

    async def work() -> calibration.Report:
        async with bench(tmp_path, virtual=True) as one:
            return await calibration.calibrate(one.engine, asked, seed=1, budget_s=0.5)

    report = asyncio.run(work())
    assert [row.quantity for row in report.rows if row.verdict == "fail"] == []
    assert "corruption" in {row.quantity for row in report.rows}


@pytest.mark.needs("namespaces", "tshark")
def test_a_capture_is_of_ipv6_and_a_sender_is_told_the_mtu(tmp_path: Path, identity: Certificates) -> None:
    pages.write(tmp_path / "site", NAMED)
    six: dict[str, Any] = {**links.both_ways(link(5, mtu={"bytes": 1300, "icmp": True})), "family": 6}

    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.open(six, capture=tmp_path / "path.pcapng")
            page = await one.load(tmp_path / "site", identity, "h2")
            assert page.outcome == "ok", page.detail
            counters = await one.close()
            assert counters.down is not None and counters.down.too_big > 0

    asyncio.run(work())
    (tmp_path / "home").mkdir()
    seen = Capture(tmp_path / "path.pcapng", tmp_path / "home")
    assert seen.count("ipv6") == seen.count("frame") > 100
    assert seen.count("http2") > 0


@pytest.mark.needs("namespaces", "chromium")
def test_chromium_looks_the_origin_up_and_loads_it(tmp_path: Path) -> None:
    arms = ["h2", "h3~https"]
    asked = experiment(
        tmp_path, PATHS, paths=["six"], clients=["chromium"], arms=arms, repeat=1, clock="real"
    )
    found = programme.load_every_arm(str(asked), "--set=preflight=false", arms=arms, folder=tmp_path)
    assert {trial.arm for trial in found.loads} == set(arms)

"""Over a path with `family = 6` clients load from servers as over IPv4, and what the path saw is of IPv6."""

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

from .. import recorded_page
from . import guide, links, pages, programme
from .benches import bench
from .captures import Capture
from .links import link
from .pages import Named
from .programme import Run
from .virtual_runs import experiment

pytestmark = pytest.mark.beside

PATHS = """
[path.six]
family = 6
down = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
up = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
[path.four]
down = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
up = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
"""

OWN = """
[origins.hypercorn]
command = '''exec hypercorn app:app --workers 0 --bind "[$PRONGHORN_ADDRESS]:$PRONGHORN_PORT" \
    --certfile "$PRONGHORN_CERTIFICATE" --keyfile "$PRONGHORN_KEY"'''
[clients.native]
[clients.stdlib]
command = "exec python3 page.py"
protocols = ["h1"]
"""
"""Of docs/own-stack.md; the client asks at the origin's address, which the certificate must have."""

UNCHECKED = "--set=preflight=false"

ARMS = ("h2", "h3")

NAMED = [Named("large", "image", 500_000)]

NETWORK = ipaddress.ip_network("fd70:726f:6e67::/48")


@pytest.mark.needs("guest", "nginx", "haproxy", "caddy")
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


@pytest.mark.needs("guest", "nginx", "haproxy", "caddy")
def test_each_host_of_a_recorded_site_has_an_address_of_its_own(tmp_path: Path) -> None:
    recorded_page.make(tmp_path / "shop")
    origins = ["builtin", "nginx", "haproxy", "caddy"]
    sites = [f"archive:{tmp_path / 'shop'}"]
    asked = experiment(tmp_path, PATHS, sites=sites, paths=["six"], origins=origins, arms=["h3"], repeat=1)
    result = programme.run("run", str(asked), UNCHECKED, "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    loads = Run(tmp_path / "run").trials()
    assert {(one.cell.origin, one.status) for one in loads} == {(origin, "ok") for origin in origins}
    for one in loads:
        assert one.page is not None
        assert {each.protocol for each in one.page.connections} == {"h1", "h2", "h3"}
        # Two of the page's five hosts share an address, and a connection.
        assert len(one.page.connections) >= len(recorded_page.HOSTS) - 1


@pytest.mark.needs("guest")
def test_each_stack_sends_the_payload_that_an_arm_asks_for(tmp_path: Path) -> None:
    arms = ["h1", "h3", "h3:s2n"]
    knobs = '[knobs]\ninitial_mtu = "1452B"\nmtu_discovery = false\n'
    asked = experiment(tmp_path, knobs + PATHS, paths=["six"], arms=arms, repeat=1)
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    loads = {one.arm: one for one in Run(tmp_path / "run").trials()}
    assert {arm: one.status for arm, one in loads.items()} == dict.fromkeys(arms, "ok")
    for arm in ("h3", "h3:s2n"):
        page = loads[arm].page
        assert page is not None
        client = [each.settings for each in page.connections]
        server = [each.settings for each in loads[arm].origin_connections]
        assert [settings.get("udp_payload") for settings in client + server] == [1452, 1452], arm


@pytest.mark.needs("guest")
def test_the_load_generator_has_every_request_answered(tmp_path: Path) -> None:
    arms = ["h1+clear", "h2", "h3"]
    defined = "[load]\nrequests = 40\nconnections = 4\nstreams = 2\n" + PATHS
    asked = experiment(tmp_path, defined, paths=["six"], clients=["load"], arms=arms, repeat=1)
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    loads = Run(tmp_path / "run").trials()
    assert {one.arm: one.status for one in loads} == dict.fromkeys(arms, "ok")
    assert [sum(one.metrics.protocols.values()) for one in loads] == [40] * len(arms)


@pytest.mark.needs("guest")
def test_the_guides_own_server_and_client_load_by_the_origins_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide.write(tmp_path)
    monkeypatch.setenv("PATH", guide.PATH)
    asked = experiment(tmp_path, OWN + PATHS, paths=["six"], arms=["h1"], repeat=1)
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    loads = Run(tmp_path / "run").trials()
    assert {(one.cell.client, one.status) for one in loads} == {("native", "ok"), ("stdlib", "ok")}
    assert all(each.protocol == "h1" for one in loads for each in one.origin_log)


@pytest.mark.needs("guest")
def test_a_header_of_ipv6_takes_twenty_bytes_more(tmp_path: Path) -> None:
    asked = experiment(tmp_path, PATHS, paths=["four", "six"], arms=["h2", "h3"], repeat=1)
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    carried = {
        (one.cell.path, one.arm): (link.packets_out, link.bytes_out)
        for one in Run(tmp_path / "run").trials()
        if one.counters is not None and (link := one.counters.down) is not None
    }
    for arm in ARMS:
        (packets, four), (as_many, six) = carried["four", arm], carried["six", arm]
        # A full packet carries less, and a signature's length varies by some bytes.
        others = abs(as_many - packets)
        assert others <= packets / 20, arm
        assert abs((six - 40 * as_many) - (four - 20 * packets)) < packets + 60 * others, arm


@pytest.mark.needs("guest")
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
            assert counters.handover is not None and counters.down is not None
            assert counters.down.left_behind > 0, "the load was under way"
            assert [len(each.migrations) for each in page.connections] == [1]
            assert ipaddress.ip_address(counters.handover.address) in NETWORK
            await one.open(moving)
            page = await one.load(tmp_path / "site", identity, "h2", limit_s=5)
            assert page.outcome == "failed", "TCP doesn't migrate"
            await one.close()
            ends = await one.open(shared)
            assert all(ipaddress.ip_address(end) in NETWORK for end in ends)
            page = await one.load(tmp_path / "site", identity, "h2")
            assert page.outcome == "ok", page.detail
            counted = await one.engine.request("close")
            assert counted["cross"]["bytes"] > 0

    asyncio.run(work())


@pytest.mark.needs("guest")
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

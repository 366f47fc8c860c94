"""What connections do over time, told of both ends, by the kernel and by quinn, on one axis."""

import asyncio
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pronghorn.certificates import Certificates
from pronghorn.engine import EngineError
from pronghorn.model.trial import Counters, PageLoad

from . import bulk, links, pages
from .benches import LIMIT_S, bench
from .links import link
from .pages import Named

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.beside]

NAMED = [Named("large", "image", 600_000)]
INTERVAL_S = 0.01
ROUND_TRIP_S = 0.04
PATH = links.both_ways(link(20, rate_mbit=8, queue_bytes=60_000))

LOSSY = {**PATH, "down": link(20, rate_mbit=8, queue_bytes=60_000, loss=0.03)}
"""Of some 420 packets, at least one is lost but for one time in 300 000."""

OUTAGE = {"outage": {"kind": "scheduled", "windows": [{"at_ns": 300_000_000, "for_ns": 1_500_000_000}]}}
SILENT = {name: {**PATH[name], **OUTAGE} for name in ("down", "up")}
"""Silent for longer than any sender waits for an acknowledgement, in the middle of the transfer."""

TRANSPORTS = {"h2": "tcp", "h3": "quic"}


class Recorded(NamedTuple):
    """A load over a path, its flight and what was counted."""

    page: PageLoad
    flight: dict[str, Any]
    counters: Counters


async def recorded(
    folder: Path, identity: Certificates, protocol: str, path: links.Path, **options: Any
) -> Recorded:
    pages.write(folder / "site", NAMED)
    async with bench(folder) as one:
        await one.open(path, flight_interval_s=INTERVAL_S)
        page = await one.load(folder / "site", identity, protocol, **options)
        return Recorded(page, await one.flight(), await one.close())


def end(recording: Recorded, host: str) -> dict[str, Any]:
    """The one connection's end at a host."""
    ends = [one for one in recording.flight["connections"] if one["host"] == host]
    assert len(ends) == 1, [(one["local_port"], one["peer_port"]) for one in ends]
    return dict(ends[0])


def last(connection: dict[str, Any], column: str) -> int:
    told = [value for value in connection["samples"][column] if value is not None]
    assert told, column
    return int(max(told))


@pytest.mark.parametrize("protocol", TRANSPORTS)
def test_the_sender_of_a_lossy_path_tells_its_window_its_round_trips_and_its_losses(
    tmp_path: Path, identity: Certificates, protocol: str
) -> None:
    run = asyncio.run(recorded(tmp_path, identity, protocol, LOSSY))
    assert run.page.outcome == "ok", run.page.detail
    assert run.counters.down is not None
    assert run.counters.down.lost > 0
    client, server = end(run, "client"), end(run, "server")
    assert (client["local_port"], client["peer_port"]) == (server["peer_port"], server["local_port"])
    for one in (client, server):
        assert one["transport"] == TRANSPORTS[protocol]
        assert one["congestion_controller"] == "cubic"
        assert one["stack"].startswith("linux " if protocol == "h2" else "quinn-proto 0.11.")
        assert 500 <= one["mss"] <= 1500
        sizes = [change["bytes"] for change in one["mss_changes"]]
        assert sizes[-1] == one["mss"]
        assert all(one != other for one, other in pairwise(sizes))
        assert (one["black_holes"] is None) == (protocol == "h2")
        samples = one["samples"]
        assert {len(column) for column in samples.values()} == {len(samples["at_s"])}
        assert samples["at_s"] == sorted(set(samples["at_s"]))
        assert all(window > 0 for window in samples["cwnd_bytes"])
        assert min(rtt for rtt in samples["min_rtt_s"] if rtt is not None) >= ROUND_TRIP_S
    column = "retransmits" if protocol == "h2" else "lost_packets"
    assert last(server, column) > last(client, column)
    assert 0 < last(server, "in_flight_bytes") <= 2 * last(server, "cwnd_bytes")
    assert last(server, "acked_bytes") > 300_000
    assert len(set(server["samples"]["cwnd_bytes"])) > 2, "losses make it smaller, acknowledgements larger"


@pytest.mark.parametrize("protocol", TRANSPORTS)
def test_a_silent_path_runs_out_the_senders_timeouts(
    tmp_path: Path, identity: Certificates, protocol: str
) -> None:
    run = asyncio.run(recorded(tmp_path, identity, protocol, SILENT))
    assert run.page.outcome == "ok", run.page.detail
    timeouts = [value for value in end(run, "server")["samples"]["timeouts"] if value is not None]
    if protocol == "h2" and not timeouts:
        assert kernel_version() < (6, 7), "since then the kernel tells of its timeouts"
        return
    assert timeouts[-1] > timeouts[0]
    assert timeouts == sorted(timeouts)


def kernel_version() -> tuple[int, ...]:
    release = Path("/proc/sys/kernel/osrelease").read_text(encoding="utf-8")
    return tuple(int(part) for part in release.split("-")[0].split(".")[:2])


@pytest.mark.parametrize("protocol", TRANSPORTS)
def test_a_loads_times_lie_on_the_flights_axis(tmp_path: Path, identity: Certificates, protocol: str) -> None:
    run = asyncio.run(recorded(tmp_path, identity, protocol, PATH))
    assert run.page.outcome == "ok", run.page.detail
    assert run.page.started_monotonic_s is not None
    assert run.page.load_s is not None
    start_s = run.page.started_monotonic_s - run.flight["clock_base_monotonic_s"]
    assert start_s > 0
    connection = run.page.connections[0]
    assert connection.secured_s is not None
    first_s = end(run, "client")["samples"]["at_s"][0]
    assert first_s >= start_s + (connection.start_s or 0.0)
    server = end(run, "server")["samples"]
    middle_s = start_s + run.page.load_s / 2
    before = [acked for at, acked in zip(server["at_s"], server["acked_bytes"], strict=True) if at < middle_s]
    assert before, "there were samples in the first half"
    assert max(before) < NAMED[0].size


def test_a_foreign_programs_connection_is_told_as_well(tmp_path: Path) -> None:
    async def measured() -> tuple[bulk.Flow, dict[str, Any]]:
        async with bench(tmp_path) as one:
            client, _ = await one.open(PATH, flight_interval_s=INTERVAL_S)
            flow = await bulk.send(one, client, warmup_s=0.0, measured_s=0.5)
            return flow, await one.flight()

    flow, flight = asyncio.run(measured())
    ends = {one["host"]: one for one in flight["connections"]}
    assert {one["transport"] for one in ends.values()} == {"tcp"}
    assert ends["client"]["local_port"] == ends["server"]["peer_port"] == bulk.PORT
    assert last(ends["server"], "acked_bytes") >= flow.bytes_acked / 2
    assert last(ends["client"], "acked_bytes") < flow.bytes_acked / 2


# Takes a connection by a socket of IPv6 that has IPv4 as well, as many servers do, and keeps it.
DUAL_STACK = """\
import socket, time
ear = socket.create_server(("::", 443), family=socket.AF_INET6, dualstack_ipv6=True)
connection, _ = ear.accept()
time.sleep(60)
"""
CONNECT = """\
import socket, sys, time
connection = socket.create_connection((sys.argv[1], 443))
time.sleep(60)
"""


def test_ipv4_over_a_socket_of_ipv6_is_told_as_well(tmp_path: Path) -> None:
    async def measured() -> list[dict[str, Any]]:
        async with bench(tmp_path) as one:
            _, server = await one.open(PATH, flight_interval_s=INTERVAL_S)
            argv = [sys.executable, "-I", "-S", "-c"]
            spawned = await one.engine.request("spawn", host="server", argv=[*argv, DUAL_STACK])
            await one.engine.request(
                "listening",
                host="server",
                port=443,
                tcp=True,
                udp=False,
                process=spawned["process"],
                timeout_s=30.0,
            )
            await one.engine.request("spawn", host="client", argv=[*argv, CONNECT, server])
            async with asyncio.timeout(LIMIT_S):
                while len(told := (await one.flight())["connections"]) < 2:
                    await asyncio.sleep(INTERVAL_S)
            return list(told)

    told = asyncio.run(measured())
    ends = sorted((one["host"], one["local_address"], one["peer_address"]) for one in told)
    assert ends == [("client", "198.18.0.1", "198.18.0.2"), ("server", "198.18.0.2", "198.18.0.1")]


@pytest.mark.parametrize("protocol", TRANSPORTS)
def test_looking_costs_little(tmp_path: Path, identity: Certificates, protocol: str) -> None:
    """A quiet host shows less than 1 % of a CPU; the bound leaves room for one that is stolen from."""
    run = asyncio.run(recorded(tmp_path, identity, protocol, PATH))
    assert run.page.load_s is not None
    cost = run.flight["cost"]
    assert cost["ticks"] > 0
    assert 0 < cost["cpu_s"] / run.page.load_s < 0.05, cost


def test_both_ends_leave_a_qlog_of_every_quic_connection(tmp_path: Path, identity: Certificates) -> None:
    folder = tmp_path / "qlog"

    async def measured() -> tuple[PageLoad, Counters]:
        pages.write(tmp_path / "site", NAMED)
        async with bench(tmp_path) as one:
            await one.open(LOSSY)
            port = await one.serve(tmp_path / "site", identity, qlog=str(folder))
            page = await one.visit(identity, "h3", port, qlog=str(folder))
            return page, await one.close()

    page, counters = asyncio.run(measured())
    assert page.outcome == "ok", page.detail
    assert counters.qlog is not None
    assert (counters.qlog.files, counters.qlog.fault) == (2, None)
    assert {file.name for file in folder.iterdir()} == {"client-0.sqlog", "server-0.sqlog"}
    header, *events = records(folder / "server-0.sqlog")
    assert (header["qlog_version"], header["trace"]["vantage_point"]["type"]) == ("0.3", "server")
    names = [event["name"] for event in events]
    assert names.count("recovery:packet_lost") > 0
    assert names.count("transport:packet_sent") > 300
    windows = [event["data"].get("congestion_window") for event in events]
    assert len({window for window in windows if window}) > 2


def records(file: Path) -> list[dict[str, Any]]:
    """The records of a JSON text sequence (RFC 7464)."""
    return [json.loads(text) for text in file.read_text(encoding="utf-8").split("\x1e")[1:]]


def test_over_loopback_a_flight_is_refused(tmp_path: Path) -> None:
    async def opened() -> None:
        async with bench(tmp_path) as one:
            await one.engine.request(
                "open",
                path=None,
                seed=1,
                tcp_congestion_control="cubic",
                capture=None,
                flight={"interval_s": INTERVAL_S},
            )

    with pytest.raises(EngineError, match="over loopback") as refused:
        asyncio.run(opened())
    assert refused.value.kind == "input"

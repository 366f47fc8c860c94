"""What is asked of hosts, origin and client beside congestion control reads back, and the path shows it."""

import asyncio
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.engine import EngineError

from . import links, pages
from .benches import CONTROLS, LIMIT_S, bench
from .links import link
from .pages import Named

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.beside]

SIZE = 1_000_000
ROUND_TRIP_S = 0.04
FAR = links.both_ways(link(20))
NARROW = links.both_ways(link(10, rate_mbit=10))

Raw = dict[str, Any]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with one image of a megabyte."""
    root = tmp_path_factory.mktemp("knobs") / "site"
    pages.write(root, [Named("large", "image", SIZE)])
    return root


class Loaded(NamedTuple):
    """A load, both ends of its one connection, and what the path counted."""

    page: Raw
    client: Raw
    origin: Raw
    counters: Raw


class Asked(NamedTuple):
    """What is loaded, and from where."""

    folder: Path
    site: Path
    identity: Certificates

    def load(
        self,
        protocol: str,
        path: links.Path,
        knobs: Raw | None = None,
        *,
        opening: Raw | None = None,
    ) -> Loaded:
        """Loads the page over a new bench; `knobs` are both ends', `opening` is the bench's."""

        async def work() -> Loaded:
            async with bench(self.folder) as one:
                ask = one.engine.request
                await ask("open", path=path, seed=1, tcp_congestion_control="cubic", **(opening or {}))
                asked = {"knobs": knobs} if knobs is not None else {}
                port = await one.serve(self.site, self.identity, **asked)
                page = await ask(
                    "load",
                    patience_s=LIMIT_S + 10,
                    **{
                        "host_name": HOST_NAME,
                        "port": port,
                        "protocol": protocol,
                        "ca": str(self.identity.authority),
                        "congestion_control": CONTROLS,
                        "limit_s": LIMIT_S,
                        **asked,
                    },
                )
                assert page["outcome"] == "ok", page["detail"]
                log = await ask("origin_log")
                (client,), (origin,) = page["connections"], log["connections"]
                return Loaded(page, client, origin, await ask("close"))

        return asyncio.run(work())


@pytest.fixture
def asked(tmp_path: Path, site: Path, identity: Certificates) -> Asked:
    """Loads of the site."""
    return Asked(tmp_path, site, identity)


def settings(loaded: Loaded) -> tuple[Raw, Raw]:
    """Of both ends."""
    return loaded.client["settings"], loaded.origin["settings"]


@pytest.mark.parametrize("window", ["stream_window", "connection_window"])
@pytest.mark.parametrize("protocol", ["h2", "h3"])
def test_a_window_bounds_what_a_round_trip_brings(asked: Asked, protocol: str, window: str) -> None:
    size = 65_536
    loaded = asked.load(protocol, FAR, {window: size})
    assert [end[window] for end in settings(loaded)] == [size, size]
    assert loaded.page["load_s"] >= (SIZE / size - 1) * ROUND_TRIP_S


def test_windows_are_the_libraries_own_where_none_are_asked_for(asked: Asked) -> None:
    over_tcp, over_quic = (settings(asked.load(protocol, FAR)) for protocol in ("h2", "h3"))
    for end, stream, connection in [
        (over_tcp[0], 2 << 20, 5 << 20),
        (over_tcp[1], 1 << 20, 1 << 20),
        (over_quic[0], 1_250_000, 2**62 - 1),
        (over_quic[1], 1_250_000, 2**62 - 1),
    ]:
        assert (end["stream_window"], end["connection_window"]) == (stream, connection)
    assert all(end["initial_window"] == 10 * end["mss"] for end in over_tcp)
    for end in over_quic:
        assert (end["pacing"], end["mtu_discovery"], end["ack_frequency"]) == (True, True, None)


def test_fewer_acknowledgements_come_where_they_may_wait(asked: Asked) -> None:
    often, seldom = (asked.load("h3", NARROW, knobs) for knobs in ({}, {"ack_frequency": 20}))
    assert [end["ack_frequency"] for end in settings(seldom)] == [20, 20]
    assert seldom.counters["up"]["packets_in"] * 2 < often.counters["up"]["packets_in"]


@pytest.mark.parametrize("payload", [1200, 1472])
def test_udp_payloads_stay_at_the_first_size_without_discovery(asked: Asked, payload: int) -> None:
    loaded = asked.load("h3", FAR, {"initial_mtu": payload, "mtu_discovery": False})
    for end in settings(loaded):
        assert (end["udp_payload"], end["mtu_discovery"]) == (payload, False)
    down = loaded.counters["down"]
    assert payload - 50 < down["bytes_in"] / down["packets_in"] <= payload + 28


def test_discovery_finds_larger_payloads(asked: Asked) -> None:
    found = [end["udp_payload"] for end in settings(asked.load("h3", FAR))]
    assert found[1] > 1200, "the origin has sent enough to look for them"


def test_quinn_hands_over_single_datagrams_where_it_is_to(asked: Asked) -> None:
    together, single = (asked.load("h3", FAR, {"segmentation_offload": allowed}) for allowed in (True, False))
    assert [end["segmentation_offload"] for end in settings(together)] == [True, True]
    assert [end["segmentation_offload"] for end in settings(single)] == [False, False]
    assert single.counters["down"]["superpackets_in"] == 0
    if "uso" in together.counters["host"]["offloads"]:
        assert together.counters["down"]["superpackets_in"] > 0


@pytest.mark.parametrize("protocol", ["h2", "h3"])
def test_without_offloads_the_path_gets_single_packets(asked: Asked, protocol: str) -> None:
    loaded = asked.load(protocol, FAR, opening={"offloads": False})
    assert loaded.counters["host"]["offloads"] == ["csum"]
    assert loaded.counters["down"]["superpackets_in"] == 0
    assert loaded.counters["down"]["packets_in"] >= SIZE / 1500


@pytest.mark.parametrize("paced", [False, True])
def test_tcp_tells_its_initial_window_and_its_pacing(asked: Asked, paced: bool) -> None:
    opening = {"tcp": {"initial_window_segments": 20}}
    loaded = asked.load("h2", FAR, {"pacing": paced}, opening=opening)
    for end in settings(loaded):
        assert end["initial_window"] == 20 * end["mss"]
        assert end["pacing"] is paced
        assert end["send_buffer"] > 0 and end["receive_buffer"] > 0
    for host in loaded.counters["host"]["tcp"].values():
        assert host["initial_window_segments"] == 20


def test_paced_tcp_fills_no_queue_in_slow_start(asked: Asked) -> None:
    """Without pacing a flight comes at twice the rate at which its acknowledgements came. A host that
    stops for a moment makes a queue longer, never shorter: so the shortest of three counts."""
    path = links.both_ways(link(50, rate_mbit=100))

    def queue(paced: bool) -> int:
        loads = (asked.load("h2", path, {"pacing": paced}) for _ in range(3))
        return min(int(loaded.counters["down"]["queue_high_water_packets"]) for loaded in loads)

    assert queue(True) * 2 < queue(False)


def test_quics_initial_window_and_buffers_read_back(asked: Asked) -> None:
    knobs = {"initial_window": 30_000, "udp_receive_buffer": 3 << 20, "udp_send_buffer": 2 << 20}
    loaded = asked.load("h3", FAR, knobs)
    for end in settings(loaded):
        assert end["initial_window"] == 30_000
        assert (end["udp_receive_buffer"], end["udp_send_buffer"]) == (6 << 20, 4 << 20)
    assert loaded.client["udp_receive_buffer"] == loaded.origin["udp_receive_buffer"] == 6 << 20


def test_a_receive_buffer_of_tcp_bounds_what_a_round_trip_brings(asked: Asked) -> None:
    size = 65_536
    loaded = asked.load("h2", FAR, opening={"tcp": {"receive_buffer": size}})
    assert loaded.page["load_s"] >= (SIZE / size - 1) * ROUND_TRIP_S
    for host in loaded.counters["host"]["tcp"].values():
        assert host["receive_buffer"][1:] == [size, size]
        assert host["tcp_congestion_controls"] == ["cubic"]


def test_the_answer_to_open_tells_how_tcp_is_set_up(tmp_path: Path) -> None:
    async def opened(**more: Any) -> Raw:
        async with bench(tmp_path) as one:
            return await one.engine.request(
                "open", path=FAR, seed=1, tcp_congestion_control="reno", tcp=None, **more
            )

    for host in asyncio.run(opened())["tcp"].values():
        assert host["initial_window_segments"] is None
        assert host["slow_start_after_idle"] is True
        assert host["tcp_congestion_controls"] == ["reno"]
        assert len(host["receive_buffer"]) == len(host["send_buffer"]) == 3


@pytest.mark.parametrize(
    ("protocol", "more", "says"),
    [
        (None, {"knobs": {"initial_windov": 14480}}, "initial_windov"),
        (None, {"knobs": {"initial_mtu": 1500}}, "initial_mtu"),
        ("h3", {"knobs": {"pacing": False}}, "always paces"),
        ("h2", {"tls": "1.2", "knobs": {"cipher": "TLS13_AES_128_GCM_SHA256"}}, "cipher"),
        ("h2", {"tls": "1.2", "knobs": {"key_exchange": "X25519MLKEM768"}}, "key_exchange"),
    ],
)
def test_what_can_not_be_is_refused(
    tmp_path: Path, site: Path, identity: Certificates, protocol: str | None, more: Raw, says: str
) -> None:
    async def ask() -> None:
        async with bench(tmp_path) as one:
            await one.open(FAR)
            if protocol is None:
                await one.serve(site, identity, **more)
            else:
                await one.visit(identity, protocol, 443, **more)

    with pytest.raises(EngineError, match=says) as refused:
        asyncio.run(ask())
    assert refused.value.kind == "input"


@pytest.mark.parametrize("more", [{"tcp": {"send_buffer": 65_536}}, {"offloads": False}])
def test_over_loopback_the_machines_tcp_stays_as_it_is(tmp_path: Path, more: Raw) -> None:
    async def ask(**asked: Any) -> Raw:
        async with bench(tmp_path) as one:
            return await one.engine.request(
                "open", path=None, seed=1, tcp_congestion_control="cubic", **asked
            )

    assert asyncio.run(ask(tcp={"send_buffer": None}, offloads=True))["tcp"] is None
    with pytest.raises(EngineError, match="over loopback") as refused:
        asyncio.run(ask(**more))
    assert refused.value.kind == "input"


@pytest.mark.parametrize("key", ["receive_buffer", "initial_window_segments"])
def test_what_no_kernel_takes_is_refused(tmp_path: Path, key: str) -> None:
    async def ask() -> None:
        async with bench(tmp_path) as one:
            await one.engine.request("open", path=FAR, seed=1, tcp_congestion_control="cubic", tcp={key: 0})

    with pytest.raises(EngineError, match=key) as refused:
        asyncio.run(ask())
    assert refused.value.kind == "input"

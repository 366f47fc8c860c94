"""What an unmeasured visit leaves Chromium with, and that its connections are not among it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from .captures import Capture
from .stages import FAR, Definition, Scene, load

pytestmark = [pytest.mark.needs("namespaces", "chromium"), pytest.mark.beside]

TRIES = 3

AWAY: Definition = {
    "down": {"rate": "100Mbit", "delay": "150ms", "queue": "1MB"},
    "up": {"rate": "100Mbit", "delay": "150ms", "queue": "1MB"},
}
"""A round trip of 300 ms, in which a busy host can do much."""


@pytest.mark.parametrize("arm", ["h1+resumed", "h2+resumed", "h2+tls12+resumed"])
def test_a_resumed_session_has_a_new_connection_and_an_empty_cache(
    arm: str, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    def loads() -> Iterator[bool | None]:
        settings = {"cache_control": "max-age=86400"}
        scene = Scene(arm, tiny, identity, artifacts=("netlog",), settings=settings)
        for number in range(TRIES):
            (found,), _ = asyncio.run(load(scene, tmp_path / f"try-{number}"))
            assert (found.page.outcome, found.page.detail) == ("ok", None)
            assert [one.path for one in found.log.requests] == ["/"]
            assert [one.from_cache for one in found.page.resources] == [False]
            (connection,) = found.page.connections
            yield connection.resumed

    # The browser writes its log some events behind: on a busy host the handshake may not stand there yet.
    told = (resumed for resumed in loads() if resumed is not None)
    assert next(told, None) is True


def test_early_data_is_told_from_a_mere_resumption(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    def loads(arm: str) -> Iterator[str | None]:
        for number in range(TRIES):
            scene = Scene(arm, tiny, identity, path=AWAY)
            (found,), _ = asyncio.run(load(scene, tmp_path / f"{arm}-{number}"))
            assert found.log.tickets["quic"] == {"redeemed": 1, "replayed": 0, "unknown": 0}
            (connection,) = found.page.connections
            yield connection.early_data

    assert next(loads("h3+resumed")) is None
    # Early data can always be sent, since the session always is resumed; a request that a busy host delays by
    # a round trip leaves after the handshake all the same, and was not early.
    assert "accepted" in loads("h3+0rtt")


def test_a_repeat_view_with_a_warm_cache_asks_for_nothing(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    scene = Scene("h2+warm", tiny, identity, settings={"cache_control": "public, max-age=86400"})
    (found,), _ = asyncio.run(load(scene, tmp_path))

    assert found.page.outcome == "ok"
    assert found.log.requests == []
    assert (found.page.requests, found.page.bytes, found.page.connections) == (0, 0, [])
    assert [one.from_cache for one in found.page.resources] == [True]


@pytest.mark.needs("tshark")
@pytest.mark.parametrize("client", ["chromium", "native"])
@pytest.mark.parametrize("arm", ["h2+resumed", "h3+resumed"])
def test_nothing_of_the_visits_connections_is_on_the_measured_path(
    client: str, arm: str, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    over_tcp = arm.startswith("h2")
    carried, opens = ("tcp", "tcp.flags.syn == 1") if over_tcp else ("udp", "quic.long.packet_type == 0")
    # An ICMP message quotes a packet, with its addresses and ports.
    up, down = "ip.src == 198.18.0.1 and not icmp", "ip.src == 198.18.0.2 and not icmp"

    def strangers() -> Iterator[set[str]]:
        scene = Scene(arm, tiny, identity, path=FAR, client=client, artifacts=("pcapng",))
        for number in range(TRIES):
            folder = tmp_path / f"try-{number}"
            home = folder / "home"
            (found,), counters = asyncio.run(load(scene, folder))
            home.mkdir()
            assert found.page.outcome == "ok"
            assert counters.up is not None and counters.up.packets_in > 0
            capture = Capture(folder / "artifacts" / "path.pcapng", home)
            opened = capture.values(f"{opens} and {up}", f"{carried}.srcport")
            seen = capture.values(up, f"{carried}.srcport") | capture.values(down, f"{carried}.dstport")
            assert opened
            yield seen - opened

    # What a busy host closes only after the quiet that ends a visit is still heard, but not every time.
    assert not all(strangers())

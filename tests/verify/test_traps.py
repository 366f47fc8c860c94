"""`pronghorn why` names what is planted in real servers behind an emulated path, and finds nothing in sound
ones. docs/why.md lists them."""

import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pronghorn import certificates
from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.model.certificate import CertificateSettings, KeyKind

from ..e2e import links
from ..e2e.pages import Named
from ..e2e.programme import run
from ..e2e.trap_scenes import BOTH, LARGE, OFFERS, WIDE, Answer, Scene, play

pytestmark = pytest.mark.needs("engine", "namespaces", "nginx", "caddy", "root")

Work = Callable[[Scene], Awaitable[Answer]]

ROUND_TRIP = links.link(30)
_HALF = [Named("large", "image", 1_500_000)]
ELSEWHERE = {"alt-svc": 'h3=":8443"; ma=86400'}
SHORT = links.link(30, mtu={"bytes": 1400, "icmp": True})
_PROGRAMS = Path(__file__).parents[1] / "e2e" / "programs"


def _down(**more: Any) -> links.Path:
    """The wide path, whose way to the client is changed."""
    return {"down": {**WIDE["down"], **more}, "up": ROUND_TRIP}


def _nginx(page: list[Named], *words: str, **directives: Any) -> Work:
    async def work(scene: Scene) -> Answer:
        scene.page(page)
        await scene.nginx(**directives)
        return await scene.why(scene.url, *words)

    return work


def _builtin(page: list[Named], *words: str, **options: Any) -> Work:
    async def work(scene: Scene) -> Answer:
        scene.page(page)
        await scene.builtin(**options)
        return await scene.why(scene.url, *words)

    return work


async def _caddy(scene: Scene) -> Answer:
    scene.page(_HALF)
    await scene.caddy()
    return await scene.why(scene.url)


async def _urgent_behind_large(scene: Scene) -> Answer:
    """A style sheet that another imports, so that images are under way when it is asked for."""
    images = [Named(f"large{number}", "image", 1_000_000) for number in range(4)]
    scene.page([Named("first", "style", 2_000, place="head"), *images])
    (scene.root / "first.css").write_text('@import "/late.css";', encoding="utf-8")
    (scene.root / "late.css").write_text("/*" + "x" * 100_000 + "*/", encoding="utf-8")
    await scene.builtin(ELSEWHERE)
    buffer = "http3_stream_buffer_size 8m;"
    await scene.nginx(listen="listen 8443 quic reuseport;", http=buffer, port=8443)
    return await scene.why(scene.url)


async def _unpaced(scene: Scene) -> Answer:
    """h2 is paced, and has at most a send buffer on the way."""
    scene.page()
    await scene.builtin(ELSEWHERE, knobs={"pacing": True})
    buffer = "http3_stream_buffer_size 8m;"
    await scene.nginx(listen="listen 8443 quic reuseport;", http=buffer, port=8443)
    return await scene.why(scene.url)


async def _redirected(scene: Scene) -> Answer:
    scene.page([])
    await scene.nginx(server=f"{OFFERS} return 302 https://{scene.server}:8443/;")
    await scene.nginx(listen="listen 8443 ssl; http2 on;", server="", port=8443)
    return await scene.why(f"https://{HOST_NAME}/", "--limit=3", hosts=f"{scene.server} {HOST_NAME}")


async def _second_address(scene: Scene) -> Answer:
    scene.page([])
    await scene.builtin()
    hosts = f"{scene.server} {HOST_NAME}\n198.18.0.77 {HOST_NAME}"
    return await scene.why(f"https://{HOST_NAME}/", hosts=hosts)


async def _slow_application(scene: Scene) -> Answer:
    at = f"{scene.server}:443"
    own = scene.identity
    argv = [
        str(Path(sys.executable).parent / "hypercorn"), "slow_app:app", "--workers", "0",
        "--certfile", str(own.chain), "--keyfile", str(own.key), "--bind", at, "--quic-bind", at,
    ]  # fmt: skip
    await scene.start(argv, 443, udp=True, tcp=True, env={"PYTHONPATH": str(_PROGRAMS)})
    return await scene.why(scene.url)


_FIXED = {"initial_mtu": 1452, "mtu_discovery": False}

PLANTED: Mapping[str, tuple[str, Work, dict[str, Any]]] = {
    "64 kB a round trip": ("stream-buffer", _nginx(LARGE), {}),
    "64 kB a round trip, in loads that don't end in time": (
        "stream-buffer",
        _nginx(LARGE, "--limit=2"),
        {},
    ),
    "128 kB a round trip": (
        "fixed-window",
        _nginx(LARGE, http="http3_stream_buffer_size 128k;"),
        {},
    ),
    "UDP is policed": (
        "udp-policed",
        _builtin(LARGE),
        {"path": _down(udp={"police": {"rate_bit_per_s": 8_000_000, "burst_bytes": 60_000}})},
    ),
    "bursts before a short queue": (
        "burst-loss",
        _unpaced,
        {"path": _down(queue={"bytes": 20_000}), "tcp": {"send_buffer": 400_000}},
    ),
    "BBR against CUBIC": (
        "congestion-control",
        _builtin(_HALF, congestion_control={"tcp": "bbr", "quic": "cubic"}),
        {"path": _down(loss={"model": "independent", "probability": 0.01}), "control": "bbr"},
    ),
    "priorities are ignored": (
        "priorities",
        _urgent_behind_large,
        {"path": {"down": links.link(30, rate_mbit=10, queue_bytes=100_000), "up": ROUND_TRIP}},
    ),
    "a long chain": ("amplification", _builtin([]), {"key": "rsa4096", "intermediates": 5}),
    "a Retry for everybody": ("retry", _nginx([], server=f"{OFFERS} quic_retry on;"), {}),
    "full datagrams die": (
        "mtu",
        _builtin([], "--limit=5", knobs=_FIXED),
        {"path": {"down": SHORT, "up": SHORT}},
    ),
    "no offer": ("not-offered", _nginx([], server=""), {}),
    "nobody at the offered port": (
        "offer-dead",
        _nginx([], "--limit=3", listen="listen 443 ssl; http2 on;"),
        {},
    ),
    "the wrong port": (
        "offer-dead",
        _nginx([], "--limit=3", listen=BOTH, server="""add_header Alt-Svc 'h3=":8443"' always;"""),
        {},
    ),
    "a redirect": ("redirect", _redirected, {}),
    "a dead address": ("dead-address", _second_address, {}),
    "no tickets": (
        "no-tickets",
        _nginx([], server=f"{OFFERS} ssl_session_tickets off; ssl_session_cache off;"),
        {},
    ),
    "a slow application": ("slow-server", _slow_application, {}),
}

SOUND: Mapping[str, Work] = {
    "built-in": _builtin(_HALF),
    "nginx": _nginx(_HALF, http="http3_stream_buffer_size 8m;"),
    "caddy": _caddy,
}

PATHS: Mapping[str, links.Path] = {
    "wide": WIDE,
    "lossy": _down(loss={"model": "independent", "probability": 0.01}),
    "narrow": {"down": links.link(30, rate_mbit=4, queue_bytes=60_000), "up": ROUND_TRIP},
    "of 64 kB": {"down": links.link(30, rate_mbit=8.7, queue_bytes=100_000), "up": ROUND_TRIP},
    "narrow uplink": {"down": WIDE["down"], "up": links.link(30, rate_mbit=0.5, queue_bytes=30_000)},
    "long": {"down": links.link(150, rate_mbit=20, queue_bytes=750_000), "up": links.link(150)},
    "jittery": _down(jitter={"distribution": "uniform", "spread_ns": 10_000_000}),
}


def _identity(folder: Path, key: KeyKind = "p256", intermediates: int = 0) -> Certificates:
    folder.mkdir()
    return certificates.make(folder, CertificateSettings(key=key, intermediates=intermediates))


@pytest.mark.parametrize("cause", PLANTED)
def test_the_planted_cause_is_named_first(cause: str, tmp_path: Path) -> None:
    trap, work, scene = PLANTED[cause]
    chain = {name: scene[name] for name in ("key", "intermediates") if name in scene}
    identity = _identity(tmp_path / "identity", **chain)
    options = {name: scene[name] for name in ("control", "tcp") if name in scene}
    path = scene.get("path", WIDE)
    answer = play(work, tmp_path, path, identity, expects=lambda one: one.traps[:1] == [trap], **options)
    assert answer.traps[:1] == [trap], answer.told
    assert answer.status == 1


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("server", SOUND)
def test_nothing_is_found_in_a_sound_server(server: str, path: str, tmp_path: Path) -> None:
    identity = _identity(tmp_path / "identity")
    answer = play(SOUND[server], tmp_path, PATHS[path], identity, expects=lambda one: one.status == 0)
    assert answer.traps == [], answer.told
    assert answer.status == 0 or answer.is_spoilt, answer.told


@pytest.mark.needs("tshark")
def test_a_captures_window_is_named(tmp_path: Path) -> None:
    """The client's window is 128 kB, a third of what the path holds."""

    async def work(scene: Scene) -> Answer:
        scene.page()
        await scene.builtin()
        page = await scene.bench.visit(scene.identity, "h3", 443, knobs={"stream_window": 128 * 1024})
        assert page.outcome == "ok", page.detail
        return Answer(0, {}, "")

    play(work, tmp_path, WIDE, _identity(tmp_path / "identity"), capture=tmp_path / "client.pcapng")
    result = run("why", "--pcap", "client.pcapng", folder=tmp_path)
    assert result.status == 1, result.stderr
    assert "flow-control: " in result.stdout

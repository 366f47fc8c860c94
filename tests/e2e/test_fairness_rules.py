"""Each trap of an unfair comparison is stepped into with real processes, and named; beside it stands the same
without the trap, which is not."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from pronghorn import certificates
from pronghorn.certificates import Certificates
from pronghorn.model.experiment_knobs import KnobTables
from pronghorn.model.knobs import Knobs
from pronghorn.model.own_stack import OwnStack

from . import pages
from .benches import PROGRAMS
from .examined import LONG_CHAIN, beside, codes, examine, text
from .pages import Named
from .stages import FAR, NEAR, Definition, Scene

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

WIDE: Definition = {
    "down": {"rate": "50Mbit", "delay": "30ms", "queue": "1MB"},
    "up": {"rate": "50Mbit", "delay": "30ms", "queue": "1MB"},
}
"""It holds 375 kB, nearly six of nginx's buffers."""


def page(folder: Path, size: int) -> Path:
    """A page with one image of `size` bytes."""
    pages.write(folder / "site", [Named("large", "image", size)])
    return folder / "site"


def scene(root: Path, identity: Certificates, path: Definition, **more: Any) -> Scene:
    return Scene("h3", root, identity, path, client="native", limit="60s")._replace(**more)


@pytest.mark.needs("nginx")
def test_nginxs_buffer_of_a_stream_is_measured_and_named_and_neither_the_tuned_nor_the_builtin_one_is(
    tmp_path: Path, identity: Certificates
) -> None:
    asked = scene(page(tmp_path, 2_000_000), identity, WIDE)
    shipped, tuned, builtin = (
        asyncio.run(examine(beside(asked._replace(origin=origin), "h3"), tmp_path / origin))
        for origin in ("nginx", "nginx:tuned", "builtin")
    )
    assert "65.5 kB of a response in flight, as its configuration has it" in text(shipped, "stream-buffer")
    assert "stream-buffer" not in codes(tuned) + codes(builtin)


def test_quinns_window_below_what_the_path_holds_is_named(tmp_path: Path, identity: Certificates) -> None:
    asked = scene(page(tmp_path, 24_000_000), identity, FAR)
    found = asyncio.run(examine(beside(asked, "h3"), tmp_path / "run"))
    assert "allows a stream 1.25 MB in flight. The path holds 1.25 MB" in text(found, "flow-control-window")
    near = asyncio.run(examine(beside(asked._replace(path=NEAR), "h3"), tmp_path / "near"))
    assert "flow-control-window" not in codes(near)


def test_tcps_send_buffer_below_what_the_path_holds_is_named(tmp_path: Path, identity: Certificates) -> None:
    knobs = KnobTables(common=Knobs(tcp_send_buffer=128_000))
    asked = scene(page(tmp_path, 2_000_000), identity, WIDE, settings={"knobs": knobs})
    said = text(asyncio.run(examine(beside(asked, "h1"), tmp_path / "run")), "tcp-send-buffer")
    assert "the origin's TCP send buffer is limited to 128 kB" in said
    shipped = asyncio.run(examine(beside(asked._replace(settings={}), "h1"), tmp_path / "shipped"))
    assert not [code for code in codes(shipped) if code.startswith("tcp-")]


def test_tcps_receive_buffer_below_what_the_path_holds_is_named(
    tmp_path: Path, identity: Certificates
) -> None:
    knobs = KnobTables(common=Knobs(tcp_receive_buffer=64_000))
    asked = scene(page(tmp_path, 500_000), identity, WIDE, settings={"knobs": knobs})
    found = asyncio.run(examine(beside(asked, "h2", "h3"), tmp_path / "run"))
    said = text(found, "tcp-receive-buffer")
    assert said.startswith("h2 on ")
    assert "TCP receive buffer is limited to 64 kB (net.ipv4.tcp_rmem)" in said


def test_fair_arms_of_one_control_differ_in_the_end_of_slow_start_alone(
    tmp_path: Path, identity: Certificates
) -> None:
    asked = scene(page(tmp_path, 500_000), identity, WIDE, settings={"fair": True})
    found = asyncio.run(examine(beside(asked, "h2@cubic", "h3@cubic"), tmp_path / "run"))
    assert {code for code in codes(found) if code.startswith("arms-differ")} <= {
        "arms-differ-slow-start-until"
    }
    reno = asyncio.run(examine(beside(asked, "h2@reno", "h3@newreno"), tmp_path / "reno"))
    assert not [code for code in codes(reno) if code.startswith("arms-differ")]
    [cell] = reno.cells
    assert not [row.setting.name for row in cell.rows if row.equal is False]
    assert cell.unequalled


def test_unequal_packets_and_first_windows_are_read_back_and_named(
    tmp_path: Path, identity: Certificates
) -> None:
    """QUIC finds the path's MTU in the course of some round trips; TCP knows it from its devices."""
    asked = scene(page(tmp_path, 200_000), identity, NEAR, artifacts=("flight",))
    found = asyncio.run(examine(beside(asked, "h2", "h3"), tmp_path / "run"))
    assert "h2: 1500 bytes; h3: 1" in text(found, "arms-differ-packet")
    assert "arms-differ-initial-window" in codes(found)
    twice = asyncio.run(examine(beside(asked, "h2", "h2#again"), tmp_path / "twice"))
    assert not [code for code in codes(twice) if code.startswith("arms-differ")]


def test_a_chain_that_makes_quic_wait_is_named_by_its_handshakes(
    tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    (tmp_path / "long").mkdir()
    long = certificates.make(tmp_path / "long", LONG_CHAIN)
    asked = scene(tiny, long, FAR, settings={"certificate": LONG_CHAIN})
    said = text(asyncio.run(examine(beside(asked, "h2", "h3"), tmp_path / "run")), "amplification-limit")
    assert re.search(r"h3 waits one more round trip \(its handshakes took [2-9]\.\d round trips\)", said)
    short = asked._replace(certificates=identity, settings={})
    assert "amplification-limit" not in codes(asyncio.run(examine(beside(short, "h3"), tmp_path / "short")))


def test_datagrams_that_a_clients_small_buffer_drops_are_named(
    tmp_path: Path, identity: Certificates
) -> None:
    root = tmp_path / "site"
    root.mkdir()
    (root / "index.html").write_bytes(b" " * 60_000)
    loader = (sys.executable, "-I", str(PROGRAMS / "quic_loader.py"), "1")
    mine = OwnStack(command=loader, directory=str(tmp_path), protocols=("h3",))
    asked = scene(root, identity, NEAR, client="mine", settings={"own_clients": {"mine": mine}})
    said = text(asyncio.run(examine(beside(asked, "h3"), tmp_path / "run")), "udp-receive-buffer")
    assert re.search(r"h3: the hosts dropped datagrams .*: on \S+ \d+ \(client \d+; in 1 of 1 trial\)", said)
    native = asked._replace(client="native", settings={})
    assert "udp-receive-buffer" not in codes(asyncio.run(examine(beside(native, "h3"), tmp_path / "native")))


def own(folder: Path, program: str, *arguments: str) -> OwnStack:
    """One of `programs/` as an origin or a client over HTTP/1.1."""
    words = (sys.executable, "-I", "-S", str(PROGRAMS / f"{program}.py"), *arguments)
    return OwnStack(command=words, directory=str(folder), protocols=("h1",))


def test_on_a_bench_the_route_keeps_a_server_from_bbr(
    tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    mine = {"mine": own(tmp_path, "odd_origin", "control", "bbr")}
    asked = scene(tiny, identity, NEAR, origin="mine", settings={"own_origins": mine})
    found = asyncio.run(examine(beside(asked, "h1", "h1#odd"), tmp_path / "run"))
    assert not [code for code in codes(found) if code.startswith(("arms-differ", "default"))]
    [cell] = found.cells
    [control] = [row for row in cell.rows if row.setting.key == "congestion-control"]
    assert control.equal
    assert [str(value).split(" (")[0] for value in control.by_arm["h1#odd"]] == ["cubic"]


def test_a_key_exchange_that_differs_unasked_is_named(
    tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    mine = {"mine": own(tmp_path, "odd_origin", "curve", "prime256v1")}
    asked = scene(tiny, identity, NEAR, origin="mine", settings={"own_origins": mine})
    found = asyncio.run(examine(beside(asked, "h1", "h1#odd"), tmp_path / "run"))
    assert "h1#odd: secp256r1" in text(found, "arms-differ-key-exchange")
    assert "arms-differ-cipher" not in codes(found)


def test_a_tls_version_and_a_cipher_that_differ_unasked_are_named(
    tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    settings = {
        "own_origins": {"mine": own(tmp_path, "odd_origin", "tls", "TLSv1_2")},
        "own_clients": {"loader": own(tmp_path, "tls_loader")},
    }
    asked = scene(tiny, identity, NEAR, origin="mine", client="loader", settings=settings)
    found = asyncio.run(examine(beside(asked, "h1", "h1#odd"), tmp_path / "run"))
    assert "h1: TLSv1.3; h1#odd: TLSv1.2" in text(found, "arms-differ-tls-version")
    assert "arms-differ-cipher" in codes(found)

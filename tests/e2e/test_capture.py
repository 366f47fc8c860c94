"""tshark reads a capture, decrypts what is in it by the secrets inside, and lists what the path did to each
packet."""

import asyncio
import re
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.engine import EngineError
from pronghorn.model.trial import Counters, LinkCounters

from . import experiments, links, pages, programme
from .benches import LIMIT_S, PROGRAMS, bench
from .captures import DECRYPTION_SECRETS, ENHANCED_PACKET, Capture
from .links import link
from .pages import Named
from .programme import Run

pytestmark = [pytest.mark.needs("namespaces", "tshark"), pytest.mark.beside]

NAMED = [Named("first", "image", 120_000), Named("second", "image", 60_000)]
PATHS = {"/", *(one.path for one in NAMED)}

LOSSY = link(
    10,
    rate_mbit=10,
    queue_bytes=12_000,
    loss=0.05,
    duplicate=0.05,
    jitter={"distribution": "uniform", "spread_ns": 2_000_000},
)
CORRUPT = {**LOSSY, "corrupt": 0.03}

QUEUED = re.compile(r"queued ([0-9.]+) ms")
JITTER = re.compile(r"jitter ([+-][0-9.]+) ms")

ENDS = {"up": ("client", "server"), "down": ("server", "client")}
"""Where each link's packets are sent and received."""


class Taken(NamedTuple):
    """A load over a path, as captured and as counted."""

    capture: Capture
    counters: Counters
    said: dict[str, Any]

    def link(self, direction: str) -> LinkCounters:
        counted = getattr(self.counters, direction)
        assert isinstance(counted, LinkCounters)
        return counted

    def comments(self, end: str, way: str) -> list[str]:
        """The comments, or "", of all packets that one end has sent or received."""
        direction = {"received": 1, "sent": 2}[way]
        shown = f'frame.interface_name == "{end}" && frame.packet_flags_direction == {direction}'
        return [comment for (_, comment) in self.capture.rows(shown, "frame.number", "frame.comment")]


async def take(folder: Path, identity: Certificates, protocol: str, path: links.Path) -> Taken:
    """Loads a page of three resources and captures it."""
    folder.mkdir()
    pages.write(folder / "site", NAMED)
    file = folder / "path.pcapng"
    async with bench(folder) as one:
        await one.open(path, seed=11, capture=file)
        page = await one.load(folder / "site", identity, protocol)
        assert page.outcome == "ok", page.detail
        counters = await one.close()
    assert {found.name for found in folder.iterdir()} == {"site", "path.pcapng"}
    said = counters.model_dump()["capture"]
    assert said["lost_records"] == 0
    home = folder / "home"
    home.mkdir()
    return Taken(Capture(file, home), counters, said)


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory, identity: Certificates) -> dict[str, Taken]:
    """A capture of each protocol over a lossy path, and of two over one that corrupts as well."""
    folder = tmp_path_factory.mktemp("captures")
    return {
        name: asyncio.run(take(folder / name, identity, name[:2], links.both_ways(one)))
        for name, one in (
            ("h1", LOSSY), ("h2", LOSSY), ("h3", LOSSY), ("h2-corrupt", CORRUPT), ("h3-corrupt", CORRUPT),
        )
    }  # fmt: skip


def test_http_1_is_decrypted(taken: dict[str, Taken]) -> None:
    assert taken["h1"].capture.values("http.request", "http.request.uri") == PATHS
    assert taken["h1"].capture.values("http.response", "http.response.code") == {"200"}


def assert_http_2(capture: Capture) -> None:
    assert capture.values("http2", "http2.headers.path") == PATHS
    assert capture.values("http2", "http2.headers.status") == {"200"}


def assert_http_3(capture: Capture) -> None:
    data, headers, settings = "0", "1", "4"
    assert capture.values("http3", "http3.frame_type") >= {data, headers, settings}
    requests = capture.values("http3 && udp.dstport == 443", "quic.stream.stream_id")
    assert {"0", "4", "8"} <= requests, "the first three bidirectional streams of a client"


def test_http_2_is_decrypted(taken: dict[str, Taken]) -> None:
    assert_http_2(taken["h2"].capture)


def test_http_3_is_decrypted(taken: dict[str, Taken]) -> None:
    assert_http_3(taken["h3"].capture)


def test_http_3_is_decrypted_beside_corrupted_packets(taken: dict[str, Taken]) -> None:
    assert_http_3(taken["h3-corrupt"].capture)


def test_http_2_is_decrypted_once_corrupted_packets_are_left_out(taken: dict[str, Taken]) -> None:
    # Wireshark believes sequence numbers of which a bit has flipped.
    assert_http_2(taken["h2-corrupt"].capture.only('!(frame.comment contains "corrupted")'))


@pytest.mark.parametrize("end", ["client", "server"])
def test_one_end_can_be_cut_out_with_its_secrets(taken: dict[str, Taken], end: str) -> None:
    assert_http_2(taken["h2"].capture.only(f'frame.interface_name == "{end}"'))
    assert_http_3(taken["h3"].capture.only(f'frame.interface_name == "{end}"'))


def test_a_load_leaves_five_secrets_a_connection(taken: dict[str, Taken]) -> None:
    # RFC 8446, section 7.1: two of the handshake, two of the traffic, one to export; both ends have the same.
    assert taken["h2"].said["secrets"] == 5
    assert taken["h3"].said["secrets"] == 5


@pytest.mark.parametrize("name", ["h1", "h2", "h3", "h2-corrupt", "h3-corrupt"])
@pytest.mark.parametrize("direction", ["down", "up"])
def test_comments_agree_with_the_links_counters(taken: dict[str, Taken], name: str, direction: str) -> None:
    one = taken[name]
    counted, (near, far) = one.link(direction), ENDS[direction]
    sent, received = one.comments(near, "sent"), one.comments(far, "received")
    said_sent, said_received = "\n".join(sent), "\n".join(received)

    assert len(sent) == counted.packets_in
    assert len(received) == counted.packets_out
    assert said_sent.count("dropped: loss") == counted.lost > 0
    assert said_sent.count("dropped: queue full") == counted.queue_dropped
    # What is still in the link at the end has not been told yet.
    corrupted = said_sent.count("corrupted before") + said_received.count("corrupted: one bit flipped")
    assert counted.corrupted - counted.held <= corrupted <= counted.corrupted
    duplicated = said_sent.count("duplicated")
    assert counted.duplicated - counted.held <= duplicated <= counted.duplicated


def test_what_waited_in_the_queue_says_for_how_long(taken: dict[str, Taken]) -> None:
    for one in taken.values():
        waits = [float(wait) for text in one.comments("client", "received") for wait in QUEUED.findall(text)]
        # A full queue holds 12 kB, which take 9.6 ms at 10 Mbit/s.
        assert waits
        assert 1 < max(waits) <= 9.6


def test_jitter_is_told_within_its_bounds(taken: dict[str, Taken]) -> None:
    for one in taken.values():
        moved = [float(by) for text in one.comments("server", "received") for by in JITTER.findall(text)]
        assert len(moved) == one.link("up").packets_out
        # Kept in order, no packet is due before one that came earlier, which only ever adds to its delay.
        assert min(moved) >= -2
        assert max(moved) <= 2


def test_a_packet_has_one_number_at_both_ends(taken: dict[str, Taken]) -> None:
    for one in taken.values():
        ids = one.capture.rows("frame", "frame.packet_id")
        up, down = one.link("up"), one.link("down")
        assert len(ids) == up.packets_in + up.packets_out + down.packets_in + down.packets_out
        assert len(set(ids)) == up.packets_in + down.packets_in


def test_a_quiet_path_leaves_no_comments(tmp_path: Path, identity: Certificates) -> None:
    one = asyncio.run(take(tmp_path / "quiet", identity, "h2", links.both_ways(link(5))))
    assert one.capture.count("frame") == one.said["packets"] > 100
    assert one.capture.count('frame.comment && !(frame.comment contains "late")') == 0


def test_the_file_says_how_it_was_made(taken: dict[str, Taken]) -> None:
    text = taken["h2"].capture.file.read_bytes()
    assert b'"seed":11' in text
    assert b"records lost by the capture: 0" in text
    kinds = taken["h2"].capture.blocks()
    assert kinds.index(DECRYPTION_SECRETS) < kinds.index(ENHANCED_PACKET)


async def spawn_and_capture(folder: Path, line: str) -> dict[str, Any]:
    async with bench(folder) as one:
        await one.open(links.both_ways(link(1)), capture=folder / "path.pcapng")
        program = f"import os; open(os.environ['SSLKEYLOGFILE'], 'a').write({line!r}); print('done')"
        argv = [sys.executable, "-I", "-S", "-c", program]
        for host in ("client", "server"):
            ok = await one.engine.request("spawn", host=host, argv=argv, env={}, stdout=None, stderr=None)
            await one.engine.request("wait", process=ok["process"], timeout_s=LIMIT_S)
        so_far = (await one.counters()).model_dump()["capture"]
        assert so_far["secrets"] == 1
        return dict((await one.close()).model_dump()["capture"])


def test_programs_leave_their_secrets_and_equal_ones_are_kept_once(tmp_path: Path) -> None:
    line = f"CLIENT_RANDOM {'ab' * 32} {'cd' * 48}\n"
    said = asyncio.run(spawn_and_capture(tmp_path, line))
    assert said["secrets"] == 1
    assert line.encode() in (tmp_path / "path.pcapng").read_bytes()
    assert [found.name for found in tmp_path.iterdir()] == ["path.pcapng"]
    assert (tmp_path / "path.pcapng").stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    async def refused() -> str:
        async with bench(tmp_path) as one:
            with pytest.raises(EngineError) as caught:
                await one.open(links.both_ways(link(1)), capture=tmp_path / "nowhere" / "path.pcapng")
            return caught.value.message

    assert "nowhere/path.pcapng" in asyncio.run(refused())


def test_a_run_leaves_a_capture_of_each_trial(tmp_path: Path) -> None:
    experiment = experiments.write(tmp_path, arms=("h2", "h3"), repeat=1)
    result = programme.run(
        "run", str(experiment), "--out", "found", "--set", "artifacts=pcapng", folder=tmp_path
    )
    programme.assert_ended(result)
    home = tmp_path / "home"
    home.mkdir()
    for trial in Run(tmp_path / "found").trials():
        capture = Capture(tmp_path / "found" / trial.artifacts["pcapng"], home)
        assert capture.count({"h2": "http2", "h3": "http3"}[trial.arm]) > 0


def test_a_command_behind_a_path_is_captured_with_its_programs_secrets(
    tmp_path: Path, identity: Certificates, tiny: Path
) -> None:
    def program(name: str, *arguments: object) -> list[str]:
        # Not isolated (-I): with it, Python's ssl does not heed SSLKEYLOGFILE.
        return [sys.executable, "-S", str(PROGRAMS / f"{name}.py"), *map(str, arguments)]

    server = shlex.join(program("tls_server", "0.0.0.0", 4433, identity.chain, identity.key))
    client = [*program("tls_client"), "$PRONGHORN_SERVER", "4433", HOST_NAME, str(identity.authority)]
    result = programme.run(
        "path", "delay=5ms", "loss=3%", "--seed", "5", "--capture", "found.pcapng", "--server",
        f"sh -c {shlex.quote(f'cd {shlex.quote(str(tiny))} && exec {server}')}",
        "--", "sh", "-c", " ".join(client), folder=tmp_path,
    )  # fmt: skip
    assert result.status == 0, result.stderr
    assert int(result.stdout) > 612
    assert "TLS secret" in result.stderr
    assert [found.name for found in tmp_path.iterdir()] == ["found.pcapng"]
    home = tmp_path / "home"
    home.mkdir()
    capture = Capture(tmp_path / "found.pcapng", home)
    assert capture.values("http.request", "http.request.uri") == {"/"}
    assert capture.values("http.response", "http.response.code") == {"200"}

"""What the engine makes of a trial's packets is what tshark finds in a capture of them, byte by byte."""

import asyncio
import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pronghorn.certificates import Certificates
from pronghorn.engine import EngineError
from pronghorn.model import arrivals
from pronghorn.model.arrivals import Arrivals, Connection
from pronghorn.model.trial import Counters

from . import links, pages
from .benches import bench
from .captures import Capture
from .links import link
from .pages import Named

pytestmark = [pytest.mark.needs("namespaces", "tshark"), pytest.mark.beside]

NAMED = [Named("first", "image", 120_000), Named("second", "image", 60_000)]
PATHS = ["/", *(one.path for one in NAMED)]

LOSSY = link(
    10, rate_mbit=10, queue_bytes=24_000, loss=0.05, duplicate=0.03, corrupt=0.02,
    jitter={"distribution": "uniform", "spread_ns": 2_000_000},
)  # fmt: skip

CLIENT = '(frame.interface_name == "client") && (frame.packet_flags_direction == 1)'
"""What came to the client."""
ENTERS = "frame.packet_flags_direction == 2"
"""What a host sent; ICMP among it where a packet comes for a socket that the load's end has closed."""
WHOLE = '!(frame.comment contains "corrupted") && !(frame.comment contains "not delivered")'


class Taken(NamedTuple):
    """A load as tshark and as the engine saw it."""

    capture: Capture
    told: Arrivals
    counters: Counters

    @property
    def connection(self) -> Connection:
        (connection,) = self.told.connections
        return connection


async def take(folder: Path, identity: Certificates, protocol: str, path: links.Path) -> Taken:
    folder.mkdir()
    pages.write(folder / "site", NAMED)
    async with bench(folder) as one:
        await one.open(path, seed=11, capture=folder / "path.pcapng", arrivals=folder / "arrivals.json.gz")
        page = await one.load(folder / "site", identity, protocol)
        assert page.outcome == "ok", page.detail
        counters = await one.close()
    told = arrivals.read(folder / "arrivals.json.gz")
    (folder / "home").mkdir()
    return Taken(Capture(folder / "path.pcapng", folder / "home"), told, counters)


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory, identity: Certificates) -> dict[str, Taken]:
    folder = tmp_path_factory.mktemp("arrivals")
    return {
        name: asyncio.run(take(folder / name, identity, name, links.both_ways(LOSSY)))
        for name in ("h1", "h2", "h3")
    }


@pytest.mark.parametrize("name", ["h2", "h3"])
def test_every_packet_stands_there_with_its_fate(taken: dict[str, Taken], name: str) -> None:
    one = taken[name]
    packets = one.connection.packets
    counted = [one.counters.down, one.counters.up]
    fates = Counter(packets.fate)
    assert one.told.missing_records == 0
    told = len(packets) - fates["duplicate"] + len(one.capture.rows(f"{ENTERS} && icmp", "frame.number"))
    assert told == sum(link.packets_in for link in counted if link)
    assert fates["loss"] <= sum(link.lost for link in counted if link) <= fates["loss"] + fates["duplicate"]
    assert fates["loss"] > 0
    assert fates["corrupted"] > 0
    assert all(
        arrived >= sent
        for sent, arrived in zip(packets.sent_s, packets.arrived_s, strict=True)
        if arrived == arrived
    )


@pytest.mark.parametrize("name", ["h1", "h2", "h3"])
def test_requests_are_decoded(taken: dict[str, Taken], name: str) -> None:
    connections = taken[name].told.connections
    streams = [stream for connection in connections for stream in connection.streams]
    assert {connection.protocol for connection in connections} == {name}
    assert sorted(str(stream.path) for stream in streams) == sorted(PATHS)
    assert {stream.method for stream in streams} == {"GET"}
    assert [(connection.undecrypted, connection.why_not) for connection in connections] == [
        (0, None) for _ in connections
    ]


def at_client(capture: Capture) -> Capture:
    """What left and came whole at the client; Wireshark believes the numbers of corrupted packets."""
    return capture.only(f'frame.interface_name == "client" && {WHOLE}')


Frames = dict[int, list[tuple[int, int, int]]]
"""Of each stream: arrival in microseconds, first byte, one past the last."""


def micros(text: str) -> int:
    """Seconds since 1970 with nine decimals, in microseconds."""
    seconds, _, rest = text.partition(".")
    return int(seconds) * 1_000_000 + int(rest[:6].ljust(6, "0"))


def stream_frames(capture: Capture) -> Frames:
    """The STREAM frames of requests that came to the client, as tshark has them."""
    found: Frames = {}
    for packet in capture.pdml(f"{CLIENT} && quic.stream.stream_id"):
        fields = {field.get("name"): field.get("show") for field in packet.iter("field")}
        at = micros(str(fields["frame.time_epoch"]))
        for frame in packet.iter("field"):
            if frame.get("name") != "quic.frame":
                continue
            of = {field.get("name"): field for field in frame.iter("field")}
            if "quic.stream.stream_id" not in of:
                continue
            stream = int(str(of["quic.stream.stream_id"].get("show")))
            start = int(str(of["quic.stream.offset"].get("show"))) if "quic.stream.offset" in of else 0
            length = int(str(of["quic.stream_data"].get("size"))) if "quic.stream_data" in of else 0
            if stream % 4 == 0:
                found.setdefault(stream, []).append((at, start, start + length))
    return found


def first_arrivals(frames: Iterable[tuple[int, int, int]]) -> list[int]:
    """When each byte of a stream came first."""
    came: dict[int, int] = {}
    for at, start, end in sorted(frames):
        for byte in range(start, end):
            came.setdefault(byte, at)
    assert sorted(came) == list(range(len(came))), "all bytes came"
    return [came[byte] for byte in range(len(came))]


def of_pieces(connection: Connection, stream: int | None) -> Iterator[tuple[int, int]]:
    """Arrival and release of each byte of a stream, in its order, or of all of them, in microseconds."""
    pieces = connection.pieces
    for at in sorted(range(len(pieces)), key=lambda at: int(pieces.offset[at])):
        if stream is None or pieces.stream[at] == stream:
            both = (round(pieces.arrived_s[at] * 1e6), round(pieces.released_s[at] * 1e6))
            yield from (both for _ in range(int(pieces.length[at])))


def test_the_bytes_of_every_stream_of_h3_are_where_tshark_has_them(taken: dict[str, Taken]) -> None:
    one = taken["h3"]
    frames = stream_frames(at_client(one.capture))
    pieces = one.connection.pieces
    assert set(frames) == {int(stream) for stream in pieces.stream if stream >= 0}
    shifts = Counter[int]()
    waited = 0
    for stream, found in frames.items():
        arrived = first_arrivals(found)
        released = list(accumulate(arrived, max))
        ours = list(of_pieces(one.connection, stream))
        assert len(ours) == len(arrived)
        for (our_arrival, our_release), arrival, release in zip(ours, arrived, released, strict=True):
            shifts[arrival - our_arrival] += 1
            assert abs((our_release - our_arrival) - (release - arrival)) <= 1, "each is cut to a microsecond"
            waited += our_release > our_arrival
    assert max(shifts) - min(shifts) <= 1
    assert waited > 0, "something was lost"


def test_the_bytes_of_tcp_are_where_tshark_has_them(taken: dict[str, Taken]) -> None:
    one = taken["h2"]
    rows = one.capture.rows(f"{CLIENT} && {WHOLE} && tcp.len > 0", "frame.time_epoch", "tcp.seq", "tcp.len")
    segments = [(micros(at), int(seq) - 1, int(seq) - 1 + int(length)) for at, seq, length in rows]
    arrived = first_arrivals(segments)
    released = accumulate(arrived, max)
    theirs = sorted(zip(arrived, released, strict=True))
    ours = sorted(of_pieces(one.connection, None))
    assert len(ours) == len(theirs)
    shift = theirs[0][0] - ours[0][0]
    for (our_arrival, our_release), (arrival, release) in zip(ours, theirs, strict=True):
        assert abs(our_arrival + shift - arrival) <= 2
        assert abs(our_release + shift - release) <= 2


def test_the_frames_of_h2_are_their_streams(taken: dict[str, Taken]) -> None:
    one = taken["h2"]
    rows = at_client(one.capture).rows("http2 && tcp.srcport == 443", "http2.streamid", "http2.length")
    theirs = Counter[int]()
    for streams, lengths in rows:
        for stream, length in zip(streams.split(","), lengths.split(","), strict=True):
            theirs[int(stream)] += 9 + int(length)
    del theirs[0]
    pieces = one.connection.pieces
    ours = Counter[int]()
    for stream, length in zip(pieces.stream, pieces.length, strict=True):
        ours[int(stream)] += int(length)
    del ours[arrivals.NO_STREAM]
    assert ours == theirs


@pytest.mark.parametrize("name", ["h2", "h3"])
def test_nothing_waits_for_others_where_nothing_is_lost(
    tmp_path: Path, identity: Certificates, name: str
) -> None:
    one = asyncio.run(take(tmp_path / name, identity, name, links.both_ways(link(5, rate_mbit=50))))
    pieces = one.connection.pieces
    assert {fate for fate in one.connection.packets.fate if fate} <= {"in flight"}
    assert (pieces.released_s == pieces.arrived_s).all()
    assert (pieces.head_of_line_s == 0).all()
    assert set(pieces.first_fate) == {None}


@pytest.mark.parametrize("name", ["h1", "h2", "h3"])
def test_a_handshake_is_told_message_by_message(taken: dict[str, Taken], name: str) -> None:
    steps = taken[name].told.connections[0].handshake
    said = [word for step in steps for word in step.says]
    places = [said.index(word) for word in ("ClientHello", "ServerHello", "Finished", "request")]
    assert places == sorted(places)
    assert "first byte of the response" in steps[-1].says
    assert ("SYN" in said) == (name != "h3")


@pytest.mark.parametrize("name", ["h2", "h3"])
def test_no_more_was_sent_than_the_client_allowed(taken: dict[str, Taken], name: str) -> None:
    connection = taken[name].connection
    limits = connection.limits
    assert set(limits.scope) >= {"connection", str(connection.streams[0].id)}
    for stream in connection.streams:
        own = [at for at in range(len(limits)) if limits.scope[at] == str(stream.id)]
        offsets = [int(limits.offset[at]) for at in own]
        known = [float(limits.at_s[at]) for at in own]
        assert offsets == sorted(offsets)
        pieces = connection.pieces
        for at in range(len(pieces)):
            if pieces.stream[at] == stream.id:
                allowed = offsets[bisect.bisect_right(known, pieces.first_sent_s[at]) - 1]
                assert pieces.offset[at] + pieces.length[at] <= allowed


def test_tls_1_2_is_opened(tmp_path: Path, identity: Certificates, tiny: Path) -> None:
    async def load() -> Arrivals:
        async with bench(tmp_path) as one:
            await one.open(links.both_ways(link(5)), arrivals=tmp_path / "arrivals.json.gz")
            await one.load(tiny, identity, "h2", tls="1.2")
            await one.close()
        return arrivals.read(tmp_path / "arrivals.json.gz")

    (connection,) = asyncio.run(load()).connections
    assert (connection.protocol, connection.undecrypted, connection.why_not) == ("h2", 0, None)
    assert [stream.path for stream in connection.streams] == ["/"]
    said = [word for step in connection.handshake for word in step.says]
    for word in ("ServerKeyExchange", "ServerHelloDone", "ClientKeyExchange", "ChangeCipherSpec", "Finished"):
        assert word in said


@pytest.mark.parametrize("protocol", ["h2", "h3"])
def test_early_data_is_opened(tmp_path: Path, identity: Certificates, tiny: Path, protocol: str) -> None:
    async def load() -> Arrivals:
        async with bench(tmp_path) as one:
            await one.open(links.both_ways(link(5)), arrivals=tmp_path / "arrivals.json.gz", warm_up=True)
            port = await one.serve(tiny, identity, early_data=True)
            await one.visit(identity, protocol, port, session="gain")
            await one.begin(1)
            await one.visit(identity, protocol, port, session="0rtt")
            await one.close()
        return arrivals.read(tmp_path / "arrivals.json.gz")

    (connection,) = asyncio.run(load()).connections
    assert (connection.protocol, connection.undecrypted, connection.why_not) == (protocol, 0, None)
    assert [stream.path for stream in connection.streams] == ["/"]
    steps = connection.handshake
    (asked,) = [step for step in steps if "request" in step.says]
    assert "ClientHello" in steps[0].says or "SYN" in steps[0].says
    (answered,) = [step for step in steps if "ServerHello" in step.says]
    assert asked.packet < answered.packet
    if protocol == "h3":
        assert connection.packets.kind[asked.packet] in ("0-RTT", "Initial+0-RTT")


def test_each_beginning_has_a_file_of_its_own(tmp_path: Path, identity: Certificates, tiny: Path) -> None:
    file = tmp_path / "arrivals.json.gz"

    async def load() -> list[Arrivals]:
        found = []
        async with bench(tmp_path) as one:
            await one.open(links.both_ways(link(5)), arrivals=file, warm_up=True)
            port = await one.serve(tiny, identity)
            await one.visit(identity, "h2", port)
            for protocol in ("h2", "h3"):
                await one.begin(1)
                await one.visit(identity, protocol, port)
                report = await one.engine.request("arrivals")
                found.append(arrivals.read(file))
                assert report["connections"] == len(found[-1].connections)
                assert report["fault"] is None
            await one.close()
        return [*found, arrivals.read(file)]

    told = asyncio.run(load())
    seen = [[connection.protocol for connection in one.connections] for one in told]
    assert seen == [["h2"], ["h3"], ["h3"]]


def test_what_cannot_be_seen_is_refused(tmp_path: Path) -> None:
    async def ask(**wanted: Any) -> None:
        async with bench(tmp_path) as one:
            await one.engine.request("open", seed=1, tcp_congestion_control="cubic", **wanted)
            await one.engine.request("arrivals")

    path = links.both_ways(link(5))
    for wanted, reason in (
        ({"path": None, "arrivals": str(tmp_path / "file")}, "over loopback there is no path"),
        ({"path": path, "arrivals": str(tmp_path / "nowhere" / "file")}, "cannot write"),
        ({"path": path}, "`open` asked for no arrivals"),
    ):
        with pytest.raises(EngineError, match=reason) as refused:
            asyncio.run(ask(**wanted))
        assert refused.value.kind == "input"

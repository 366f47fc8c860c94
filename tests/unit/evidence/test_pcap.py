"""Captures, as tshark tells them: which connections are compared, and which end is the client."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pronghorn.errors import InputError
from pronghorn.evidence import pcap
from pronghorn.traps import judge
from pronghorn.traps.facts import Facts

_CLIENT, _SERVER, _OTHER = "192.0.2.1", "192.0.2.2", "192.0.2.3"
_TRIP_S = 0.06
Packet = dict[str, object]


def _packet(at_s: float, source: str, to: str, ports: tuple[int, int], more: Packet) -> Packet:
    kind = "tcp" if "tcp.len" in more else "udp"
    fields: Packet = {"frame.time_relative": at_s, "ip.src": source, "ip.dst": to}
    return fields | {f"{kind}.srcport": ports[0], f"{kind}.dstport": ports[1]} | more


def _quic(packets: int = 2000, *, at_server: bool = False, lost: int = 0) -> Iterator[Packet]:
    """A handshake and a response, 10 packets a millisecond; each `lost`th number is missing."""
    to = (_CLIENT, _SERVER, (40000, 443))
    back = (_SERVER, _CLIENT, (443, 40000))
    answered_s = 0.001 if at_server else _TRIP_S
    first: Packet = {"udp.length": 1208, "quic.long.packet_type": "0", "quic.packet_number": "0"}
    yield _packet(0.0, *to, first)
    yield _packet(answered_s, *back, first)
    yield _packet(answered_s + (_TRIP_S if at_server else 0.001), *to, {"udp.length": 60})
    for number in range(packets):
        if not lost or number % lost:
            length: Packet = {"udp.length": 1408, "quic.packet_number": str(number)}
            yield _packet(2 * _TRIP_S + number * 0.001, *back, length)


def _tcp(server: str, packets: int = 2000, port: int = 443, *, resent: int = 0) -> Iterator[Packet]:
    to = (_CLIENT, server, (40001, port))
    back = (server, _CLIENT, (port, 40001))
    yield _packet(0.0, *to, {"tcp.len": 0, "tcp.flags.syn": "True", "tcp.flags.ack": "False"})
    for number in range(packets):
        again: Packet = {"tcp.analysis.retransmission": "1"} if resent and number % resent == 0 else {}
        told: Packet = {"tcp.len": 1400, "tcp.analysis.initial_rtt": _TRIP_S} | again
        yield _packet(0.2 + number * 0.0005, *back, told)


def _facts(folder: Path, patch: pytest.MonkeyPatch, *packets: Iterator[Packet]) -> Facts:
    file = folder / "a.pcap"
    file.write_bytes(b"x")
    rows = sorted(
        (one for each in packets for one in each), key=lambda one: float(str(one["frame.time_relative"]))
    )
    lines = ["\t".join(str(one.get(field, "")) for field in pcap._FIELDS) for one in rows]
    patch.setattr(pcap, "_tshark", lambda *_: iter(lines))
    return pcap.facts(file, None)


@pytest.mark.parametrize(
    ("server", "packets", "port"),
    [(_OTHER, 2000, 443), (_OTHER, 60, 22), (_SERVER, 50, 443), (_SERVER, 60, 22)],
)
def test_a_connection_of_another_host_or_of_other_content_is_not_compared(
    server: str, packets: int, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _facts(tmp_path, monkeypatch, _quic(lost=50), _tcp(server, packets, port))
    assert [one.protocol for one in found.visits] == ["h3"]
    assert any("so nothing is compared" in one for one in found.lacks)
    assert judge(found).findings == ()


def test_the_same_page_over_both_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _facts(tmp_path, monkeypatch, _quic(), _tcp(_OTHER), _tcp(_SERVER))
    assert sorted(one.protocol for one in found.visits) == ["h2", "h3"]
    assert all(one.round_trip_s == pytest.approx(_TRIP_S) for one in found.visits)


def test_equal_losses_of_both_are_no_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = _facts(tmp_path, monkeypatch, _quic(lost=50), _tcp(_SERVER, resent=50))
    (h2,) = found.of("h2")
    assert h2.resent == 40 and h2.disordered is None
    assert judge(found).findings == ()


def test_a_capture_that_begins_within_a_connection_has_the_same_direction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late() -> Iterator[Packet]:
        packets = list(_quic())
        yield packets[-1] | {"frame.time_relative": 0.0}
        yield from packets[3:]

    (visit,) = _facts(tmp_path, monkeypatch, late()).visits
    assert visit.flow is not None and len(visit.flow.arrived_s) > 1900
    assert visit.round_trip_s is None


def test_a_capture_of_the_servers_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="it was captured at the server"):
        _facts(tmp_path, monkeypatch, _quic(at_server=True))


def test_a_capture_that_is_too_long_or_of_times_that_cannot_be_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = _packet(4294967295.0, _SERVER, _CLIENT, (443, 40000), {"udp.length": 1208})
    with pytest.raises(InputError, match="more than a day apart"):
        _facts(tmp_path, monkeypatch, _quic(10), iter([odd]))
    monkeypatch.setattr(pcap, "_MOST_PACKETS", 5)
    with pytest.raises(InputError, match="more than 5 packets"):
        _facts(tmp_path, monkeypatch, _quic(10))
    monkeypatch.setattr(pcap, "_MOST_BYTES", 0)
    with pytest.raises(InputError, match="1 bytes are too many; 0 are allowed"):
        _facts(tmp_path, monkeypatch, _quic(10))

"""qlogs of several makers, and what they lack."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pronghorn.errors import InputError
from pronghorn.evidence import qlog
from pronghorn.traps import judge
from pronghorn.traps.facts import Facts

_TRIP_MS = 60.0
_BUFFER_PACKETS = 46
_LENGTH = 1452


def _event(at_ms: float, name: str, **data: Any) -> dict[str, Any]:
    return {"time": at_ms, "name": name, "data": data}


def _packet(at_ms: float, kind: str, number: int, **more: Any) -> dict[str, Any]:
    header = {"packet_type": kind, "packet_number": number}
    return _event(at_ms, "transport:packet_received", header=header, **more)


def _transfer(
    rounds: int = 30, *, lengths: bool = True, without: tuple[int, ...] = (), **more: Any
) -> list[dict[str, Any]]:
    """A handshake, and a response that comes in 64 kB a round trip."""
    raw = {"raw": {"length": _LENGTH}} if lengths else {}
    events = [
        _packet(0, "initial", 0) | {"name": "transport:packet_sent"},
        _packet(_TRIP_MS, "initial", 0),
        _packet(_TRIP_MS + 0.1, "handshake", 0),
    ]
    number = 0
    for one in range(rounds):
        for place in range(_BUFFER_PACKETS):
            number += 1
            if number not in without:
                events.append(_packet(_TRIP_MS * (2 + one) + place * 0.2, "1RTT", number, **raw, **more))
    return events


def _sequence(file: Path, events: list[dict[str, Any]], **trace: Any) -> Facts:
    head = {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "trace": {"vantage_point": {"type": "client"}, **trace},
    }
    file.write_text("".join(f"\x1e{json.dumps(one)}\n" for one in [head, *events]), encoding="utf-8")
    return qlog.facts(file)


def _whole(file: Path, events: list[dict[str, Any]], **trace: Any) -> Facts:
    """As aioquic writes it."""
    traces = [{"vantage_point": {"type": "client"}, "events": events, **trace}]
    file.write_text(
        json.dumps({"qlog_version": "0.3", "qlog_format": "JSON", "traces": traces}), encoding="utf-8"
    )
    return qlog.facts(file)


@pytest.mark.parametrize("write", [_sequence, _whole])
def test_64_kb_a_round_trip_is_found_in_either_form(write: Any, tmp_path: Path) -> None:
    found = write(tmp_path / "a.qlog", _transfer())
    assert [one.trap.name for one in judge(found).findings] == ["stream-buffer"]


def test_a_file_without_metrics_has_the_handshakes_round_trip_and_says_so(tmp_path: Path) -> None:
    found = _sequence(tmp_path / "a.sqlog", _transfer())
    (visit,) = found.visits
    assert visit.round_trip_s == pytest.approx(_TRIP_MS / 1e3)
    assert "The file has no recovery metrics; the round trip is the handshake's." in found.lacks


def test_a_file_that_begins_after_the_handshake_has_no_round_trip(tmp_path: Path) -> None:
    found = _sequence(tmp_path / "a.sqlog", _transfer()[3:])
    assert judge(found).findings == ()
    assert "The file has no recovery metrics and no handshake, so no round trip is known." in found.lacks


def test_metrics_go_before_the_handshake(tmp_path: Path) -> None:
    events = [*_transfer(), _event(9000, "recovery:metrics_updated", min_rtt=59.0)]
    (visit,) = _sequence(tmp_path / "a.sqlog", events).visits
    assert visit.round_trip_s == pytest.approx(0.059)


def test_a_file_without_lengths_says_what_is_assumed(tmp_path: Path) -> None:
    found = _sequence(tmp_path / "a.sqlog", _transfer(lengths=False))
    assert "The file has no packet lengths; 1350 bytes each are assumed." in found.lacks
    assert [one.trap.name for one in judge(found).findings] == ["stream-buffer"]


def test_packet_numbers_that_never_came_were_lost(tmp_path: Path) -> None:
    (visit,) = _sequence(tmp_path / "a.sqlog", _transfer(without=(100, 101, 300))).visits
    assert visit.flow is not None
    assert (visit.flow.lost, visit.flow.lost_runs) == (3, (2, 1))


def test_a_server_that_says_that_it_is_blocked_is_heard(tmp_path: Path) -> None:
    frames = [{"frame_type": "stream_data_blocked"}]
    found = _sequence(tmp_path / "a.sqlog", _transfer(frames=frames))
    assert [one.trap.name for one in judge(found).findings] == ["flow-control"]


def test_a_clients_own_window_is_no_buffer_of_the_servers(tmp_path: Path) -> None:
    told = _event(1, "transport:parameters_set", owner="local", initial_max_stream_data_bidi_local=65536)
    found = _sequence(tmp_path / "a.sqlog", [told, *_transfer()])
    assert [one.trap.name for one in judge(found).findings] == ["flow-control"]


def test_a_servers_file_counts_what_it_declared_lost(tmp_path: Path) -> None:
    events = [one | {"name": one["name"].replace("received", "sent")} for one in _transfer()[3:]]
    events.append(_event(9000, "recovery:metrics_updated", min_rtt=_TRIP_MS))
    for number in (10, 11, 50):
        header = {"packet_type": "1RTT", "packet_number": number}
        events.append(_event(300, "recovery:packet_lost", header=header))
    (visit,) = _sequence(tmp_path / "a.sqlog", events, vantage_point={"type": "server"}).visits
    assert visit.flow is not None
    assert visit.flow.lost_runs == (2, 1)
    assert visit.flow.handshake is None


def test_absolute_times_count_from_the_first(tmp_path: Path) -> None:
    events = [one | {"time": one["time"] + 1.7e12} for one in _transfer()]
    (visit,) = _whole(tmp_path / "a.qlog", events, common_fields={"time_format": "absolute"}).visits
    assert visit.flow is not None
    assert float(np.min(visit.flow.arrived_s)) == pytest.approx(0.12, abs=1e-3)


def test_a_file_without_content_has_no_visit_and_says_why(tmp_path: Path) -> None:
    found = _sequence(tmp_path / "a.sqlog", _transfer()[:3])
    assert found.visits == ()
    assert found.lacks[-1] == "the file has no packets with content from the server"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "this is no qlog"),
        ("{", "this is no qlog"),
        ("[]", "this is no qlog"),
        ('{"log": {"entries": []}}', "it has neither qlog_version nor file_schema"),
        ("\x1e{}\n", "it has neither qlog_version nor file_schema"),
    ],
)
def test_what_is_no_qlog_is_refused(content: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "a.qlog").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=why):
        qlog.facts(tmp_path / "a.qlog")


def test_a_file_of_a_program_that_was_killed_is_read_to_its_last_whole_record(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlog"
    whole = _sequence(file, _transfer())
    file.write_text(file.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    found = qlog.facts(file)
    assert "The file's last record is incomplete, and left out." in found.lacks
    assert [one.trap.name for one in judge(found).findings] == [
        one.trap.name for one in judge(whole).findings
    ]


@pytest.mark.parametrize("broken", ["\x1e{\n", "\x1e\0\n", "\x1e[NaN]\n"])
def test_a_record_in_the_middle_that_is_broken_is_refused(broken: str, tmp_path: Path) -> None:
    file = tmp_path / "a.sqlog"
    _sequence(file, _transfer())
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text[:300].rpartition("\x1e")[0]
        + broken
        + text[-2000:].partition("\x1e")[1]
        + text[-2000:].partition("\x1e")[2],
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="this is no qlog"):
        qlog.facts(file)


@pytest.mark.parametrize(
    "odd",
    [
        {"time": 1e17},
        {"time": -1e17},
        {"data": {"header": {"packet_type": "1RTT", "packet_number": 1e19}, "raw": {"length": 1e18}}},
        {"data": {"header": {"packet_type": "1RTT", "packet_number": -5}, "raw": {"length": -1}}},
        {"name": "recovery:metrics_updated", "data": {"min_rtt": -1}},
        {"name": "recovery:metrics_updated", "data": {"min_rtt": 1e300}},
        {"name": "transport:parameters_set", "data": {"owner": "local", "initial_max_data": 1e300}},
        {"data": {"header": {"packet_type": "retry"}, "frames": "x"}},
        {"data": []},
    ],
)
def test_an_event_that_cannot_be_is_left_out(odd: dict[str, Any], tmp_path: Path) -> None:
    plain = _packet(3000, "1RTT", 99_999, raw={"length": _LENGTH})
    found = _sequence(tmp_path / "a.sqlog", [*_transfer(), plain | odd])
    judge(found)
    (visit,) = found.visits
    assert visit.round_trip_s == pytest.approx(_TRIP_MS / 1e3)
    assert visit.page.load_s is not None and visit.page.load_s < 10


def test_events_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    head, *others = _transfer()
    found = _sequence(tmp_path / "a.sqlog", [head, *reversed(others)])
    assert [one.trap.name for one in judge(found).findings] == ["stream-buffer"]


def test_a_round_trip_is_not_that_of_a_first_packet_that_was_lost(tmp_path: Path) -> None:
    first, *others = _transfer()
    events = [first, first | {"time": 1000.0}, *(one | {"time": one["time"] + 1000} for one in others)]
    (visit,) = _sequence(tmp_path / "a.sqlog", events).visits
    assert visit.round_trip_s == pytest.approx(_TRIP_MS / 1e3)


def test_a_log_says_how_soon_the_server_answered(tmp_path: Path) -> None:
    (visit,) = _sequence(tmp_path / "a.sqlog", _transfer()).visits
    assert visit.flow is not None and visit.flow.handshake is not None
    assert visit.flow.handshake.retry is None  # some stacks don't tell it
    assert visit.flow.handshake.answer_s == pytest.approx(_TRIP_MS / 1e3)


def test_a_server_that_lost_half_lost_half(tmp_path: Path) -> None:
    sent = [one | {"name": "transport:packet_sent"} for one in _transfer()[3:]]
    lost = [
        _event(9000, "recovery:packet_lost", header={"packet_type": "1RTT", "packet_number": number})
        for number in range(1, len(sent) + 1, 2)
    ]
    (visit,) = _sequence(tmp_path / "a.sqlog", [*sent, *lost], vantage_point={"type": "server"}).visits
    assert visit.flow is not None
    assert visit.flow.loss == pytest.approx(0.5, abs=0.01)

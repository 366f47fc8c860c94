"""`pronghorn why` of files: what it prints, and its exit status."""

import json
from typing import Any

import pytest

from ..laboratory import Laboratory

_TRIP_MS, _PACKETS = 60.0, 46


def _qlog(*, held: bool, content: bool = True) -> str:
    """A client's qlog of a response that comes in 64 kB a round trip, or without a pause."""

    def packet(at_ms: float, name: str, kind: str, number: int) -> dict[str, Any]:
        header = {"packet_type": kind, "packet_number": number}
        data = {"header": header, "raw": {"length": 1452}, "frames": []}
        return {"time": at_ms, "name": f"transport:packet_{name}", "data": data}

    each_ms = 0.1 if held else _TRIP_MS / _PACKETS
    data = [
        packet(_TRIP_MS * (2 + one) + place * each_ms, "received", "1RTT", one * _PACKETS + place)
        for one in range(30)
        for place in range(_PACKETS)
    ]
    events = [packet(0, "sent", "initial", 0), packet(_TRIP_MS, "received", "initial", 0)]
    trace = {"vantage_point": {"type": "client"}, "events": [*events, *(data if content else [])]}
    return json.dumps({"qlog_version": "0.3", "qlog_format": "JSON", "traces": [trace]})


def test_a_trap_that_fits_is_status_1(laboratory: Laboratory) -> None:
    laboratory.write("a.qlog", _qlog(held=True))
    result = laboratory.run("why", "--qlog", "a.qlog")
    assert result.status == 1
    assert result.stdout.startswith("a.qlog\n")
    assert "stream-buffer: " in result.stdout
    assert result.stdout.splitlines()[-1].startswith("Change this first: stream-buffer, nginx: ")


def test_nothing_found_is_status_0_and_json_says_the_same(laboratory: Laboratory) -> None:
    laboratory.write("a.qlog", _qlog(held=False))
    result = laboratory.run("why", "--qlog", "a.qlog", "--json")
    assert result.status == 0
    told = json.loads(result.stdout)
    assert told["findings"] == []
    assert told["advice"].startswith("5 of 16 traps could be judged, and none of them fits.")
    assert "stream-buffer" in told["judged"]
    assert "not-offered" in [one["trap"] for one in told["not_judged"]]


@pytest.mark.parametrize(
    ("option", "content", "said"),
    [
        ("--qlog", "\x1e{}\n\x1e{\n\x1e{}\n", "this is no qlog"),
        ("--qlog", "", "this is no qlog"),
        ("--har", '{"log": 1}', "a.file"),
        ("--har", "\0", "a.file"),
    ],
)
def test_a_file_that_is_none_is_one_message_and_status_2(
    option: str, content: str, said: str, laboratory: Laboratory
) -> None:
    laboratory.write("a.file", content)
    result = laboratory.run("why", option, "a.file")
    assert result.status == 2
    assert said in result.stderr and "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_file_in_which_nothing_is_to_be_measured_is_status_4(laboratory: Laboratory) -> None:
    laboratory.write("a.qlog", _qlog(held=False, content=False))
    result = laboratory.run("why", "--qlog", "a.qlog")
    assert result.status == 4
    assert "a.qlog: nothing could be measured over HTTP/3." in result.stderr
    assert "unknown: the file has no packets with content from the server" in result.stdout

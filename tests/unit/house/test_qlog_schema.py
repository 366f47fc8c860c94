"""The check of qlogs takes what the drafts define and nothing else."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from ...qlog_schema import validated

GOOD: list[dict[str, Any]] = [
    {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "trace": {
            "vantage_point": {"name": "some server", "type": "server"},
            "common_fields": {"time_format": "relative", "reference_time": 1.5e12, "own": 7},
            "configuration": {"time_offset": 0.0, "original_uris": [], "own": [1]},
        },
    },
    {
        "time": 0.5,
        "name": "transport:packet_received",
        "data": {"header": {"packet_type": "initial", "packet_number": 0, "length": 1182}},
    },
    {
        "time": 0.75,
        "name": "transport:packet_sent",
        "data": {
            "header": {"packet_type": "1RTT", "packet_number": "18446744073709551615"},
            "raw": {"length": 1200},
        },
    },
    {
        "time": 0.75,
        "name": "recovery:metrics_updated",
        "data": {"smoothed_rtt": 40, "congestion_window": 12000},
    },
    {
        "time": 80,
        "name": "recovery:packet_lost",
        "data": {"header": {"packet_type": "1RTT", "packet_number": 3}, "trigger": "time_threshold"},
    },
]


def sequence(records: list[dict[str, Any]]) -> bytes:
    return b"".join(b"\x1e" + json.dumps(record).encode() + b"\n" for record in records)


def changed(change: Callable[[list[dict[str, Any]]], Any]) -> bytes:
    records = copy.deepcopy(GOOD)
    change(records)
    return sequence(records)


def test_what_the_drafts_define_is_taken() -> None:
    found = validated(sequence(GOOD))
    assert len(found.events) == 4
    assert found.header.trace.vantage_point is not None
    assert found.header.trace.vantage_point.type == "server"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda all: all[0].update(qlog_version="0.4"), "qlog_version"),
        (lambda all: all[0].update(qlog_format="JSON"), "qlog_format"),
        (lambda all: all[0].update(file_schema="urn:ietf:params:qlog:file:sequential"), "file_schema"),
        (lambda all: all[0].pop("trace"), "trace"),
        (lambda all: all[0]["trace"].update(title=None), "title: is null"),
        (lambda all: all[0]["trace"]["vantage_point"].update(type="origin"), "vantage_point"),
        (lambda all: all[0]["trace"]["vantage_point"].update(type="network"), "needs a flow"),
        (lambda all: all[0]["trace"]["common_fields"].pop("reference_time"), "reference_time"),
        (lambda all: all[0]["trace"]["configuration"].pop("original_uris"), "original_uris"),
        (lambda all: all[1].pop("time"), "time"),
        (lambda all: all[1].update(time="0.5"), "time"),
        (lambda all: all[1].update(time=3), "order of their times"),
        (lambda all: all[1].update(name="quic:packet_received"), "quic:packet_received"),
        (lambda all: all[1]["data"]["header"].pop("packet_number"), "packet_number"),
        (lambda all: all[1]["data"]["header"].update(packet_type="1-RTT"), "packet_type"),
        (lambda all: all[1]["data"]["header"].update(length=65_536), "length"),
        (lambda all: all[2]["data"]["header"].update(length=1182), "has no length"),
        (lambda all: all[2]["data"]["header"].update(packet_number=2**64), "packet_number"),
        (lambda all: all[2]["data"].update(packet_size=1200), "packet_size"),
        (lambda all: all[2]["data"].update(Raw={}), "small letters"),
        (lambda all: all[3]["data"].clear(), "no metric"),
        (lambda all: all[3]["data"].update(cwnd=12000), "cwnd"),
        (lambda all: all[3]["data"].update(smoothed_rtt=-1), "smoothed_rtt"),
        (lambda all: all[3]["data"].update(congestion_window=12000.5), "congestion_window"),
        (lambda all: all[4]["data"].update(trigger="gone"), "trigger"),
        (lambda all: all[4]["data"].update(raw={"length": 1200}), "raw"),
    ],
)
def test_what_they_do_not_define_is_refused_by_its_name(
    change: Callable[[list[dict[str, Any]]], Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        validated(changed(change))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (sequence(GOOD)[1:], "does not begin with a record separator"),
        (sequence(GOOD)[:-1], "record 5 does not end with a line feed"),
        (sequence(GOOD).replace(b"\n\x1e", b"\n"), "Extra data"),
        (sequence(GOOD).replace(b'"time": 80', b'"time": 80, "time": 81'), "stands twice"),
        (
            sequence([{"title": 300 * "x"} | GOOD[0], *GOOD[1:]]),
            "not within the first 256 bytes",
        ),
    ],
)
def test_what_is_no_such_text_sequence_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        validated(content)

"""What is said of visits and findings."""

import dataclasses
import json

from pronghorn.traps import judge, told
from pronghorn.traps.facts import Facts, Hop

from .made_visits import SOUND, Way, facts, visit


def test_the_text_has_the_times_the_finding_its_fixes_and_what_to_change_first() -> None:
    found = facts(h3=Way(window=65536))
    lines = told.as_text(found, judge(found)).splitlines()
    assert lines[0] == "https://www.example.org/"
    assert [line[:2] for line in lines[1:4]] == ["  ", "h2", "h3"]
    assert lines[1].split()[:3] == ["load", "lookup", "set-up"]
    assert lines[3].endswith("60.0 ms  3 of 3")
    assert len(set(map(len, lines[1:4]))) == 1
    assert any(one.startswith("  change: nginx: http3_stream_buffer_size 1m;") for one in lines)
    assert "  could also be: a client whose own window is 64 kB" in lines
    assert lines[-1].startswith("Change this first: stream-buffer, nginx: http3_stream_buffer_size 1m;")


def test_nothing_found_is_said_as_such() -> None:
    found = facts()
    assert told.as_text(found, judge(found)).splitlines()[-1] == (
        "Nothing found: none of the known traps fits what was seen."
    )


def test_what_is_unknown_and_what_was_spoilt_stand_before_the_end() -> None:
    offer = SOUND._replace(hops=(Hop("www.example.org", 443, None),), record=None, record_why="no resolver")
    found = Facts("x", [visit("h2")], offer, lacks=["No visit over h3 can be used: timeout."], spoilt=2)
    lines = told.as_text(found, judge(found)).splitlines()
    assert "unknown: not-offered: there is no Alt-Svc header; no resolver." in lines
    assert "unknown: No visit over h3 can be used: timeout." in lines
    assert "2 visits spoilt by a busy machine: made again." in lines
    assert " could be judged, and none of them fits. What is unknown stands above." in lines[-1]


def test_the_json_has_the_same_and_null_for_what_is_not_known() -> None:
    found = dataclasses.replace(facts(h3=Way(window=65536)), lacks=["x"])
    read = json.loads(told.as_json(found, judge(found)))
    assert [one["trap"] for one in read["findings"]] == ["stream-buffer"]
    assert read["visits"]["h3"]["used"] == 3
    assert read["lacks"] == ["x"]
    (one,) = read["findings"]
    assert one["changes"][0]["setting"].startswith("http3_stream_buffer_size 1m;")
    assert "stream-buffer" in read["judged"] and read["not_judged"] == []
    bare = json.loads(told.as_json(Facts("x", [visit("h2")]), judge(Facts("x", [visit("h2")]))))
    assert bare["visits"]["h3"] == {
        "tried": 0,
        "used": 0,
        "load_s": None,
        "round_trip_s": None,
        "byte_per_s": None,
        "parts_s": {},
    }

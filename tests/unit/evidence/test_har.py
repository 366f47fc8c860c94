"""HAR files of the two protocols beside each other."""

import json
from pathlib import Path
from typing import Any

import pytest

from pronghorn.evidence import har
from pronghorn.traps import judge
from pronghorn.traps.facts import Facts

_TRIP_MS = 60.0


def _entry(at_s: float, path: str, version: str, size: int, receive_ms: float, **more: Any) -> dict[str, Any]:
    wait = more.pop("wait", _TRIP_MS)
    timings = {
        "blocked": 0,
        "dns": -1,
        "connect": -1,
        "ssl": -1,
        "send": 0,
        "wait": wait,
        "receive": receive_ms,
    }
    return {
        "startedDateTime": f"2026-11-28T10:00:{at_s:06.3f}Z",
        "time": sum(one for one in timings.values() if one > 0),
        "request": {
            "method": "GET",
            "url": f"https://{more.pop('host', 'www.example.org')}{path}",
            "headers": [],
        },
        "response": {
            "status": more.pop("status", 200),
            "httpVersion": version,
            "headers": [{"name": "Alt-Svc", "value": more.pop("alt_svc")}] if "alt_svc" in more else [],
            "bodySize": size,
            "content": {"size": size},
        },
        "timings": timings | more.pop("timings", {}),
    }


def _facts(folder: Path, **files: list[dict[str, Any]]) -> Facts:
    named = []
    for name, entries in files.items():
        file = folder / f"{name}.har"
        file.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}), encoding="utf-8")
        named.append(file)
    return har.facts(named)


_OPENS = {"connect": 120.0, "ssl": 60.0}


def _page(version: str, byte_per_ms: float) -> list[dict[str, Any]]:
    first = _entry(0, "/", version, 1000, 0.1, alt_svc='h3=":443"', timings=_OPENS)
    first["time"] += 120
    large = [_entry(1 + one, f"/{one}.png", version, 1_000_000, 1e6 / byte_per_ms) for one in range(3)]
    return [first, *large]


def test_64_kb_a_round_trip_is_seen_by_the_rates_of_both(tmp_path: Path) -> None:
    found = _facts(tmp_path, h2=_page("h2", 6000), h3=_page("h3", 65536 * 0.95 / _TRIP_MS))
    assert [one.trap.name for one in judge(found).findings] == ["stream-buffer"]
    slower = _facts(tmp_path, h2=_page("h2", 6000), h3=_page("h3", 500))
    assert judge(slower).findings == ()


def test_a_single_file_compares_nothing_and_says_so(tmp_path: Path) -> None:
    found = _facts(tmp_path, h3=_page("http/3.0", 65536 * 0.95 / _TRIP_MS))
    assert judge(found).findings == ()
    assert "No file has a load over h2, so nothing is compared." in found.lacks


def test_a_file_without_alt_svc_does_not_say_that_h3_is_not_offered(tmp_path: Path) -> None:
    found = _facts(tmp_path, h2=[_entry(0, "/", "h2", 1000, 1)])
    judged = judge(found)
    assert judged.findings == ()
    assert [(one.trap.name, one.why) for one in judged.unknown] == [
        ("not-offered", "there is no Alt-Svc header; a HAR file has no DNS")
    ]


def test_a_slow_application_is_seen_in_one_file(tmp_path: Path) -> None:
    slow = _entry(0, "/", "h2", 1000, 1, wait=900, timings=_OPENS, alt_svc='h3=":443"')
    slow["time"] += 120
    assert [one.trap.name for one in judge(_facts(tmp_path, h2=[slow])).findings] == ["slow-server"]


def test_a_redirects_hops_are_the_first_entries(tmp_path: Path) -> None:
    hop = _entry(0, "/", "h2", 0, 1, host="example.org", status=301, alt_svc='h3=":443"')
    found = _facts(tmp_path, h2=[hop, _entry(1, "/", "h2", 1000, 1)])
    assert found.offer is not None
    assert [(one.host, one.alt_svc) for one in found.offer.hops] == [
        ("example.org", 'h3=":443"'),
        ("www.example.org", None),
    ]
    assert [one.trap.name for one in judge(found).unknown] == ["redirect"]


def test_a_page_over_http_1_has_no_visit(tmp_path: Path) -> None:
    found = _facts(tmp_path, h1=[_entry(0, "/", "http/1.1", 1000, 1)])
    assert not found.visits
    assert any("spoke neither HTTP/2 nor HTTP/3" in one for one in found.lacks)


_MADE = sorted((Path(__file__).parents[1] / "importing" / "hars").glob("*.har"))


@pytest.mark.parametrize("file", _MADE, ids=[one.stem for one in _MADE])
def test_the_files_of_ten_makers_are_read_and_nothing_is_found_in_their_small_page(file: Path) -> None:
    found = har.facts([file])
    judged = judge(found)
    assert judged.findings == ()
    assert [one.trap.name for one in judged.unknown] == ["not-offered"]
    assert found.visits or any("spoke neither" in one for one in found.lacks)


@pytest.mark.parametrize(
    "odd",
    [
        {"url": "https://[x/"},
        {"url": "https://www.example.org:99999/"},
        {"size": 10**17},
        {"on_load": 1e-300},
        {"at": "1999-11-28T10:00:00Z"},
        {"at": "2150-11-28T10:00:00Z"},
    ],
)
def test_an_entry_that_cannot_be_harms_nothing(odd: dict[str, Any], tmp_path: Path) -> None:
    bad = _entry(2, "/odd.png", "h2", odd.get("size", 1000), 1)
    bad["request"]["url"] = odd.get("url", bad["request"]["url"])
    bad["startedDateTime"] = odd.get("at", bad["startedDateTime"])
    pages = [
        {"id": "p", "startedDateTime": bad["startedDateTime"], "pageTimings": {"onLoad": odd.get("on_load")}}
    ]
    _facts(tmp_path, h2=[*_page("h2", 6000), bad])
    text = (tmp_path / "h2.har").read_text(encoding="utf-8")
    told = json.loads(text)
    told["log"]["pages"] = pages
    (tmp_path / "h2.har").write_text(json.dumps(told), encoding="utf-8")
    found = har.facts([tmp_path / "h2.har"])
    judge(found)
    (visit,) = found.visits
    assert visit.page.load_s is not None and visit.page.load_s < 10
    assert len(visit.page.resources) >= 4


def test_a_load_ends_with_its_page_and_not_with_the_recording(tmp_path: Path) -> None:
    poll = _entry(50, "/poll", "h2", 100, 1)
    file = tmp_path / "a.har"
    page = {
        "id": "p",
        "startedDateTime": "2026-11-28T10:00:00Z",
        "title": "",
        "pageTimings": {"onLoad": 4000},
    }
    entries = [one | {"pageref": "p"} for one in [*_page("h2", 6000), poll]]
    file.write_text(
        json.dumps({"log": {"version": "1.2", "pages": [page], "entries": entries}}), encoding="utf-8"
    )
    (visit,) = har.facts([file]).visits
    assert visit.page.load_s == 4.0
    assert "/poll" not in [one.path for one in visit.page.resources]
    assert any("has no onLoad" in one for one in _facts(tmp_path, b=_page("h2", 6000)).lacks)

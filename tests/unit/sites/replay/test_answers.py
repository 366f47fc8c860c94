"""What servers answer in a replay, and to which requests."""

import re
from pathlib import Path

import pytest

from pronghorn import sites
from pronghorn.errors import InputError
from pronghorn.sites.archive import Host
from pronghorn.sites.replay import answers, headers, steps, table

from .archives import OTHER, OWN, archive

PAGE = {"url": "https://a.test/", "kind": "document", "body": b"page", "wait_s": 0.1}


def test_headers_are_sent_as_recorded_but_for_the_rules() -> None:
    recorded = [
        ("Content-Type", "text/html"),
        ("Connection", "keep-alive"),
        ("Content-Length", "17"),
        ("Date", "yesterday"),
        ("Alt-Svc", "clear"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("Content-Security-Policy", "upgrade-insecure-requests; report-uri /r"),
        ("Content-Security-Policy-Report-Only", "report-to x"),
    ]
    kept = [
        ("content-type", "text/html"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
        ("content-security-policy", "upgrade-insecure-requests"),
    ]
    assert list(headers.answered(recorded, h3=False, head=False)) == kept
    assert list(headers.answered(recorded, h3=True, head=False)) == [*kept, headers.ALT_SVC]
    assert ("content-length", "17") in headers.answered(recorded, h3=False, head=True)


def test_a_server_thinks_as_long_as_it_waited_beyond_a_round_trip(tmp_path: Path) -> None:
    found = archive(
        tmp_path / "x",
        PAGE,
        {"url": "https://b.test/1", "wait_s": 0.05},
        {"url": "https://b.test/2", "wait_s": 0.07},
    )
    assert answers.think_times(found, found.exchanges) == {1: 0.08, 2: 0.0, 3: 0.02}
    _hosts(tmp_path, "x")
    assert [one.think_s for one in answers.read(tmp_path / "built")] == [0.08, 0.0, 0.02]


def _hosts(folder: Path, name: str) -> dict[str, sites.hosts.Host]:
    (folder / "built").mkdir()
    built = sites.build(f"archive:{folder / name}", 1, folder / "built")
    assert built.replay is not None
    return dict(built.replay.hosts)


def test_hosts_of_a_group_share_a_face_and_each_speaks_what_it_has(tmp_path: Path) -> None:
    own = Host(first_party=True, protocols=("h1",), group=1)
    hosts = {
        "a.test": own,
        "img.a.test": own,
        "cdn.test": Host(first_party=False, protocols=("h2", "h3")),
        "old.test": Host(first_party=False, protocols=("h1",)),
        "new.test": Host(first_party=False),
    }
    others = [{"url": f"https://{name}/"} for name in hosts if name != "a.test"]
    archive(tmp_path / "x", PAGE, *others, hosts=hosts)
    (tmp_path / "site").mkdir()
    replay = sites.build(f"archive:{tmp_path / 'x'}", 1, tmp_path / "site").replay
    assert replay is not None
    assert [(face.names, face.h2, face.h3) for face in replay.faces] == [
        (("a.test", "img.a.test"), True, True),
        (("cdn.test",), True, True),
        (("old.test",), False, False),
        (("new.test",), True, False),
    ]
    spoken = {
        name: [host.speaks(asked) for asked in ("h1", "h2", "h3")] for name, host in replay.hosts.items()
    }
    assert spoken == {
        "a.test": ["h1", "h2", "h3"],
        "img.a.test": ["h1", "h2", "h3"],
        "cdn.test": ["h1", "h2", "h3"],
        "old.test": ["h1", "h1", "h1"],
        "new.test": ["h1", "h2", "h2"],
    }
    assert replay.allowed("/x", {"h3"}) == {"h3"}
    assert replay.allowed("https://new.test/x", {"h3"}) == {"h2"}
    assert replay.allowed("https://old.test/x", {"h2", "h3"}) == {"h1"}


def test_a_host_of_h1_alone_shares_no_address_with_one_that_speaks_more(tmp_path: Path) -> None:
    hosts = {
        "a.test": OWN.model_copy(update={"group": 1}),
        "old.test": Host(first_party=False, protocols=("h1",), group=1),
        "older.test": Host(first_party=False, protocols=("h1",), group=1),
    }
    archive(tmp_path / "x", PAGE, {"url": "https://old.test/"}, {"url": "https://older.test/"}, hosts=hosts)
    (tmp_path / "site").mkdir()
    replay = sites.build(f"archive:{tmp_path / 'x'}", 1, tmp_path / "site").replay
    assert replay is not None
    assert [(face.names, face.h2, face.h3) for face in replay.faces] == [
        (("a.test",), True, True),
        (("old.test", "older.test"), False, False),
    ]


def test_an_address_has_the_longest_delay_of_its_hosts(tmp_path: Path) -> None:
    far = {"group": 2, "delay": "5ms"}
    hosts = {
        "a.test": OWN,
        "b.test": OTHER.model_copy(update=far),
        "c.test": OTHER.model_copy(update={"group": 2}),
    }
    archive(tmp_path / "x", PAGE, {"url": "https://b.test/"}, {"url": "https://c.test/"}, hosts=hosts)
    (tmp_path / "site").mkdir()
    built = sites.build(f"archive:{tmp_path / 'x'}", 1, tmp_path / "site")
    assert built.replay is not None
    assert [face.delay_ns for face in built.replay.faces] == [0, 5_000_000]
    assert "delay_s" not in built.notes["hosts"]["a.test"]
    assert built.notes["hosts"]["c.test"]["delay_s"] == 0.005


def test_a_load_of_more_requests_than_clients_make_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "MOST", 1)
    archive(tmp_path / "x", PAGE, {"url": "https://b.test/1"})
    (tmp_path / "site").mkdir()
    with pytest.raises(InputError, match=f"^{tmp_path / 'x'}: its load has 2 requests; 1 at most"):
        sites.build(f"archive:{tmp_path / 'x'}", 1, tmp_path / "site")


@pytest.mark.parametrize(
    ("target", "other", "fits"),
    [
        ("/a?x=1&_=5", "/a?x=1&_=7", True),
        ("/a?x=1&_=5", "/a?x=2&_=7", False),
        ("/a?at=1732623600123", "/a?at=1732623600999", True),
        ("/a?r=0.8372615243", "/a?r=0.12837465512", True),
        ("/a?id=3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/a?id=00000000-4f89-11d3-9a0c-0305e82c3302", True),
        ("/i?id=3f2504e04f8911d39a0c0305e82c3301&v=1732623600123", "/i?id=7&v=2", False),
        (
            "/i?id=3f2504e04f8911d39a0c0305e82c3301&v=1732623600123",
            "/i?id=00000000000011d39a0c0305e82c3302&v=1732623600999",
            True,
        ),
        ("/a?r=0.8372615243", "/a?r=0.5", False),
        ("/a?at=1732623600123", "/a?at", False),
        ("/a?_=1732623600123", "/a?_", True),
        ("/a?q=shoes", "/a?q=coats", False),
        ("/a?id=17", "/a?id=18", False),
        ("/a", "/a?_=1", False),
    ],
)
def test_a_pattern_fits_what_differs_in_varying_parameters_alone(target: str, other: str, fits: bool) -> None:
    pattern = table.pattern(target)
    assert (pattern is not None and re.fullmatch(pattern, other) is not None) == fits
    assert pattern is None or re.fullmatch(pattern, target)


def test_equal_requests_share_the_first_answer_and_the_others_are_counted(tmp_path: Path) -> None:
    poll = {"url": "https://a.test/poll"}
    found = archive(
        tmp_path / "x",
        PAGE,
        {**poll, "status": 304},
        {**poll, "body": b"1"},
        {**poll, "body": b"22"},
        {**poll, "body": b"1"},
    )
    _hosts(tmp_path, "x")
    entries, unreachable = table.of(answers.read(tmp_path / "built"))
    assert [(one.target, one.answer.status, one.answer.body) for one in entries] == [
        ("/", 200, found.exchanges[0].body),
        ("/poll", 200, found.exchanges[2].body),
    ]
    assert unreachable == 2


def test_a_request_has_its_recorded_headers_and_cookies_but_what_the_client_says_itself() -> None:
    recorded = (
        ("Cookie", "a=xxxx"),
        ("X-Api", "1"),
        ("Host", "a.test"),
        ("Accept-Encoding", "br"),
        ("X-Ü", "ü"),
    )
    assert list(headers.asked(recorded)) == [("cookie", "a=xxxx"), ("x-api", "1")]

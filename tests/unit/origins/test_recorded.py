"""How other servers are configured for recorded sites."""

import json
from pathlib import Path

from pronghorn.certificates import Leaf
from pronghorn.origins import caddy_recorded, haproxy_cfg, haproxy_recorded, nginx_conf, nginx_recorded
from pronghorn.origins.hosts import Place, Placed
from pronghorn.sites.hosts import Face, Host, Replay
from pronghorn.sites.replay.answers import FILE, Answer
from pronghorn.sites.replay.table import Entry

PLACES = (
    Place("198.18.0.16", Face(("a.test",), True, True), Leaf(Path("a.pem"), Path("a.key"))),
    Place("198.18.0.17", Face(("b.test",), False, False), Leaf(Path("b.pem"), Path("b.key"))),
)
ANSWER = Answer("a.test", "GET", "/A?x=$1&_=2", 503, (("x-price", '5 $ "now" {a}'),), "abc", 0.0)
ENTRY = Entry(1, "GET", "a.test", "/A?x=$1&_=2", r"/A\?x=\$1&_(?:=[^&]*)?", ANSWER)
LIKE = Entry(2, "GET", "a.test", "/a?x=$1&_=2", None, ANSWER)


def test_nginx_has_a_server_for_each_address_with_its_protocols() -> None:
    for configured in (nginx_conf.shipped, nginx_conf.tuned, nginx_conf.patient):
        text = nginx_recorded.servers(configured(), PLACES)
        assert text.count("    server {") == 2
        assert text.count(" quic reuseport") == 1
        assert "198.18.0.16:${PRONGHORN_PORT} quic" in text
        assert text.count("http2 on;") == text.count("http2 off;") == 1
        assert 'ssl_certificate_key "b.key";' in text
        assert text.count("{") == text.count("}")


def test_nginx_answers_with_what_was_recorded() -> None:
    files = nginx_recorded.files([ENTRY, LIKE], tells=False)
    answers = files[nginx_recorded.ANSWERS]
    assert r'add_header x-price "5 ${dollar} \"now\" {a}" always;' in answers
    assert "error_page 418 =503 /.pronghorn/a$number;" in answers
    assert "alias bodies/abc;" in answers
    # nginx takes no regard to case but in regular expressions.
    table = files[nginx_recorded.TABLE].splitlines()
    assert len(table) == 3
    assert all(line.startswith('"~^') for line in table)
    assert table[2].endswith("/s503v/1;")


def test_haproxy_has_listeners_at_each_address(tmp_path: Path) -> None:
    text = haproxy_cfg.haproxy(tuned=False, buffers=True, early_data=False, control=None)
    text = haproxy_recorded.front(text, PLACES, tmp_path)
    binds = [line.split()[1:] for line in text.splitlines() if line.startswith("    bind ")]
    assert [(bind[0], bind[-1]) for bind in binds] == [
        ("198.18.0.16:${PRONGHORN_PORT}", "h2,http/1.1"),
        ("198.18.0.17:${PRONGHORN_PORT}", "http/1.1"),
        ("quic4@198.18.0.16:${PRONGHORN_PORT}", "h3"),
    ]
    assert (tmp_path / "host-1.pem.key").is_symlink()
    behind = haproxy_recorded.behind(haproxy_cfg.NGINX)
    assert behind.count("{") == behind.count("}")
    assert nginx_recorded.ANSWERS in behind


def test_caddy_has_a_server_for_each_address_and_a_route_for_each_answer(tmp_path: Path) -> None:
    hosts = {name: Host(name, True, "h3", 0, frozenset({443})) for name in ("a.test", "b.test")}
    replay = Replay("a.test", hosts, tuple(place.face for place in PLACES), tmp_path)
    (tmp_path / FILE).write_text(json.dumps([ANSWER._asdict()]), encoding="utf-8")
    text = caddy_recorded.configuration(
        Placed(replay, PLACES), tmp_path, tmp_path / "log", port=443, early_data=False
    )
    servers = json.loads(text)["apps"]["http"]["servers"]
    assert [one["protocols"] for one in servers.values()] == [["h1", "h2", "h3"], ["h1"]]
    routes = servers["face-0"]["routes"]
    headers = routes[1]["handle"][1]["response"]["set"]
    assert headers == {"x-price": [r'5 $ "now" \{a}']}
    assert routes[1]["handle"][-1]["status_code"] == 503
    mappings = routes[0]["handle"][0]["mappings"]
    assert mappings[0]["input"] == "GET a.test/A?x=$1&_=2"
    assert mappings[1]["outputs"] == ["1", "varied"]

"""Logs of many requests as counts."""

from pathlib import Path

import pytest

from pronghorn.errors import InputError
from pronghorn.model.trial import OriginConnection, OriginRequest
from pronghorn.origins.counts import Count, Kind, counted, since, usual, without
from pronghorn.origins.nginx_log import LogCounter

LINE = '{"path": "/", "protocol": "HTTP/2.0", "status": 200, "bytes": 612, "duration_s": 0.001}\n'


def request(path: str, status: int = 200) -> OriginRequest:
    return OriginRequest(path=path, protocol="h2", status=status, bytes=10)


def test_what_came_since_is_counted_by_kind() -> None:
    before = counted([request("/a"), request("/warm")])
    now = counted([request("/a"), request("/warm"), request("/a"), request("/b"), request("/b")])
    assert [(one.path, one.requests, one.bytes) for one in since(before, now)] == [
        ("/b", 2, 20),
        ("/a", 1, 10),
    ]
    assert Kind("/warm", "h2", 200) not in without(now, "/warm")


def test_nginxs_log_is_counted_as_it_grows(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    counter = LogCounter(file)
    assert counter.counts() == {}
    half = len(LINE) // 2
    file.write_text(LINE * 3 + LINE[:half])
    assert counter.counts() == {Kind("/", "h2", 200): Count(3, 3 * 612)}
    with file.open("a") as log:
        log.write(LINE[half:])
    assert counter.counts() == {Kind("/", "h2", 200): Count(4, 4 * 612)}


def test_a_log_of_another_form_is_refused_with_the_right_one(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    file.write_text("127.0.0.1 - - GET /\n")
    with pytest.raises(InputError, match="lacks the form that proves"):
        LogCounter(file).counts()


def test_of_connections_alike_one_is_kept_as_most_of_them_were() -> None:
    many = [
        OriginConnection(protocol="h2", congestion_control="cubic", settings={"initial_window": window})
        for window in (1448, 14480, 14480)
    ]
    other = OriginConnection(protocol="h2", congestion_control="reno")
    assert usual([*many, other]) == [many[1], other]

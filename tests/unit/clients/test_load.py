"""What a load's report comes to as a trial's page: its rate, its failure, the bounds it is held against."""

from typing import Any

import pytest

from pronghorn.clients.load import requests_per_second, told
from pronghorn.load.spec import Extent, LoadSpec, Target
from pronghorn.model import arm as arms
from pronghorn.model.load import LoadSettings
from pronghorn.model.load_report import LoadReport
from pronghorn.model.path import LinkSpec, PathProfile, PathSpec
from pronghorn.model.trial import Counters, PageLoad
from pronghorn.trust import physics

LIMIT_S = 60.0


def report(**told: Any) -> LoadReport:
    """A load of 100 requests that was done after 2 s, but for what is told."""
    found = {
        "requests": {"planned": 100, "sent": 100, "succeeded": 100},
        "connections": {"attempted": 10, "established": 10},
        "window_s": 2.0,
        "requests_per_second": 50.0,
        "finished": True,
        "bytes": {"payload": 0, "headers": 0, "wire_received": 0, "wire_sent": 0},
        "bytes_per_second": {"payload": 0, "wire_received": 0, "wire_sent": 0},
        "latency_seconds": {},
        "cpu_s": {"user": 0.0, "system": 0.0},
        "max_rss_bytes": 0,
        "protocol": "h1",
    }
    return LoadReport.model_validate(found | told)


def page(found: LoadReport, *, stop: Extent, warm_up: Extent | None = None) -> PageLoad:
    asked = LoadSpec(
        targets=(Target(url="https://pronghorn.test/"),),
        protocol="h1",
        stop=stop,
        warm_up=warm_up,
        limit_s=LIMIT_S,
    )
    return told(found, arms.parse("h1"), asked)


def rate(found: LoadReport, **settings: Any) -> float:
    load = LoadSettings(**settings)
    warm_up = load.warmed_up()
    made = page(found, stop=Extent(**load.stop()), warm_up=Extent(**warm_up) if warm_up else None)
    return requests_per_second(made, load, LIMIT_S)


CUT = {"planned": 100, "sent": 60, "unsent": 40, "succeeded": 50, "failed": {"cut": 10}}
GIVEN_UP = {"planned": 100, "sent": 50, "unsent": 50, "succeeded": 50}


def test_a_cut_load_of_requests_is_told_over_the_time_its_limit_left() -> None:
    cut = report(requests=CUT, window_s=60.0, requests_per_second=50 / 60, finished=False)
    assert rate(cut, requests=100) == pytest.approx(50 / 60)
    warmed = report(requests=CUT, window_s=40.0, requests_per_second=50 / 40, finished=False)
    assert rate(warmed, requests=100, warm_up="20s") == pytest.approx(50 / 40)
    assert rate(warmed, requests=100, warm_up=30) == pytest.approx(50 / 40)


def test_a_load_of_a_duration_whose_last_requests_were_cut_is_told_over_that_duration() -> None:
    """40 requests in the 10 s of the window, 10 more until the limit."""
    late = report(requests=CUT, window_s=10.0, requests_per_second=4.0, finished=False)
    assert rate(late, duration="10s") == pytest.approx(4.0)


def test_a_load_of_a_duration_that_gave_up_is_told_over_the_whole_of_it() -> None:
    early = report(requests=GIVEN_UP, window_s=0.5, requests_per_second=100.0, finished=False)
    assert rate(early, duration="10s") == pytest.approx(5.0)


def test_a_load_that_gave_up_its_connections_was_not_cut_at_its_limit() -> None:
    found = report(
        requests=GIVEN_UP,
        connections={"attempted": 20, "established": 5, "failed": {"tls": 15}},
        window_s=0.5,
        requests_per_second=100.0,
        finished=False,
        failures=[{"kind": "tls", "detail": "the certificate is for another name"}],
    )
    made = page(found, stop=Extent(requests=100))
    assert (made.outcome, made.reason) == ("failed", "connections")
    assert made.detail == (
        "no more connections could be made (tls 15) after 50 of 100 requests had succeeded; the "
        "first: the certificate is for another name"
    )
    assert rate(found, requests=100) == pytest.approx(50 / LIMIT_S)


def test_what_ended_after_the_window_breaks_no_bound() -> None:
    """One request at a time over a round trip of 100 ms: two for the handshakes, seven in the rest of a
    window of 950 ms, and one more that was in flight at its end, of 1 MB each on 60 Mbit/s."""
    down = LinkSpec(delay_ns=100_000_000, rate_bit_per_s=60_000_000)
    path = PathProfile(name="test", spec=PathSpec(down=down, up=LinkSpec()))
    found = report(
        requests={"planned": 8, "sent": 8, "succeeded": 8},
        window_s=0.95,
        requests_per_second=7 / 0.95,
        bytes={"payload": 8_000_000, "headers": 0, "wire_received": 0, "wire_sent": 0},
        bytes_per_second={"payload": 7_000_000 / 0.95, "wire_received": 0, "wire_sent": 0},
    )
    counted = Counters.model_validate({"down": {"delay_min_s": 0.1}, "up": {"delay_min_s": 0.0}})
    made = page(found, stop=Extent(duration_s=0.95))
    assert made.outcome == "ok"
    assert physics.violation(made, counted, path) is None
    assert physics.violation(made.model_copy(update={"load_s": 0.85}), counted, path) is not None

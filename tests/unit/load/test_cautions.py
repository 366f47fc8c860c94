"""What a person is warned of, and when not."""

from typing import Any

import pytest

from pronghorn.load import cautions
from pronghorn.load.spec import Arrivals, Extent, Step

from . import samples

OPEN = {"arrivals": Arrivals(rate_per_s=5000.0), "stop": Extent(duration_s=2.0)}
STEPS = {
    "arrivals": Arrivals(rate_per_s=9000.0, steps=(Step(rate_per_s=1000.0, duration_s=1.0),)),
    "stop": Extent(duration_s=2.0),
}
"""Of which 10 000 requests are due."""


def codes(asked: dict[str, Any], told: dict[str, Any], *, interrupted: bool = False) -> list[str]:
    found = cautions.cautions(samples.spec(**asked), samples.report(**told), interrupted=interrupted)
    return [caution.code for caution in found]


def lag(scale: float) -> dict[str, Any]:
    return {"latency_seconds": {"lag": samples.distribution(10_000, scale)}}


@pytest.mark.parametrize(
    ("asked", "told", "found"),
    [
        ({}, {}, []),
        ({}, {"stood_still_s": 3.5}, ["generator_stopped"]),
        ({}, {"server_drops": 0}, []),
        ({}, {"server_drops": 300}, ["server_drops"]),
        ({}, {"cpu_s": {"user": 1.6}}, ["generator_saturated"]),
        ({"threads": 2}, {"cpu_s": {"user": 1.6}}, []),
        (OPEN, lag(1e-5), []),
        (OPEN, lag(1e-3), ["generator_late"]),
        (OPEN, {"requests_per_second": 4000.0}, ["rate_not_reached"]),
        (STEPS, {}, []),
        (STEPS, {"requests_per_second": 4000.0}, ["rate_not_reached"]),
        ({**OPEN, "ramp_s": 1.0}, {"requests_per_second": 4000.0}, []),
        (
            {**OPEN, "connections": 1, "streams": 1, **OPEN},
            {"connections": {"established": 1}},
            ["connections_full"],
        ),
        ({}, {"connections": {"established": 12, "closed_by_peer": 2}}, ["connections_replaced"]),
        ({"connect": "each"}, {"connections": {"established": 10_000}}, []),
        ({"session": "resumed"}, {"connections": {"resumed": 9}}, ["not_resumed"]),
        ({"session": "0rtt"}, {"connections": {"resumed": 10}}, ["early_data_rejected"]),
        ({"session": "0rtt"}, {"connections": {"resumed": 10, "early_data_accepted": 10}}, []),
        ({}, {"congestion_controller": "bbr"}, ["congestion_control"]),
        ({}, {"requests": {"statuses": {"301": 10_000}}}, ["redirects"]),
        ({}, {"connections": {"streams_allowed": 1, "most_under_way": 1}}, ["streams_not_reached"]),
        ({}, {"connections": {"streams_allowed": 100, "most_under_way": 100}}, []),
        ({"stop": Extent(requests=10)}, {"connections": {"streams_allowed": 1}}, []),
        ({"limit_s": 2.0}, {"finished": False, "requests": {"unsent": 5}}, ["cut"]),
        ({}, {"finished": False, "requests": {"unsent": 5}}, ["cut"]),
        ({}, {"finished": False, "requests": {"sent": 0}}, []),
        ({}, {"window_s": 0.5}, ["generator_saturated", "short"]),
    ],
)
def test_each_caution_has_its_cause(asked: dict[str, Any], told: dict[str, Any], found: list[str]) -> None:
    assert codes(asked, told) == found


def test_a_load_that_gave_up_its_connections_is_not_said_to_have_met_its_limit() -> None:
    told = {"finished": False, "requests": {"unsent": 5}, "connections": {"failed": {"refused": 10}}}
    found = cautions.cautions(samples.spec(limit_s=60.0), samples.report(**told), interrupted=False)
    assert found[0].text == "the load did not finish: 5 requests were never sent."


def test_an_interruption_is_told_instead_of_a_cut() -> None:
    assert codes({}, {"finished": False}, interrupted=True) == ["interrupted"]


def test_what_was_asked_and_what_was_reached_at_a_time_are_told() -> None:
    told = {"connections": {"streams_allowed": 1, "most_under_way": 1}}
    (found,) = cautions.cautions(samples.spec(), samples.report(**told), interrupted=False)
    assert found.text == (
        "-m asks for 100 concurrent requests on a connection, but at most 1 was in flight: the "
        "server allows no more than 1."
    )


def test_every_caution_says_what_to_do() -> None:
    told = {"cpu_s": {"user": 9.0}, "finished": False, "congestion_controller": "bbr"}
    found = cautions.cautions(samples.spec(), samples.report(**told), interrupted=False)
    assert len(found) == 3
    for caution in found:
        assert caution.text.endswith(".")
        assert caution.remedy.endswith(".")


def test_in_a_guest_cpu_times_are_said_to_mean_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRONGHORN_CLOCK", "virtual")
    (found,) = cautions.cautions(samples.spec(), samples.report(), interrupted=False)
    assert found.code == "virtual_time"

"""A waterfall shows one honest load of each arm: every request, every phase, and what failed."""

from typing import Any

import pytest

from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import OriginRequest, PageLoad, Trial
from pronghorn.report import html
from pronghorn.report.resource_table import MOST_IN_FILE
from pronghorn.report.units import unit_for
from pronghorn.report.waterfall import waterfalls
from pronghorn.report.waterfall.axis import axis
from pronghorn.report.waterfall.chosen import chosen
from pronghorn.report.waterfall.lines import lines
from pronghorn.report.waterfall.phases import requests

from .pages import SECURED_S, connection, loaded, page, resource
from .reported import HOSTILE, Page, summary


def phases(of: PageLoad, place: int = 0) -> list[tuple[str, float, float]]:
    return [(span.phase, span.from_s, span.to_s) for span in requests(of)[place].spans]


def cell_of(trials: list[Trial]) -> CellSummary:
    (found,) = summary(trials, arms=(arms := sorted({each.arm for each in trials})), baseline=arms[0]).cells
    return found


def run(pages: dict[str, PageLoad], blocks: int = 3) -> list[Trial]:
    return [loaded(arm, block, 0.6, of) for arm, of in pages.items() for block in range(blocks)]


def test_the_trial_nearest_to_the_median_stands_for_its_arm_the_earliest_of_equals() -> None:
    some = page([resource(0)])
    trials = [loaded("h2", block, load, some) for block, load in enumerate([4.0, 3.0, 1.0, 2.0])]
    found = chosen(trials, 2.5)
    assert found is not None
    assert found.block == 1


def test_where_the_median_is_a_failed_trial_a_failed_one_stands_for_the_arm() -> None:
    some = page([resource(0)])
    trials = [loaded("h2", block, load, some) for block, load in enumerate([1.0, None, None])]
    found = chosen(trials, None)
    assert found is not None
    assert found.block == 1


def test_a_trial_without_a_record_of_its_requests_is_never_chosen() -> None:
    trials = [loaded("h2", 0, 1.0, None), loaded("h2", 1, 9.0, page([resource(0)]))]
    found = chosen(trials, 1.0)
    assert found is not None
    assert found.block == 1
    assert chosen(trials[:1], 1.0) is None


def test_the_set_up_of_a_connection_belongs_to_the_request_that_opened_it() -> None:
    load = page([resource(0), resource(1)])
    assert phases(load) == [
        ("tcp", 0.0, SECURED_S / 2),
        ("tls", SECURED_S / 2, SECURED_S),
        ("waiting", SECURED_S, SECURED_S + 0.1),
        ("receiving", SECURED_S + 0.1, SECURED_S + 0.3),
    ]
    assert [phase for phase, *_ in phases(load, 1)] == ["queued", "waiting", "receiving"]


def test_a_quic_handshake_is_one_phase() -> None:
    load = page([resource(0, "h3")], "h3")
    assert phases(load)[0] == ("quic", 0.0, SECURED_S)


def test_looking_up_the_name_is_a_phase_where_the_client_tells_of_it() -> None:
    known = connection(start_s=0.05, resolving_s=0.01)
    assert phases(page([resource(0)], connections=[known]))[:2] == [
        ("queued", 0.0, 0.01),
        ("dns", 0.01, 0.05),
    ]


def test_a_request_that_travels_as_early_data_ends_its_handshakes_phase() -> None:
    load = page([resource(0, "h3", request_s=0.01, first_byte_s=0.11, last_byte_s=0.3)], "h3")
    assert [phase for phase, *_ in phases(load)] == ["quic", "waiting", "receiving"]
    assert phases(load)[0] == ("quic", 0.0, 0.01)


@pytest.mark.parametrize("lacking", ["start_s", "request_s", "first_byte_s", "last_byte_s"])
def test_times_that_are_not_known_leave_the_others_in_their_order(lacking: str) -> None:
    spans = phases(page([resource(0, **{lacking: None})]))
    assert all(begin < end for _, begin, end in spans)
    assert [begin for _, begin, _ in spans[1:]] == [end for *_, end in spans[:-1]]


def test_a_connection_number_that_is_none_of_the_loads_is_ignored() -> None:
    assert [phase for phase, *_ in phases(page([resource(0, connection=7)]))] == [
        "queued",
        "waiting",
        "receiving",
    ]


def test_a_failed_request_is_marked_where_it_was_last_heard_of() -> None:
    broken = resource(0, last_byte_s=None, error="reset")
    (found,) = requests(page([broken]))
    assert found.broke_s == SECURED_S + 0.1


def test_a_failed_request_without_a_first_byte_has_no_download() -> None:
    unanswered = resource(0, first_byte_s=None, error="reset")
    assert [phase for phase, *_ in phases(page([unanswered]))] == ["tcp", "tls", "waiting"]
    unsent = resource(0, request_s=None, first_byte_s=None, connection=None, error="connect")
    assert [phase for phase, *_ in phases(page([unsent]))] == ["queued"]


def test_a_migration_is_marked() -> None:
    trials = run({"h3": page([resource(0, "h3")], "h3", connections=[connection("h3", migrations=[0.25])])})
    found = waterfalls(cell_of(trials), {"h3": trials})
    assert found is not None
    assert "moved" in found.marks
    assert 'class="moved"' in found.panels[0].drawing


def test_a_line_names_protocol_priority_size_end_and_what_is_unusual() -> None:
    rows = requests(
        page(
            [
                resource(0),
                resource(1, "h3", priority="VeryHigh"),
                resource(2, None, status=None, last_byte_s=None, error="timeout"),
                resource(3, status=404),
                resource(4, "h2", from_cache=True),
            ]
        )
    )
    found = lines(rows, unit_for([0.5]))
    assert [each.text.split() for each in found] == [
        ["h2", "u0i", "12.3", "500", "/"],
        ["h3", "VeryHigh", "12.3", "500", "/image-01.png"],
        ["–", "u3i", "12.3", "–", "/image-02.png", "no", "answer,", "timeout"],
        ["h2", "u3i", "12.3", "500", "/image-03.png", "404"],
        ["cache", "u3i", "12.3", "500", "/image-04.png"],
    ]
    assert [each.bad for each in found] == [False, False, True, True, False]


@pytest.mark.parametrize("end_s", [0.0007, 0.013, 0.99, 1.0, 47.0, 180.0])
def test_an_axis_has_a_few_round_ticks_and_holds_its_times(end_s: float) -> None:
    scale = axis([0.0, end_s])
    assert 3 <= len(scale.ticks_s) <= 7
    assert scale.place(end_s, 1000) <= 1000
    assert scale.ticks_s[-1] <= scale.end_s


def test_all_arms_of_a_cell_share_one_axis() -> None:
    slow = page([resource(0, last_byte_s=6.0)], load_s=6.0)
    trials = run({"h2": slow, "h3": page([resource(0, "h3")], "h3")})
    found = waterfalls(
        cell_of(trials), {arm: [each for each in trials if each.arm == arm] for arm in ("h2", "h3")}
    )
    assert found is not None
    assert [panel.arm for panel in found.panels] == ["h2", "h3"]
    assert 'class="load" d="M990 ' in found.panels[0].drawing
    assert 'class="load" d="M99 ' in found.panels[1].drawing


def test_paints_are_marked_where_the_client_tells_of_them() -> None:
    load = page([resource(0)], vitals={"fcp_s": 0.3, "lcp_s": None})
    trials = run({"h2": load})
    found = waterfalls(cell_of(trials), {"h2": trials})
    assert found is not None
    assert set(found.marks) == {"load", "fcp"}
    assert "FCP 300 ms" in found.panels[0].about


def test_a_panel_says_which_requests_went_over_what_and_what_was_resumed() -> None:
    load = page(
        [resource(0), resource(1, "h3"), resource(2, "h3")],
        connections=[connection(), connection("h3", resumed=True, early_data="accepted")],
    )
    trials = run({"h2": load})
    found = waterfalls(cell_of(trials), {"h2": trials})
    assert found is not None
    assert "1 over h2 and 2 over h3" in found.panels[0].about
    assert "2 connections, 1 resumed, 0-RTT accepted on 1" in found.panels[0].about


def document(trials: list[Trial], **changes: Any) -> str:
    arms = sorted({each.arm for each in trials})
    return html.document(summary(trials, arms=arms, baseline=arms[0], **changes), trials, {})


def test_the_report_has_a_waterfall_of_each_arm_and_each_says_what_it_shows() -> None:
    trials = run({"h2": page([resource(0)]), "h3": page([resource(0, "h3")], "h3")})
    drawn = [
        attributes for tag, attributes in Page(document(trials)).seen if tag == "svg" and "role" in attributes
    ]
    assert [drawing["role"] for drawing in drawn] == ["img", "img"]
    assert all("Waterfall of h" in (drawing["aria-label"] or "") for drawing in drawn)


def test_hostile_paths_and_errors_are_text() -> None:
    trials = run({"h2": page([resource(0, path=HOSTILE, error=HOSTILE, priority=HOSTILE)])})
    text = document(trials)
    assert "<script" not in text
    assert "alert('x')" in "".join(Page(text).texts)


def test_a_request_costs_the_report_at_most_two_hundred_bytes() -> None:
    """Beyond those of which the table of resources, a bounded one, has a line as well."""
    more = 115
    small, large = (
        run({arm: page([resource(each) for each in range(many)]) for arm in ("h1", "h2")}, blocks=1)
        for many in (MOST_IN_FILE, MOST_IN_FILE + more)
    )
    added = len(document(large).encode()) - len(document(small).encode())
    assert added / (2 * more) < 200


def served(number: int, served_s: float | None, **changes: Any) -> OriginRequest:
    """The origin's line of the resource `number`."""
    entry = {"path": resource(number)["path"], "protocol": "h2", "status": 200, "served_s": served_s}
    return OriginRequest.model_validate(entry | changes)


def test_the_time_that_the_origin_had_a_request_is_found_by_path_protocol_and_status() -> None:
    load = page([resource(0), resource(1), resource(1), resource(2)])
    log = [
        served(1, 0.02),
        served(0, 0.01),
        served(0, 9.0, protocol="h3"),
        served(1, 0.03),
        served(2, 8.0, status=425),
    ]
    assert [one.served_s for one in requests(load, log)] == [0.01, 0.02, 0.03, None]


def test_what_the_origin_had_begins_half_of_the_shortest_wait_after_the_request() -> None:
    load = page([resource(0), resource(1, first_byte_s=SECURED_S + 0.04)])
    assert [one.arrived_s for one in requests(load)] == pytest.approx([SECURED_S + 0.02] * 2)


def test_a_waterfall_shows_the_origins_time_only_where_a_log_tells_of_it() -> None:
    trials = run({"h2": page([resource(0), resource(1)])})
    told = [trial.model_copy(update={"origin_log": [served(0, 0.0123)]}) for trial in trials]
    without, with_it = (waterfalls(cell_of(found), {"h2": found}) for found in (trials, told))
    assert without is not None and with_it is not None
    assert not without.served
    assert "origin ms" not in without.panels[0].heading
    assert 'class="served"' not in without.panels[0].drawing
    assert with_it.served
    assert "origin ms" in with_it.panels[0].heading
    assert 'class="served"' in with_it.panels[0].drawing
    first, second = with_it.panels[0].lines
    assert " 12.3 /" in first.text
    assert " – /" in second.text
    assert "at the origin" in html.document(summary(told, arms=["h2"]), told, {})

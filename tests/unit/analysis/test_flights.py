"""Flights lay what the servers' connections did over each other, from the start of each arm's load."""

from pathlib import Path
from typing import Any

import pytest

from pronghorn.model.flight import Flight
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Trial
from pronghorn.report import html
from pronghorn.report.flights import Flights, flights
from pronghorn.report.flights.curves import flown, together
from pronghorn.report.flights.drawing import HEIGHT, WIDTH, steps
from pronghorn.report.flights.scales import size, sizes
from pronghorn.report.waterfall.axis import axis

from .made_flights import LOAD_S, STARTED_S, end, flight, quic, trial_of
from .reported import HOSTILE, Page, summary


def cell_of(trials: list[Trial]) -> CellSummary:
    arms = sorted({each.arm for each in trials})
    (found,) = summary(trials, arms=arms, baseline=arms[0]).cells
    return found


def shown(run: Path, *trials: Trial) -> Flights:
    by_arm = {one.arm: [each for each in trials if each.arm == one.arm] for one in trials}
    found = flights(cell_of(list(trials)), by_arm, run)
    assert found is not None
    return found


def test_curves_count_from_the_loads_start_and_end_with_it() -> None:
    found = flown(Flight.model_validate(flight(end())), STARTED_S, 0.2)
    assert [at for at, _ in found.total["cwnd_bytes"]] == pytest.approx([0.0, 0.1])
    assert [value for _, value in found.total["cwnd_bytes"]] == [14_480, 28_960]


def test_what_is_not_told_is_left_out_and_what_was_counted_before_the_load_taken_off() -> None:
    found = flown(Flight.model_validate(flight(end())), STARTED_S, LOAD_S)
    assert [at for at, _ in found.total["srtt_s"]] == pytest.approx([0.1, 0.3])
    assert [value for _, value in found.total["acked_bytes"]] == [0, 19_000, 299_000]
    assert [mark.number for mark in found.lost] == [5]
    assert [mark.number for mark in found.timeouts] == [1]


def test_of_quic_packets_that_were_given_up_are_marked() -> None:
    found = flown(Flight.model_validate(flight(quic())), STARTED_S, LOAD_S)
    assert [(round(mark.at_s, 6), mark.number) for mark in found.lost] == [(0.1, 3)]


def test_the_largest_packet_is_told_as_it_changes_during_the_load() -> None:
    (sizes,) = flown(Flight.model_validate(flight(quic())), STARTED_S, LOAD_S).mss
    assert [at for at, _ in sizes] == pytest.approx([0.0, 0.1])
    assert [size for _, size in sizes] == [1200, 1452]
    older = end()
    del older["mss_changes"], older["black_holes"]
    assert flown(Flight.model_validate(flight(older)), STARTED_S, LOAD_S).mss == [[]]


def test_only_the_servers_ends_at_its_port_are_the_loads() -> None:
    beside = [end(host="client"), end(port=5201)]
    found = flown(Flight.model_validate(flight(*beside, end())), STARTED_S, LOAD_S)
    assert len(found.connections) == 1
    assert not flown(Flight.model_validate(flight(*beside)), STARTED_S, LOAD_S).total["cwnd_bytes"]


def test_connections_of_an_earlier_visit_are_none_of_the_load() -> None:
    earlier, alone = end(at_s=[0.2, 0.5, 0.9]), flown(Flight.model_validate(flight(end())), STARTED_S, LOAD_S)
    both = flown(Flight.model_validate(flight(earlier, end())), STARTED_S, LOAD_S)
    assert len(both.connections) == 1
    assert both.total == alone.total
    assert len(flown(Flight.model_validate(flight(earlier)), STARTED_S, LOAD_S).connections) == 1


def test_several_connections_are_summed_and_of_round_trips_the_mean_is_taken() -> None:
    one, other = [(0.0, 10.0), (0.2, 20.0)], [(0.1, 5.0), (0.2, 6.0)]
    assert together([one, other]) == [(0.0, 10.0), (0.1, 15.0), (0.2, 26.0)]
    assert together([one, other], mean=True) == [(0.0, 10.0), (0.1, 7.5), (0.2, 13.0)]
    assert together([]) == []


def test_a_value_holds_until_it_changes_and_the_line_ends_with_the_load() -> None:
    x, y = axis([1.0]), sizes([1000.0])
    drawn = steps([(0.0, 0.0), (0.5, 1000.0)], x, y, 1.0)
    half, whole = x.place(0.5, WIDTH), x.place(1.0, WIDTH)
    assert drawn == f"M0 {HEIGHT}H{half}V{y.place(1000.0, HEIGHT)}H{whole}"
    assert steps([], x, y, 1.0) == ""


def test_whatever_happens_within_a_step_of_the_width_its_extremes_are_drawn() -> None:
    x, y = axis([1.0]), sizes([1000.0])
    crowd = [(0.5 + number / 1e6, float(value)) for number, value in enumerate([500, 0, 1000, 400, 500])]
    drawn = steps([(0.0, 500.0), *crowd], x, y, 1.0)
    low, high, last = (y.place(value, HEIGHT) for value in (0.0, 1000.0, 500.0))
    assert drawn.count("H") == 2
    assert f"V{high}V{low}V{last}H" in drawn


def test_sizes_are_told_with_their_unit() -> None:
    assert [size(value) for value in (512, 14_480, 1_234_567)] == ["0.512 kB", "14.5 kB", "1.23 MB"]
    assert (sizes([14_480]).symbol, sizes([5e6]).symbol) == ("kB", "MB")


def test_arms_lie_on_one_axis_each_with_its_figures(tmp_path: Path) -> None:
    found = shown(
        tmp_path,
        trial_of(tmp_path, "h2", 0, flight(end())),
        trial_of(tmp_path, "h3", 0, flight(quic()), load_s=0.9),
    )
    assert [one.arm for one in found.arms] == ["h2", "h3"]
    assert found.arms[0].about == (
        "block 0 · load 600 ms · 1 connection: cubic of linux 6.18 · largest window 500 kB · "
        "smoothed RTT 50.0 ms to 70.0 ms · segments of at most 1448 bytes · 5 segments sent again, 1 timeout"
    )
    assert found.arms[1].about.endswith(
        " · UDP payloads of at most 1200 to 1452 bytes · 1 MTU black hole · "
        "3 packets declared lost, 1 timeout"
    )
    assert found.faults == []
    assert [panel.title for panel in found.panels] == [
        "Congestion window",
        "In flight",
        "Smoothed round-trip time",
        "Acknowledged",
        "Losses and timeouts",
    ]
    for panel in found.panels:
        assert "var(--arm-0)" in panel.drawing and "var(--arm-1)" in panel.drawing
        assert "h2: " in panel.drawing and "h3: " in panel.drawing
    assert found.panels[2].unit == "ms"
    assert not found.thin
    assert [tick.percent for tick in found.ticks] == sorted(tick.percent for tick in found.ticks)


def test_of_several_connections_each_is_drawn_thin_beside_their_sum(tmp_path: Path) -> None:
    found = shown(tmp_path, trial_of(tmp_path, "h1", 0, flight(end(), end(), end())))
    assert found.thin
    assert found.panels[0].drawing.count('class="thin"') == 3
    assert "largest window 1.5 MB" in found.arms[0].about


def test_the_trial_nearest_to_the_median_of_those_with_a_flight_stands_for_its_arm(tmp_path: Path) -> None:
    trials = [trial_of(tmp_path, "h2", block, flight(end())) for block in range(3)]
    times = [0.9, 0.5, 0.6]
    trials = [
        one.model_copy(update={"metrics": one.metrics.model_copy(update={"load_s": load_s})})
        for one, load_s in zip(trials, times, strict=True)
    ]
    assert shown(tmp_path, *trials).arms[0].about.startswith("block 2 ")
    without = [trials[0], trials[1], trials[2].model_copy(update={"artifacts": {}})]
    assert shown(tmp_path, *without).arms[0].about.startswith("block 1 ")


@pytest.mark.parametrize(
    ("content", "changes", "said"),
    [
        ("", {}, "flight.json is no flight: "),
        ("[]", {}, "flight.json is no flight: "),
        ({"clock_base_monotonic_s": 1.0}, {}, "flight.json is no flight: connections is missing"),
        (flight(end(cwnd_bytes=[1.0])), {}, "cwnd_bytes has 1 samples, at_s 3"),
        (flight(end(host="client")), {}, "nothing was recorded"),
        (flight(end()), {"started_monotonic_s": None}, "doesn't report when the load began"),
    ],
)
def test_a_flight_that_can_not_be_shown_is_said_to_be_so(
    content: Any, changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    found = shown(
        tmp_path,
        trial_of(tmp_path, "h2", 0, flight(end())),
        trial_of(tmp_path, "h3", 0, content, **changes),
    )
    assert [one.arm for one in found.arms] == ["h2"]
    (fault,) = found.faults
    assert fault.startswith("h3: ")
    assert said in fault


def test_a_file_that_is_gone_or_elsewhere_is_said_to_be_so(tmp_path: Path) -> None:
    run = tmp_path / "run"
    gone = trial_of(run, "h2", 0, flight(end()))
    (run / gone.artifacts["flight"]).unlink()
    astray = trial_of(run, "h3", 0, flight(end())).model_copy(
        update={"artifacts": {"flight": "../flight.json"}}
    )
    found = shown(run, gone, astray)
    assert found.arms == []
    assert found.panels == []
    assert "can't be read: no such file" in found.faults[0]
    assert "is not within the run's directory" in found.faults[1]


def test_without_flights_or_without_the_runs_directory_there_is_nothing(tmp_path: Path) -> None:
    one = trial_of(tmp_path, "h2", 0, flight(end()))
    assert flights(cell_of([one]), {"h2": [one]}, None) is None
    bare = one.model_copy(update={"artifacts": {"qlog": "artifacts/h2,block0/qlog"}})
    assert flights(cell_of([bare]), {"h2": [bare]}, tmp_path) is None


def test_a_failed_load_s_flight_is_shown_to_its_last_sample(tmp_path: Path) -> None:
    one = trial_of(tmp_path, "h2", 0, flight(end()), load_s=None, outcome="failed", reason="timeout")
    one = one.model_copy(
        update={
            "status": "failed",
            "reason": "timeout",
            "metrics": one.metrics.model_copy(update={"load_s": None}),
        }
    )
    found = shown(tmp_path, one)
    assert "failed" in found.arms[0].about
    assert found.ticks[-1].label == "300"


def test_the_report_bears_them_and_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    trials = [
        trial_of(tmp_path, "h2", 0, flight(end())),
        trial_of(tmp_path, "h3", 0, "{"),
    ]
    text = html.document(summary(trials), trials, {}, tmp_path)
    assert text == html.document(summary(trials), trials, {}, tmp_path)
    read = Page(text)
    charts = [attributes["aria-label"] or "" for _, attributes in read.seen if "aria-label" in attributes]
    assert len([label for label in charts if "since the load's start." in label]) == 5
    said = " ".join(read.texts)
    assert "largest window" in said
    assert "is no flight" in said
    assert "Flights" not in html.document(summary(trials), trials, {})


def test_hostile_names_are_text(tmp_path: Path) -> None:
    one = trial_of(tmp_path, "h2", 0, flight(end()))
    hostile = one.model_copy(update={"arm": HOSTILE})
    text = html.document(summary([hostile], arms=[HOSTILE], baseline=HOSTILE), [hostile], {}, tmp_path)
    assert "<script" not in text
    assert HOSTILE in "".join(Page(text).texts)

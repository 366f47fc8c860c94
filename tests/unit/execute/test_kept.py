"""Kept state: an arm's bench, origin and client stay open over all blocks of a cell."""

import json
from collections import Counter, defaultdict
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from pronghorn.clients import ClientFailed
from pronghorn.clients.native import NativeSession
from pronghorn.model.trial import PageLoad, Trial

from ..laboratory import Laboratory

ARMS = ("h1", "h2", "h3")


def run_kept(
    laboratory: Laboratory, *more: str, out: str = "out", **behaviour: Any
) -> tuple[list[Trial], list[dict[str, Any]]]:
    """The trials of a run with kept state, and the requests that its engines got but for the calibration."""
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log), **behaviour)
    result = laboratory.run("run", "experiment.toml", "--out", out, "--set", "state=kept", *more)
    assert result.status in (0, 4), result.stderr
    requests = laboratory.requests(log)
    calibrated = {request["pid"] for request in requests if request["op"] == "calibrate"}
    return laboratory.trials(out), [request for request in requests if request["pid"] not in calibrated]


def test_each_arm_of_a_cell_has_one_bench_on_an_engine_of_its_own(laboratory: Laboratory) -> None:
    _, requests = run_kept(laboratory, "--set", "paths=far")
    of_engine = defaultdict(list)
    for request in requests:
        of_engine[request["pid"]].append(request)
    measuring = [ops for ops in of_engine.values() if any(request["op"] == "open" for request in ops)]
    assert len(measuring) == len(ARMS)
    for ops in measuring:
        assert [request["op"] for request in ops if request["op"] != "origin_log"] == [
            "open",
            "origin",
            *["begin", "load", "counters"] * 3,
        ]
        assert next(request for request in ops if request["op"] == "open")["warm_up"] is True
        assert len({request["protocol"] for request in ops if request["op"] == "load"}) == 1


def test_visits_count_from_zero_in_the_blocks_order(laboratory: Laboratory) -> None:
    trials, _ = run_kept(laboratory)
    assert len(trials) == 18
    for path in ("near", "far"):
        for arm in ARMS:
            found = [trial for trial in trials if (trial.cell.path, trial.arm) == (path, arm)]
            assert [(trial.block, trial.visit) for trial in found] == [(0, 0), (1, 1), (2, 2)]


def test_the_path_begins_anew_before_each_load_with_the_blocks_seed(laboratory: Laboratory) -> None:
    trials, requests = run_kept(laboratory, "--set", "paths=far")
    begun = sorted(request["seed"] for request in requests if request["op"] == "begin")
    assert begun == sorted(trial.path_seed for trial in trials)
    for trial in trials:
        assert trial.counters is not None and trial.counters.down is not None
        assert trial.counters.down.packets_in == 100, "the counters are the load's own"
        assert [request.path for request in trial.origin_log] == ["/", "/a.js", "/b.png"]


def test_a_fresh_run_counts_no_visits_and_never_begins(laboratory: Laboratory) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log))
    assert laboratory.run("run", "experiment.toml", "--out", "out").status == 0
    assert {trial.visit for trial in laboratory.trials("out")} == {0}
    assert "begin" not in {request["op"] for request in laboratory.requests(log)}


def test_a_contaminated_block_is_repeated_on_the_same_stages(laboratory: Laboratory) -> None:
    rules = [{"do": "late", "protocol": "h2", "visit": 1}]
    trials, requests = run_kept(laboratory, "--set", "paths=far", rules=rules)
    assert sum(request["op"] == "open" for request in requests) == len(ARMS)
    h2 = [(trial.block, trial.attempt, trial.visit) for trial in trials if trial.arm == "h2"]
    assert h2 == [(0, 0, 0), (1, 0, 1), (2, 0, 2), (1, 1, 3)]
    assert {trial.arm for trial in trials if (trial.block, trial.attempt) == (1, 1)} == set(ARMS)


def test_the_last_attempt_loads_every_arm_even_where_one_is_contaminated(laboratory: Laboratory) -> None:
    trials, _ = run_kept(
        laboratory, "--set", "paths=far", "--set", "attempts=1", rules=[{"do": "late", "protocol": "h2"}]
    )
    loads = Counter((trial.block, trial.arm) for trial in trials)
    assert loads == Counter((block, arm) for block in range(3) for arm in ARMS)
    assert {trial.arm for trial in trials if trial.status == "contaminated"} == {"h2"}
    [cell] = json.loads((laboratory.folder / "out" / "summary.json").read_text(encoding="utf-8"))["cells"]
    assert cell["blocks"] == 0
    assert cell["abandoned"] == 3


@pytest.mark.parametrize("fault", ["break", "die", "garbage"])
def test_a_bench_that_breaks_is_replaced_by_a_new_stage(laboratory: Laboratory, fault: str) -> None:
    rules = [{"do": fault, "protocol": "h2", "visit": 1, "once": laboratory.marker(fault)}]
    trials, requests = run_kept(laboratory, "--set", "paths=far", rules=rules)
    assert sum(request["op"] == "open" for request in requests) == len(ARMS) + 1
    [spoilt] = [trial for trial in trials if trial.status == "contaminated"]
    assert (spoilt.arm, spoilt.block) == ("h2", 1)
    again = [(trial.block, trial.visit) for trial in trials if trial.arm == "h2" and trial != spoilt]
    assert again == [(0, 0), (2, 0), (1, 1)]


def test_loads_of_a_cell_lie_the_pause_apart(laboratory: Laboratory) -> None:
    trials, _ = run_kept(
        laboratory, "--set", "pause=100ms", "--set", "paths=far", "--set", "repeat=2", pace_s=0.05
    )
    started = sorted(datetime.fromisoformat(trial.started) for trial in trials)
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(started)]
    assert min(gaps) >= 0.149, "a load of 50 ms and the pause; the starts are rounded to milliseconds"
    assert max(trial.metrics.wall_s for trial in trials) >= 0.05


def test_a_kept_run_that_was_cut_goes_on_with_new_stages(laboratory: Laboratory) -> None:
    run_kept(laboratory, "--set", "paths=far")
    journal = laboratory.folder / "out" / "trials.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:5]), encoding="utf-8")
    assert laboratory.run("run", "--resume", "out").status == 0
    trials = laboratory.trials("out")
    assert len(trials) == 9 and len({trial.key for trial in trials}) == 9
    for arm in ARMS:
        visits = [trial.visit for trial in trials if trial.arm == arm]
        assert visits in ([0, 0, 1], [0, 1, 0])


def test_cells_of_kept_state_run_side_by_side_each_in_one_slot(laboratory: Laboratory) -> None:
    trials, _ = run_kept(
        laboratory, "--set", "paths=far", "--set", "sites=tiny,small", "--jobs", "2", pace_s=0.02
    )
    slots = {site: {trial.slot for trial in trials if trial.cell.site == site} for site in ("tiny", "small")}
    assert sorted(map(len, slots.values())) == [1, 1]


def test_later_loads_that_open_connections_all_the_same_are_counted_in_a_warning(
    laboratory: Laboratory,
) -> None:
    run_kept(laboratory, "--set", "paths=far")
    warnings = laboratory.manifest("out")["warnings"]
    assert "reconnected" not in {warning["code"] for warning in warnings}, (
        "the fake's connections have no time"
    )
    run_kept(laboratory, "--set", "paths=far", "--set", "arms=h3", out="again", connected_s=0.1)
    (warning,) = (one for one in laboratory.manifest("again")["warnings"] if one["code"] == "reconnected")
    assert warning["text"].startswith("h3 with native: 2 of 2 later loads")


def test_state_and_pause_stand_in_the_resolved_experiment(laboratory: Laboratory) -> None:
    run_kept(laboratory, "--set", "pause=20ms", "--set", "repeat=1", "--set", "paths=far")
    text = (laboratory.folder / "out" / "experiment.toml").read_text(encoding="utf-8")
    assert 'state = "kept"' in text and 'pause = "20ms"' in text
    summary = json.loads((laboratory.folder / "out" / "summary.json").read_text(encoding="utf-8"))
    assert summary["cells"][0]["arms"]["h3"]["n"] == 1


def test_a_client_that_breaks_is_an_outcome_and_gets_a_new_stage(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loads = NativeSession.load, []

    async def hangs_in_its_second_load(session: NativeSession) -> PageLoad:
        loads.append(session)
        if len(loads) == 2:
            raise ClientFailed("browser", "the browser hung")
        return await load(session)

    monkeypatch.setattr(NativeSession, "load", hangs_in_its_second_load)
    trials, requests = run_kept(laboratory, "--set", "paths=far", "--set", "arms=h3")
    assert [(trial.status, trial.reason, trial.visit) for trial in trials] == [
        ("ok", None, 0),
        ("failed", "browser", 1),
        ("ok", None, 0),
    ]
    assert sum(request["op"] == "open" for request in requests) == 2
    assert len({request["pid"] for request in requests if request["op"] == "open"}) == 2

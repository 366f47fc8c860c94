"""One load of each arm before the schedule: what can't succeed ends the run at once, with its reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from ..laboratory import Laboratory
from ..program import Result

PAGE = ("--set", "sites=dir:page", "--set", "repeat=1")


@pytest.fixture(autouse=True)
def page(laboratory: Laboratory) -> None:
    """A folder as a site: something may be missing there."""
    folder = laboratory.folder / "page"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html>", encoding="utf-8")


def run(laboratory: Laboratory, *more: str, out: str = "out") -> Result:
    """A run of the folder's page."""
    return laboratory.run("run", "experiment.toml", "--out", out, *PAGE, *more)


def opened(log: Path) -> list[dict[str, Any]]:
    """The paths of the benches that were opened for loads."""
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    loaded = {line["pid"] for line in lines if line["op"] == "load"}
    return [line["path"] for line in lines if line["op"] == "open" and line["pid"] in loaded]


def test_an_arm_whose_server_never_answers_ends_the_run_with_its_reason_and_the_mend(
    laboratory: Laboratory,
) -> None:
    laboratory.behave(rules=[{"do": "silent", "protocol": "h3"}])
    result = run(laboratory)
    assert result.status == 4
    told = " ".join(result.stderr.split())
    assert (
        "Nothing was measured, because the load before the first trial failed. h3 at builtin with native"
        in told
    )
    assert "timeout: 1 resources not complete after 10 s" in told, "the trial's limit is 180 s"
    assert "h1 and h2 loaded." in told
    assert "--set arms=h1,h2" in told
    assert "--set preflight=warn" in told
    assert laboratory.trials("out") == []
    reasons = {one["arm"]: one["reason"] for one in laboratory.manifest("out")["preflight"]}
    assert reasons == {"h1": None, "h2": None, "h3": "timeout"}


def test_a_run_that_ended_so_can_be_resumed(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "silent", "protocol": "h3"}])
    assert run(laboratory).status == 4
    assert not (laboratory.folder / "out" / "report.html").exists(), "it isn't finished"
    laboratory.behave()
    assert laboratory.run("run", "--resume", "out").status == 0
    assert len(laboratory.trials("out")) == 6


def test_a_missing_resource_is_named_with_the_line_to_type(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "gone"}])
    result = run(laboratory)
    assert result.status == 4
    told = " ".join(result.stderr.split())
    assert "status: /b.png was answered 404 (3 of 3 such loads failed)" in told
    assert "--set 'tolerate=[\"/b.png\"]'" in told
    assert "arms=" not in told, "no arm is left that loads"


@pytest.mark.parametrize(("asked", "warned"), [("false", False), ("warn", True)])
def test_an_experiment_may_go_on_all_the_same(laboratory: Laboratory, asked: str, warned: bool) -> None:
    laboratory.behave(rules=[{"do": "silent", "protocol": "h3"}])
    result = run(laboratory, "--set", f"preflight={asked}")
    assert result.status == 0, result.stderr
    assert len(laboratory.trials("out")) == 6
    codes = [warning["code"] for warning in laboratory.manifest("out")["warnings"]]
    assert ("preflight" in codes) is warned
    stored = (laboratory.folder / "out" / "experiment.toml").read_text(encoding="utf-8")
    assert ("preflight" in stored) is True


def test_what_else_it_may_be_is_refused(laboratory: Laboratory) -> None:
    result = run(laboratory, "--set", "preflight=maybe")
    assert result.status == 2
    assert "'maybe' is none of true, false and \"warn\"" in result.stderr


def test_each_arm_is_loaded_once_whatever_the_number_of_paths(laboratory: Laboratory) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log))
    assert run(laboratory).status == 0
    paths = opened(log)
    ahead = [path for path in paths if path["down"].get("delay_ns") == 500_000 and "loss" not in path["down"]]
    assert len(paths) == 3 + 6 + 3, (
        "three loads ahead, six trials, and a warm-up of each arm on the fast path"
    )
    assert len(ahead) == 3 + 3 + 3


def test_an_arm_is_loaded_ahead_over_each_version_of_ip_that_the_paths_have(laboratory: Laboratory) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log))
    assert run(laboratory, "--set", "path.far.family=6").status == 0
    noted = laboratory.manifest("out")["preflight"]
    assert [(one["arm"], one.get("family")) for one in noted] == [
        (arm, family) for family in (None, 6) for arm in ("h1", "h2", "h3")
    ]
    ahead = [path for path in opened(log)[:6] if path["down"].get("delay_ns") == 500_000]
    assert sorted(path.get("family", 4) for path in ahead) == [4, 4, 4, 6, 6, 6]


def test_a_shipped_path_speaks_ipv6_where_a_run_asks_for_it(laboratory: Laboratory) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log))
    asked = ("--set", "sites=tiny", "--set", "paths=lte", "--set", "path.lte.family=6")
    assert run(laboratory, *asked).status == 0
    assert [path.get("family") for path in opened(log)] == [6, 6, 6]
    assert laboratory.manifest("out")["paths"]["lte"]["family"] == 6


def test_what_fails_over_ipv6_is_said_to(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "silent", "protocol": "h3"}])
    result = run(laboratory, "--set", "paths=far", "--set", "path.far.family=6")
    assert result.status == 4
    assert "h3 at builtin with native over IPv6, site " in " ".join(result.stderr.split())


def test_nothing_is_loaded_ahead_where_nothing_can_fail(laboratory: Laboratory) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log))
    assert run(laboratory, "--set", "sites=tiny", "--set", "paths=far").status == 0
    assert len(opened(log)) == 3


def test_a_resumed_run_with_trials_loads_nothing_ahead(laboratory: Laboratory) -> None:
    assert run(laboratory, "--set", "paths=far").status == 0
    (laboratory.folder / "out" / "trials.jsonl").write_text(
        "".join((laboratory.folder / "out" / "trials.jsonl").open(encoding="utf-8").readlines()[:-1]),
        encoding="utf-8",
    )
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log))
    assert laboratory.run("run", "--resume", "out").status == 0
    assert len(opened(log)) == 1


def test_what_may_happen_by_chance_is_tried_again(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "reset", "protocol": "h2", "once": laboratory.marker("reset")}])
    assert run(laboratory).status == 0
    laboratory.behave(rules=[{"do": "reset", "protocol": "h2"}])
    result = run(laboratory, out="again")
    assert result.status == 4
    assert "reset: /: the connection was reset" in " ".join(result.stderr.split())


@pytest.mark.parametrize("slow", ["timeout", "halfway"])
def test_a_page_that_is_only_slow_is_left_to_the_schedule(laboratory: Laboratory, slow: str) -> None:
    laboratory.behave(rules=[{"do": slow, "protocol": "h3"}])
    assert run(laboratory).status == 0
    assert {trial.reason for trial in laboratory.trials("out") if trial.arm == "h3"} == {"timeout"}


def test_the_plan_is_the_same_with_and_without_it(laboratory: Laboratory) -> None:
    plans = []
    for asked in ("true", "false"):
        assert run(laboratory, "--set", f"preflight={asked}", out=asked).status == 0
        plans.append({(one.key, one.position, one.path_seed) for one in laboratory.trials(asked)})
    assert plans[0] == plans[1]

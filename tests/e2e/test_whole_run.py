"""One run of the program, from its experiment to its report, with real packets."""

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from statistics import median

import polars
import pytest

from . import experiments, programme
from .programme import Result, Run

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.beside]

ARMS = ("h1", "h2", "h3")
BLOCKS = 6
"""The fewest blocks with which a verdict can be had."""


FIGURES = {"n", "failed", "contaminated", "median", "mean", "p90", "p99", "min", "max"}


class Finished(Run):
    """A finished run, and how its program ended."""

    def __init__(self, directory: Path, result: Result) -> None:
        super().__init__(directory)
        self.result = result

    def again(self, *arguments: str) -> Result:
        """Resumes it, which measures nothing more."""
        return programme.run("run", "--resume", str(self.directory), *arguments, folder=self.directory)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    folder = tmp_path_factory.mktemp("run")
    experiment = experiments.write(folder, arms=ARMS, repeat=BLOCKS, paths=("lan", "near"), sites=("cms",))
    result = programme.run("run", str(experiment), "--out", "found", folder=folder)
    assert result.status == 0, result.stderr
    return Finished(folder / "found", result)


def test_it_leaves_every_file_of_a_run(finished: Finished) -> None:
    names = {file.name for file in finished.directory.iterdir()}
    assert names == {
        "experiment.toml", "manifest.json", "report.html", "summary.json", "trials.jsonl", "trials.parquet",
    }  # fmt: skip
    assert str(finished.directory.name) in finished.result.stdout
    assert "near" in finished.result.stdout


def test_every_arm_is_measured_in_every_block_of_every_cell(finished: Finished) -> None:
    trials = finished.trials()
    assert not programme.doubled(trials)
    assert programme.missing(trials, arms=ARMS, blocks=BLOCKS, cells=2) == 0
    assert polars.read_parquet(finished.directory / "trials.parquet").height == len(trials)


def test_every_request_bears_the_asked_protocol_at_both_ends(finished: Finished) -> None:
    for trial in finished.trials():
        if trial.status == "contaminated":
            continue
        assert trial.status == "ok", trial.detail
        assert trial.page is not None
        assert {resource.protocol for resource in trial.page.resources} == {trial.arm}
        assert {request.protocol for request in trial.origin_log} == {trial.arm}
        asked = Counter(resource.path for resource in trial.page.resources)
        assert asked == Counter(request.path for request in trial.origin_log)
        assert asked.total() == trial.metrics.requests
        assert {connection.congestion_control for connection in trial.origin_connections} == {"cubic"}


def test_no_trial_beats_physics(finished: Finished) -> None:
    rates = {"lan": 1_000_000_000, "near": 100_000_000}
    for trial in finished.trials():
        assert trial.reason != "physics", trial.detail
        assert trial.page is not None
        assert trial.counters is not None
        down, up, rate = trial.counters.down, trial.counters.up, rates[trial.cell.path]
        assert down is not None and up is not None
        assert down.delay_min_s is not None and up.delay_min_s is not None
        assert trial.page.load_s is not None
        assert trial.page.load_s >= trial.page.bytes * 8 / rate
        assert trial.page.load_s >= trial.page.round_trips * (down.delay_min_s + up.delay_min_s)


def test_the_summary_keeps_its_contract(finished: Finished) -> None:
    summary = json.loads((finished.directory / "summary.json").read_bytes())
    assert [cell["path"] for cell in summary["cells"]] == ["lan", "near"]
    for cell in summary["cells"]:
        assert (cell["site"], cell["origin"], cell["client"]) == ("cms", "builtin", "native")
        assert list(cell["arms"]) == list(ARMS)
        for figures in cell["arms"].values():
            assert figures.keys() >= FIGURES
            assert figures["n"] == cell["blocks"]
            in_order = [figures[name] for name in ("min", "median", "p90", "p99", "max")]
            assert in_order == sorted(in_order) if cell["blocks"] else in_order == [None] * 5
        compared = {(one["metric"], one["statistic"], one["arm"]) for one in cell["comparisons"]}
        for statistic in ("median", "mean"):
            assert {("load", statistic, "h1"), ("load", statistic, "h3")} <= compared
        for one in cell["comparisons"]:
            assert one["baseline"] == "h2"
            assert one["verdict"] in ("faster", "slower", "same", "undecided")
            low, high = one["ci95"]
            # A mean's interval needs two blocks, a median's six, of which a busy host may have left fewer.
            known = cell["blocks"] >= (2 if one["statistic"] == "mean" else BLOCKS)
            if one["statistic"] not in ("median", "mean"):
                assert (low, high, one["verdict"]) == (None, None, "undecided")
                continue
            assert low <= one["ratio"] <= high if known else one["verdict"] == "undecided"


def test_each_resource_s_median_is_that_of_its_trials(finished: Finished) -> None:
    trials = [trial for trial in finished.trials() if trial.status == "ok"]
    for cell in finished.summary().cells:
        if not cell.blocks:
            # A host that was busy all along leaves nothing to be summed up.
            assert cell.resources is None
            continue
        assert cell.resources is not None
        if cell.blocks < BLOCKS:
            continue
        for arm in ARMS:
            pages = [trial.page for trial in trials if (trial.cell, trial.arm) == (cell.cell, arm)]
            took: dict[str, list[float]] = {}
            for one in (one for page in pages if page is not None for one in page.resources):
                assert one.start_s is not None and one.last_byte_s is not None
                took.setdefault(one.path, []).append(one.last_byte_s - one.start_s)
            told = {one.path: one.arms[arm].duration.median for one in cell.resources.resources}
            assert took.keys() == told.keys()
            if all(len(times) == BLOCKS for times in took.values()):
                assert told == pytest.approx({path: median(times) for path, times in took.items()})


def test_the_manifest_says_what_was_run(finished: Finished) -> None:
    manifest = finished.manifest()
    assert manifest["isolation"] in ("root", "user-namespace")
    assert manifest["arms"]["h3"]["origins"]["builtin"]["alpn"] == ["h3"]
    assert manifest["arms"]["h2"]["origins"]["builtin"]["origin_congestion_control"] == ["cubic"]
    assert manifest["trials"] == len(finished.trials())
    assert manifest["overhead_s"]["median"] > 0


class Outward(HTMLParser):
    """Collects what a document would fetch from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            fetched = key in ("src", "srcset", "data", "poster") or (
                key == "href" and tag in ("link", "image", "use")
            )
            if fetched and not (value or "").startswith(("data:", "#")):
                self.found.append(f"{tag} {key}={value}")


def test_the_report_needs_no_network(finished: Finished) -> None:
    parser = Outward()
    parser.feed(finished.report())
    assert parser.found == []
    assert "@import" not in finished.report()
    assert "near" in finished.report()


def test_json_on_stdout_is_the_summary(finished: Finished) -> None:
    result = finished.again("--json")
    assert result.status == 0
    assert json.loads(result.stdout) == json.loads((finished.directory / "summary.json").read_bytes())


def test_a_check_that_holds_passes_and_one_that_does_not_fails(finished: Finished) -> None:
    before = finished.trials()
    held = finished.again("--check", "near: h3.failed == 0", "--check", "h1.failed < 1")
    if all(cell.blocks for cell in finished.summary().cells):
        assert held.status == 0, held.stderr
    else:
        # What a busy host left unknown is no pass.
        assert held.status == 1
        assert "failed is not known" in held.stderr
    result = finished.again("--check", "near: h3.failed > 0")
    assert result.status == 1
    assert "near: h3.failed > 0" in result.stderr
    assert finished.trials() == before

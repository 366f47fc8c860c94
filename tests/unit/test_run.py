"""A run: every trial measured once, judged, repeated where it must be, and written down."""

import json
from collections import Counter
from pathlib import Path

import polars
import pytest

from .laboratory import Laboratory


def test_a_run_measures_every_block_and_leaves_its_files(laboratory: Laboratory) -> None:
    result = laboratory.run("run", "experiment.toml", "--out", "out")
    assert result.status == 0, result.stderr
    trials = laboratory.trials("out")
    assert Counter(trial.key for trial in trials) == Counter({trial.key: 1 for trial in trials})
    assert Counter((trial.cell.path, trial.arm) for trial in trials) == {
        (path, arm): 3 for path in ("near", "far") for arm in ("h1", "h2", "h3")
    }
    assert {path.name for path in (laboratory.folder / "out").iterdir()} == {
        "experiment.toml",
        "manifest.json",
        "report.html",
        "summary.json",
        "trials.jsonl",
        "trials.parquet",
    }
    assert "far: h3 is faster than h2" in " ".join(result.stdout.split()) or "undecided" in result.stdout
    assert "out/report.html" in result.stdout


def test_the_arms_of_a_block_share_a_path_seed_and_differ_in_position(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out")
    blocks: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for trial in laboratory.trials("out"):
        blocks.setdefault((trial.cell.path, trial.block), []).append((trial.path_seed, trial.position))
    assert all(len({seed for seed, _ in block}) == 1 for block in blocks.values())
    assert all(sorted(position for _, position in block) == [0, 1, 2] for block in blocks.values())


def test_the_same_seed_gives_the_same_trials_and_summary(laboratory: Laboratory) -> None:
    for out in ("one", "two"):
        laboratory.run("run", "experiment.toml", "--out", out)
    plans = [
        {(trial.key, trial.position, trial.path_seed) for trial in laboratory.trials(out)}
        for out in ("one", "two")
    ]
    assert plans[0] == plans[1]
    summaries = [(laboratory.folder / out / "summary.json").read_bytes() for out in ("one", "two")]
    assert summaries[0] == summaries[1]


def test_a_resolved_experiment_is_a_run_of_its_own(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "one")
    result = laboratory.run("run", "one/experiment.toml", "--out", "two")
    assert result.status == 0, result.stderr
    texts = [
        (laboratory.folder / out / "experiment.toml").read_text(encoding="utf-8") for out in ("one", "two")
    ]
    assert texts[0] == texts[1]


def test_cpu_bound_cells_run_alone_and_the_others_side_by_side(laboratory: Laboratory) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log), pace_s=0.01)
    laboratory.run("run", "experiment.toml", "--out", "out", "--jobs", "3")
    slots = {
        path: {trial.slot for trial in laboratory.trials("out") if trial.cell.path == path}
        for path in ("near", "far")
    }
    assert slots == {"near": {0}, "far": {0, 1, 2}}
    opened = [request for request in laboratory.requests(log) if request["op"] == "open"]
    calibrated = {request["pid"] for request in laboratory.requests(log) if request["op"] == "calibrate"}
    assert len(calibrated) == 2, "each path, once"
    measured = [request for request in opened if request["pid"] not in calibrated]
    assert len({request["pid"] for request in measured}) == 3
    assert len(measured) == 18 + 3, "one warm-up of every arm where the CPU is the limit"


def test_an_arms_congestion_control_reaches_the_bench_the_origin_and_the_client(
    laboratory: Laboratory,
) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log))
    laboratory.run(
        "run",
        "experiment.toml",
        "--out",
        "out",
        "--set",
        "arms=h2@bbr,h3@newreno",
        "--set",
        "paths=far",
        "--set",
        "repeat=1",
    )
    seen = {
        (request["op"], key, json.dumps(request[key]))
        for request in laboratory.requests(log)
        for key in ("tcp_congestion_control", "congestion_control")
        if key in request
    }
    tcp, quic = {"tcp": "bbr", "quic": "cubic"}, {"quic": "newreno", "tcp": "cubic"}
    calibration = ("open", "tcp_congestion_control", '"reno"')
    assert seen - {calibration} == {
        ("open", "tcp_congestion_control", '"bbr"'),
        ("open", "tcp_congestion_control", '"cubic"'),
        *(
            (op, "congestion_control", json.dumps(control))
            for op in ("origin", "load")
            for control in (tcp, quic)
        ),
    }


def test_each_path_is_calibrated_and_the_result_stands_in_the_manifest(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out", "--set", "repeat=1")
    reports = laboratory.manifest("out")["calibration"]
    assert sorted((report["path"], report["passed"]) for report in reports) == [("far", True), ("near", True)]
    (far,) = (report for report in reports if report["path"] == "far")
    quantities = {row["quantity"] for row in far["rows"] if row["direction"] == "down"}
    assert {"delay (median)", "loss", "rate", "queue", "packets"} <= quantities


def test_a_path_that_is_not_as_asked_twice_is_a_warning_of_the_run(laboratory: Laboratory) -> None:
    laboratory.behave(miscalibrated=True)
    result = laboratory.run(
        "run", "experiment.toml", "--out", "out", "--set", "repeat=1", "--set", "paths=far"
    )
    assert result.status == 0, result.stderr
    manifest = laboratory.manifest("out")
    assert [report["passed"] for report in manifest["calibration"]] == [False, False]
    (warning,) = (one for one in manifest["warnings"] if one["code"] == "calibration")
    assert "down delay (median): 150.0" in warning["text"]
    summary = json.loads((laboratory.folder / "out" / "summary.json").read_text(encoding="utf-8"))
    assert any("Path far differed from its specification" in note for note in summary["notes"])


@pytest.mark.parametrize("fault", ["late", "ring", "steal", "crowd", "physics", "break", "die", "garbage"])
def test_a_contaminated_trial_repeats_its_whole_block(laboratory: Laboratory, fault: str) -> None:
    laboratory.behave(rules=[{"do": fault, "protocol": "h2", "once": laboratory.marker(fault)}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", "--set", "paths=far")
    assert result.status == 0, result.stderr
    trials = laboratory.trials("out")
    [spoilt] = [trial for trial in trials if trial.status == "contaminated"]
    reasons = {"crowd": "starved", "break": "bench", "die": "engine", "garbage": "engine"}
    assert spoilt.reason == reasons.get(fault, fault)
    again = [trial for trial in trials if trial.block == spoilt.block and trial.attempt == 1]
    assert {trial.arm for trial in again} == {"h1", "h2", "h3"}
    assert {trial.path_seed for trial in again} == {spoilt.path_seed}
    assert laboratory.manifest("out")["discards"] == {"h1": 0, "h2": 1, "h3": 0}
    summary = json.loads((laboratory.folder / "out" / "summary.json").read_text(encoding="utf-8"))
    assert {arm: figures["n"] for arm, figures in summary["cells"][0]["arms"].items()} == {
        "h1": 3,
        "h2": 3,
        "h3": 3,
    }


def test_contaminated_blocks_are_repeated_once_all_have_begun_with_less_beside_them(
    laboratory: Laboratory,
) -> None:
    laboratory.behave(rules=[{"do": "late", "protocol": "h2"}], pace_s=0.01)
    asked = ("--set", "paths=far", "--set", "repeat=8", "--jobs", "4")
    assert laboratory.run("run", "experiment.toml", "--out", "out", *asked).status == 4
    trials = laboratory.trials("out")
    attempts = [trial.attempt for trial in trials]
    begun = {trial.block for trial in trials[: attempts.index(1)]}
    assert begun == set(range(8))
    assert attempts.index(2) > max(place for place, attempt in enumerate(attempts) if attempt < 2)
    slots = [len({trial.slot for trial in trials if trial.attempt == attempt}) for attempt in range(3)]
    assert slots == [4, 2, 1]


def test_a_block_that_is_never_clean_is_kept_out_after_three_attempts(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "late", "protocol": "h2"}])
    result = laboratory.run(
        "run", "experiment.toml", "--out", "out", "--verbose", "--set", "paths=far", "--set", "repeat=12"
    )
    assert result.status == 4, result.stderr
    spoilt = Counter(trial.block for trial in laboratory.trials("out") if trial.status == "contaminated")
    assert spoilt == dict.fromkeys(range(12), 3)
    codes = {warning["code"] for warning in laboratory.manifest("out")["warnings"]}
    assert {"blocks-kept-out", "unequal-discards"} <= codes
    assert "12 blocks left out because every attempt was contaminated." in " ".join(result.stdout.split())


def test_a_load_that_beats_physics_is_excluded_and_shouted(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "physics", "protocol": "h3", "once": laboratory.marker("physics")}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", "--set", "paths=far")
    assert "1 trials were faster than physics allows and were excluded" in " ".join(result.stdout.split())
    assert laboratory.manifest("out")["warnings"][0]["code"] == "physics"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("client-protocol", "protocol"),
        ("origin-protocol", "protocol"),
        ("control", "congestion-control"),
        ("timeout", "timeout"),
    ],
)
def test_a_failed_load_is_an_outcome_and_no_gap(laboratory: Laboratory, fault: str, reason: str) -> None:
    laboratory.behave(rules=[{"do": fault, "protocol": "h3"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", "--set", "paths=far")
    assert result.status == 0, result.stderr
    of_h3 = [trial for trial in laboratory.trials("out") if trial.arm == "h3"]
    assert {(trial.status, trial.reason, trial.attempt) for trial in of_h3} == {("failed", reason, 0)}
    summary = json.loads((laboratory.folder / "out" / "summary.json").read_text(encoding="utf-8"))
    arms = summary["cells"][0]["arms"]
    assert arms["h3"]["failed"] == 3
    assert all(figures["mean"] is None for figures in arms.values())


def test_benches_that_all_break_end_the_run_as_the_hosts_fault(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "die"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--jobs", "1")
    assert result.status == 3
    assert "5 benches broke in a row" in result.stderr
    assert "the fake engine was told to die" in result.stderr


def test_a_request_that_the_engine_holds_for_wrong_is_bad_input(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "refuse"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out")
    assert result.status == 2
    assert result.stderr.splitlines()[-1] == "pronghorn: the engine refuses: the fake engine refuses"


def test_the_parquet_table_holds_the_journals_trials(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out")
    table = polars.read_parquet(laboratory.folder / "out" / "trials.parquet")
    trials = laboratory.trials("out")
    assert table["load_s"].to_list() == [trial.metrics.load_s for trial in trials]
    assert table["path_seed"].to_list() == [trial.path_seed for trial in trials]
    assert json.loads(table["page"][0])["resources"][0]["path"] == "/"


def test_the_manifest_says_what_ran_on_what(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "buffer", "protocol": "h3"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--jobs", "2")
    assert result.status == 0, result.stderr
    manifest = laboratory.manifest("out")
    assert (manifest["seed"], manifest["jobs"], manifest["isolation"]) == (7, 2, "root")
    assert manifest["command_line"][:3] == ["pronghorn", "run", "experiment.toml"]
    assert manifest["host"]["cores"] >= 1
    assert "net.ipv4.tcp_rmem" in manifest["sysctls"]
    assert manifest["bench_sysctls"]["net.ipv4.tcp_no_metrics_save"].startswith("1")
    assert manifest["arms"]["h3"]["origins"]["builtin"]["origin_congestion_control"] == ["cubic"]
    assert manifest["arms"]["h2"]["origins"]["builtin"]["tls_version"] == ["TLSv1_3"]
    assert manifest["paths"]["far"]["down"]["rate_bit_per_s"] == 20_000_000
    codes = {warning["code"] for warning in manifest["warnings"]}
    assert {"arms-differ-initial-window", "udp-receive-buffer"} <= codes
    assert [entry["cell"]["path"] for entry in manifest["fairness"]] == ["near", "far"]
    assert all(set(row["by_arm"]) == {"h1", "h2", "h3"} for row in manifest["fairness"][0]["rows"])
    assert "What the arms ran with" in Path("out/report.html").read_text(encoding="utf-8")
    assert all(warning["remedy"] for warning in manifest["warnings"])


def test_json_prints_the_summary_alone_on_stdout(laboratory: Laboratory) -> None:
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--json")
    assert json.loads(result.stdout) == json.loads(Path("out/summary.json").read_text(encoding="utf-8"))


def test_a_report_can_be_made_again_from_the_journal(laboratory: Laboratory) -> None:
    first = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose")
    page = Path("out/report.html").read_bytes()
    for name in ("report.html", "summary.json"):
        (laboratory.folder / "out" / name).unlink()
    result = laboratory.run("report", "out")
    assert result.status == 0, result.stderr
    assert Path("out/report.html").read_bytes() == page
    assert result.stdout.replace("\n", "")[:500] == first.stdout.replace("\n", "")[:500]


def test_the_report_of_a_run_that_was_cut_says_so(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out", "--set", "repeat=1", "--set", "paths=far")
    manifest = laboratory.manifest("out") | {"ended": None}
    laboratory.write("out/manifest.json", json.dumps(manifest))
    result = laboratory.run("report", "out")
    assert "The run is unfinished: this covers 3 trials recorded so far" in " ".join(result.stdout.split())


def test_the_work_folder_is_gone_after_the_run(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out")
    assert list(laboratory.folder.glob("pronghorn-work-*")) == []

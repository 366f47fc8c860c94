"""Runs that were cut off go on where they stopped: no trial lost, none doubled, nothing left behind."""

import json
import random
import signal
import subprocess
import textwrap
import time
from collections import Counter
from pathlib import Path

import pytest

from ..laboratory import Laboratory

DEADLINE_S = 60.0


def wait_for_lines(path: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Until `path` has that many lines, or the process has ended."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.005)
    assert process.poll() is not None, "the run made no progress"


def assert_gone(pids: set[int]) -> None:
    """Every process ends within the deadline."""
    deadline = time.monotonic() + DEADLINE_S
    while alive := {pid for pid in pids if is_alive(pid)}:
        assert time.monotonic() < deadline, f"still alive: {alive}"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def assert_complete(laboratory: Laboratory, run: str) -> None:
    """Every block of the experiment has each arm once, in one attempt."""
    keys = Counter(
        (trial.cell.path, trial.block, trial.arm, trial.attempt) for trial in laboratory.trials(run)
    )
    assert keys == {
        (path, block, arm, 0): 1
        for path in ("near", "far")
        for block in range(3)
        for arm in ("h1", "h2", "h3")
    }


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_with_130_and_no_engine_left(
    laboratory: Laboratory, number: signal.Signals
) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(pace_s=0.2, log=str(log))
    process = laboratory.start("run", "experiment.toml", "--out", "out", "--jobs", "4")
    wait_for_lines(laboratory.folder / "out" / "trials.jsonl", 3, process)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130
    assert "Continue: pronghorn run --resume out" in stderr
    assert "Traceback" not in stderr
    assert_gone({request["pid"] for request in laboratory.requests(log)})
    assert list(laboratory.folder.glob("pronghorn-work-*")) == []
    laboratory.behave()
    result = laboratory.run("run", "--resume", "out")
    assert result.status == 0, result.stderr
    assert_complete(laboratory, "out")


def test_a_run_killed_again_and_again_ends_complete(laboratory: Laboratory) -> None:
    log = laboratory.folder / "engine.log"
    laboratory.behave(pace_s=0.06, log=str(log))
    moments = random.Random(11)
    journal = laboratory.folder / "out" / "trials.jsonl"
    for number in range(4):
        arguments = ("--resume", "out") if number else ("experiment.toml", "--out", "out")
        process = laboratory.start("run", *arguments, "--jobs", "3")
        lines = journal.read_bytes().count(b"\n") if journal.exists() else 0
        wait_for_lines(journal, lines + moments.randint(1, 4), process)
        process.kill()
        process.communicate(timeout=DEADLINE_S)
        assert_gone({request["pid"] for request in laboratory.requests(log)})
    laboratory.behave()
    result = laboratory.run("run", "--resume", "out")
    assert result.status == 0, result.stderr
    assert_complete(laboratory, "out")
    assert list(laboratory.folder.glob("pronghorn-work-*")) == []


def test_a_finished_run_resumes_to_the_same_summary_without_a_trial(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out")
    before = {
        name: Path("out", name).read_bytes() for name in ("trials.jsonl", "summary.json", "experiment.toml")
    }
    log = laboratory.folder / "engine.log"
    laboratory.behave(log=str(log))
    result = laboratory.run("run", "--resume", "out")
    assert result.status == 0, result.stderr
    assert {name: Path("out", name).read_bytes() for name in before} == before
    assert {request["op"] for request in laboratory.requests(log)} == {"hello", "describe_path"}
    assert len(laboratory.manifest("out")["resumed"]) == 1


def test_a_corrupt_line_is_warned_about_kept_aside_and_its_trial_measured_again(
    laboratory: Laboratory,
) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out")
    journal = laboratory.folder / "out" / "trials.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines()
    lines[5] = lines[5][:100]
    journal.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = laboratory.run("run", "--resume", "out")
    assert result.status == 0
    assert (
        "trials.jsonl, line 6: not readable (cut off or corrupt); moved to trials.corrupt.jsonl"
        in result.stderr
    )
    assert Path("out/trials.corrupt.jsonl").read_text(encoding="utf-8") == lines[5] + "\n"
    assert_complete(laboratory, "out")


def test_a_half_done_attempt_is_completed_and_a_contaminated_one_repeated(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "late", "protocol": "h2", "once": laboratory.marker("late")}])
    laboratory.run("run", "experiment.toml", "--out", "out", "--set", "paths=far", "--jobs", "1")
    journal = laboratory.folder / "out" / "trials.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines()
    spoilt = next(number for number, line in enumerate(lines) if '"contaminated"' in line)
    for kept in (spoilt, spoilt + 1, spoilt + 2):
        journal.write_text("\n".join(lines[:kept]) + "\n", encoding="utf-8")
        result = laboratory.run("run", "--resume", "out", "--jobs", "1")
        assert result.status == 0, result.stderr
        trials = laboratory.trials("out")
        assert len({trial.key for trial in trials}) == len(trials)
        last = {(trial.block, trial.arm): trial for trial in trials}
        assert len(last) == 9
        assert all(trial.status == "ok" for trial in last.values())


def test_a_run_that_goes_on_repeats_a_block_with_as_much_beside_it_as_its_attempt_bears(
    laboratory: Laboratory,
) -> None:
    """Cut when every block has but its last attempt left: these come alone."""
    laboratory.behave(rules=[{"do": "late", "protocol": "h2"}], pace_s=0.01)
    asked = ("--set", "paths=far", "--set", "repeat=8", "--jobs", "4")
    laboratory.run("run", "experiment.toml", "--out", "out", *asked)
    journal = laboratory.folder / "out" / "trials.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines()
    earlier = [line for line in lines if json.loads(line).get("attempt") != 2]
    journal.write_text("\n".join(earlier) + "\n", encoding="utf-8")
    laboratory.run("run", "--resume", "out", "--jobs", "4")
    last = [trial for trial in laboratory.trials("out") if trial.attempt == 2]
    assert len(last) == 8 * 3
    assert {trial.slot for trial in last} == {0}


def test_resuming_an_experiment_by_name_takes_over_its_seed(laboratory: Laboratory) -> None:
    text = Path("experiment.toml").read_text(encoding="utf-8").replace("seed = 7\n", "")
    laboratory.write("seedless.toml", text)
    laboratory.run("run", "seedless.toml", "--out", "out")
    result = laboratory.run("run", "seedless.toml", "--resume", "out")
    assert result.status == 0, result.stderr
    assert_complete(laboratory, "out")


def test_resuming_before_anything_was_written_starts_the_named_experiment(laboratory: Laboratory) -> None:
    result = laboratory.run("run", "experiment.toml", "--resume", "out")
    assert result.status == 0, result.stderr
    assert_complete(laboratory, "out")


def test_resuming_another_experiment_is_refused(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "out")
    for change in (("experiment.toml", "--set", "repeat=4"), ("--seed", "8"), ("--set", "margin=5%")):
        result = laboratory.run("run", *change, "--resume", "out")
        assert result.status == 2
        assert "out: holds a run of another experiment or seed." in result.stderr


def test_a_run_goes_on_where_its_path_is_only_described_in_other_words_and_keeps_its_own(
    laboratory: Laboratory,
) -> None:
    own = """
    [path.mine]
    description = "a line"
    source = "a guess"
    down = { rate = "8Mbit", delay = "10ms" }
    up = { rate = "2Mbit", delay = "10ms" }
    """
    text = Path("experiment.toml").read_text(encoding="utf-8") + textwrap.dedent(own)
    asked = ("--set", "paths=mine", "--set", "repeat=4")
    laboratory.write("mine.toml", text)
    assert laboratory.run("run", "mine.toml", *asked, "--out", "out").status == 0
    kept = Path("out/experiment.toml").read_text(encoding="utf-8")
    (Path("out") / "trials.jsonl").write_text("", encoding="utf-8")

    laboratory.write(
        "mine.toml", text.replace('"a guess"', '"measured"').replace('description = "a line"\n', "")
    )
    again = laboratory.run("run", "mine.toml", *asked, "--resume", "out")
    assert again.status == 0, again.stderr
    assert Path("out/experiment.toml").read_text(encoding="utf-8") == kept
    assert len(laboratory.trials("out")) == 4 * 3

    laboratory.write("mine.toml", text.replace("8Mbit", "9Mbit"))
    assert laboratory.run("run", "mine.toml", *asked, "--resume", "out").status == 2


def test_a_disk_that_runs_full_ends_with_3_loses_nothing_and_can_be_resumed(laboratory: Laboratory) -> None:
    laboratory.run("run", "experiment.toml", "--out", "whole")
    size = (laboratory.folder / "whole" / "trials.jsonl").stat().st_size
    script = f'ulimit -f {size // 2 // 1024}; trap "" XFSZ; exec "$@"'
    process = subprocess.run(
        ["bash", "-c", script, "bash", *laboratory.command("run", "experiment.toml", "--out", "out")],
        capture_output=True,
        text=True,
        env=laboratory.environment(),
        check=False,
    )
    assert process.returncode == 3, process.stderr
    assert "can't be written" in process.stderr
    assert "pronghorn run --resume out" in process.stderr
    recorded = {trial.key for trial in laboratory.trials("out")}
    assert recorded
    result = laboratory.run("run", "--resume", "out")
    assert result.status == 0, result.stderr
    assert "set aside" not in result.stderr
    assert recorded <= {trial.key for trial in laboratory.trials("out")}
    assert_complete(laboratory, "out")


def test_two_runs_cannot_share_a_directory(laboratory: Laboratory) -> None:
    laboratory.behave(pace_s=0.5)
    process = laboratory.start("run", "experiment.toml", "--out", "out")
    wait_for_lines(laboratory.folder / "out" / "trials.jsonl", 2, process)
    result = laboratory.run("run", "--resume", "out")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=DEADLINE_S)
    assert result.status == 2
    assert "out: another pronghorn is using this directory." in result.stderr

"""Runs in virtual time: the same each time, whatever the host does, and without privileges."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pronghorn.guest import kernels

from . import programme, remains
from .ordinary import ordinary_user
from .programme import Run
from .virtual_runs import LONG, LOSSY, NEAR, experiment, lines

pytestmark = [pytest.mark.needs("guest"), pytest.mark.beside]


@contextmanager
def busy_host() -> Iterator[None]:
    """A loop that never rests on each CPU, twice."""
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range(2 * len(os.sched_getaffinity(0)))
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@pytest.mark.needs("nginx", "haproxy", "caddy")
def test_the_same_seed_gives_the_same_journal_beside_whatever_load(tmp_path: Path) -> None:
    origins = ["builtin", "nginx", "haproxy", "caddy"]
    asked = str(experiment(tmp_path, LOSSY, paths=["lossy"], origins=origins, repeat=1))
    quiet = programme.run("run", asked, "--out", "quiet", "--jobs", "1", folder=tmp_path)
    with busy_host():
        busy = programme.run("run", asked, "--out", "busy", "--jobs", "3", folder=tmp_path)
    assert (quiet.status, busy.status) == (0, 0), quiet.stderr + busy.stderr
    first, second = lines(tmp_path / "quiet"), lines(tmp_path / "busy")
    assert len(first) == 1 + 4 * 2
    assert {record["status"] for record in first[1:]} == {"ok"}
    assert first == second


def test_another_seed_gives_another_one(tmp_path: Path) -> None:
    asked = str(experiment(tmp_path, LOSSY, paths=["lossy"], repeat=1))
    for seed in ("1", "2"):
        assert programme.run("run", asked, "--seed", seed, "--out", seed, folder=tmp_path).status == 0
    loads = [[record["metrics"]["load_s"] for record in lines(tmp_path / seed)[1:]] for seed in ("1", "2")]
    assert loads[0] != loads[1]


def test_round_trips_are_exact(tmp_path: Path) -> None:
    asked = experiment(tmp_path, LONG, paths=["long"], arms=["h2", "h3", "h3+0rtt"], repeat=1)
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    trips = {trial.arm: (trial.metrics.ttfb_s or 0.0) / 0.1 for trial in Run(tmp_path / "run").trials()}
    assert trips == {
        "h2": pytest.approx(3.0, abs=0.01),
        "h3": pytest.approx(2.0, abs=0.01),
        "h3+0rtt": pytest.approx(1.0, abs=0.01),
    }


def test_no_packet_of_a_new_guest_waits_for_a_tick(tmp_path: Path) -> None:
    asked = experiment(tmp_path, NEAR, paths=["near"], arms=["h2", "h3", "h3:s2n"], repeat=1)
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    trials = Run(tmp_path / "run").trials()
    assert [trial.status for trial in trials] == ["ok"] * 3
    late_s = {
        (trial.arm, name): link.lateness.max_s
        for trial in trials
        if trial.counters is not None
        for name, link in (("down", trial.counters.down), ("up", trial.counters.up))
        if link is not None
    }
    assert len(late_s) == 6
    # A tick is 4 ms; the clock itself takes 256 ns whenever it is read.
    assert all(late is not None and late < 0.0001 for late in late_s.values()), late_s


def test_kernels_are_compared_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # One kernel under two names: whatever differs would be the bench's fault. What is written behind its end
    # makes another file of it, and no other program.
    built = kernels.need()
    for name in ("6.0", "again"):
        copy = tmp_path / "guest" / kernels.place(name).name
        shutil.copytree(built.program.parent, copy)
        with (copy / kernels.PROGRAM).open("ab") as program:
            program.write(name.encode())
    monkeypatch.setenv(kernels.OVERRIDE, str(tmp_path / "guest"))
    asked = experiment(tmp_path, LOSSY, paths=["lossy"], repeat=6, kernels=["6.0", "again"])
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    by_kernel: dict[str, dict[tuple[int, str], Any]] = {}
    for record in lines(tmp_path / "run")[1:]:
        kernel = record["cell"].pop("kernel")
        by_kernel.setdefault(kernel, {})[record["block"], record["arm"]] = record
    assert set(by_kernel) == {"6.0", "again"}
    assert len(by_kernel["6.0"]) == 6 * 2
    assert by_kernel["6.0"] == by_kernel["again"]
    found = Run(tmp_path / "run").summary().kernels
    assert found is not None
    assert [(one.arm, one.ratio, one.ci95, one.verdict) for one in found.changes] == [
        (arm, 1.0, (1.0, 1.0), "same") for arm in ("h2", "h3")
    ]


@pytest.mark.needs("namespaces")
def test_a_cell_is_measured_both_ways(tmp_path: Path) -> None:
    asked = experiment(tmp_path, LONG, paths=["long"], repeat=6, clock="both")
    result = programme.run("run", str(asked), "--out", "run", folder=tmp_path)
    assert result.status == 0, result.stderr
    run = Run(tmp_path / "run")
    seeds: dict[str, set[tuple[int, int]]] = {}
    for trial in run.trials():
        seeds.setdefault(trial.cell.kernel, set()).add((trial.block, trial.path_seed))
        assert (trial.cpu.guest_s is not None) == (trial.cell.kernel == "guest")
    assert seeds["host"] == seeds["guest"]
    summary = run.summary()
    assert [cell.kernel for cell in summary.cells] == ["host", "guest"]
    assert summary.kernels is not None
    (split,) = summary.kernels.splits
    # A busy host may leave too few blocks in real time to compare.
    if split.reason is None:
        assert split.protocols.s == pytest.approx(-0.1, abs=0.001)
        assert split.machine.s is not None
    assert split.words in (tmp_path / "run" / "report.html").read_text(encoding="utf-8").replace(
        "\u00a0", " "
    )


@pytest.mark.needs("root")
def test_an_ordinary_user_without_namespaces_and_devices_has_it(tmp_path: Path) -> None:
    here = experiment(tmp_path, LOSSY, paths=["lossy"], repeat=1)
    with ordinary_user() as user:
        asked = user.home / "experiment.toml"
        asked.write_text(here.read_text(encoding="utf-8"), encoding="utf-8")
        cache = user.home / "guest"
        for kernel in kernels.built():
            place = cache / kernels.place(kernel.version).name
            place.parent.mkdir(exist_ok=True)
            subprocess.run(["cp", "-r", kernel.program.parent, place], check=True)
        denied: dict[str, Any] = {"tun_mode": "000", "namespaces": False, "PRONGHORN_GUEST": str(cache)}
        real = user.run("run", str(asked), "--clock", "real", "--out", str(user.home / "real"), **denied)
        assert real.status == 3
        assert "denied" in real.stderr
        result = user.run("run", str(asked), "--out", str(user.home / "run"), **denied)
        assert result.status == 0, result.stderr
        theirs = lines(user.home / "run")
    assert programme.run("run", str(here), "--out", "run", folder=tmp_path).status == 0
    assert theirs == lines(tmp_path / "run")


def test_a_killed_run_leaves_nothing(tmp_path: Path) -> None:
    asked = experiment(tmp_path, LOSSY, paths=["lossy"], repeat=200)
    before = remains.held()
    started = programme.start("run", str(asked), "--out", "run", folder=tmp_path)
    journal = tmp_path / "run" / "trials.jsonl"
    while started.process.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < 4):
        time.sleep(0.05)
    assert any("time-travel" in line for line in remains.descendants(started.mark).values())
    started.process.send_signal(signal.SIGKILL)
    started.ended()
    for _ in range(600):
        if not (left := remains.descendants(started.mark)):
            break
        time.sleep(0.05)
    assert left == {}
    assert remains.held() == before


def test_a_guest_that_dies_is_a_failed_trial_and_another_guest(tmp_path: Path) -> None:
    asked = experiment(tmp_path, LOSSY, paths=["lossy"], repeat=6, sites=["small"])
    started = programme.start("run", str(asked), "--out", "run", "--jobs", "1", folder=tmp_path)
    journal = tmp_path / "run" / "trials.jsonl"
    killed = 0
    while started.process.poll() is None and killed == 0:
        time.sleep(0.02)
        if journal.exists() and journal.read_bytes().count(b"\n") >= 3:
            for pid, line in remains.descendants(started.mark).items():
                if "time-travel" in line and killed == 0:
                    os.kill(pid, signal.SIGKILL)
                    killed = pid
    assert killed
    result = started.ended()
    assert result.status == 0, result.stderr
    trials = Run(tmp_path / "run").trials()
    assert [trial.reason for trial in trials if trial.status != "ok"] == ["engine"]
    assert len({(trial.arm, trial.block) for trial in trials if trial.status == "ok"}) == 12


def test_an_idle_guest_needs_no_cpu(tmp_path: Path) -> None:
    (tmp_path / "idle.py").write_text(
        "import asyncio\n"
        "from pronghorn import guest\n"
        "async def main():\n"
        "    engine = await guest.Guests(guest.kernels.need()).start(1)\n"
        "    await engine.hello()\n"
        "    before = engine.cpu_s()\n"
        "    await asyncio.sleep(1)\n"
        "    print(engine.cpu_s() - before)\n"
        "    await engine.let_pass(3600)\n"
        "    await engine.stop()\n"
        "asyncio.run(main())\n",
        encoding="utf-8",
    )
    told = subprocess.run(
        [sys.executable, str(tmp_path / "idle.py")],
        env=programme.environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert float(told.stdout) <= 0.01


def test_a_command_behind_a_path_has_its_streams_and_its_status(tmp_path: Path) -> None:
    (tmp_path / "said").write_text("one\ntwo\n", encoding="utf-8")
    words = "cat; echo $PRONGHORN_CLIENT >&2; exit 7"
    path = ("path", "--clock", "virtual", "--quiet", "--seed", "3", "delay=10ms", "--server", "sleep 99")
    with (tmp_path / "said").open(encoding="utf-8") as said:
        done = subprocess.run(
            [*programme.COMMAND, *path, "--", "sh", "-c", words],
            stdin=said,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=programme.environment(),
            timeout=600,
        )
    assert (done.returncode, done.stdout) == (7, "one\ntwo\n"), done.stderr
    assert done.stderr.splitlines()[-1].startswith("198.18.")


def test_what_a_guest_does_not_reach_is_refused(tmp_path: Path) -> None:
    for overrides, words in (
        (["--set", "paths=direct"], "only the CPU limits loads"),
        (["--set", "clients=chromium"], "driven through pipes from outside"),
    ):
        asked = experiment(tmp_path, LOSSY, paths=["lossy"])
        result = programme.run("run", str(asked), *overrides, "--out", "run", folder=tmp_path)
        assert result.status == 2
        assert words in result.stderr


def test_kept_state_is_the_same_each_time_too(tmp_path: Path) -> None:
    asked = str(experiment(tmp_path, LOSSY, paths=["lossy"], state="kept", pause="2s", repeat=3))
    for name in ("one", "two"):
        result = programme.run("run", asked, "--out", name, folder=tmp_path)
        assert result.status == 0, result.stderr
    one, two = (
        sorted(lines(tmp_path / name)[1:], key=lambda record: (record["arm"], record["block"]))
        for name in ("one", "two")
    )
    assert [record["visit"] for record in one] == [0, 1, 2, 0, 1, 2]
    assert one == two


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    asked = experiment(tmp_path, LOSSY, paths=["lossy"], repeat=4)
    started = programme.start("run", str(asked), "--out", "run", folder=tmp_path)
    journal = tmp_path / "run" / "trials.jsonl"
    while started.process.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < 3):
        time.sleep(0.02)
    started.process.send_signal(signal.SIGINT)
    first = started.ended()
    assert first.status in (0, 130)
    assert "Traceback" not in first.stderr
    assert remains.descendants(started.mark) == {}
    again = programme.run("run", "--resume", "run", folder=tmp_path)
    assert again.status == 0, again.stderr
    assert programme.run("run", str(asked), "--out", "whole", folder=tmp_path).status == 0
    by_key = [
        sorted(lines(tmp_path / name)[1:], key=lambda record: (record["arm"], record["block"]))
        for name in ("run", "whole")
    ]
    assert by_key[0] == by_key[1]

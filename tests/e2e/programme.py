"""The program `pronghorn` as a person starts it, with the real engine, and the files of its runs."""

import json
import os
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pronghorn
from pronghorn.engine import locate
from pronghorn.model.summary import Summary
from pronghorn.model.trial import MOST_ATTEMPTS, Cell, Trial, TrialKey

MARK = "PRONGHORN_TEST_MARK"
"""The variable by which every process that descends from a started program is found again."""

RUNS = 4
"""How often an experiment is run at most where a busy host contaminates its trials."""

COMMAND = (sys.executable, "-m", "pronghorn")
PACKAGES = Path(pronghorn.__file__).parent.parent


class Result(NamedTuple):
    """How the program ended and what it printed."""

    status: int
    stdout: str
    stderr: str


class Started(NamedTuple):
    """A program under way, and the mark that its descendants bear."""

    process: subprocess.Popen[str]
    mark: str

    def ended(self) -> Result:
        """Waits for its end."""
        stdout, stderr = self.process.communicate(timeout=1800)
        return Result(self.process.returncode, stdout, stderr)


def environment(**more: str) -> dict[str, str]:
    """The environment in which this package and this engine are found."""
    return os.environ | {"PYTHONPATH": str(PACKAGES), "PRONGHORN_ENGINE": str(locate())} | more


def start(
    *arguments: str,
    folder: Path,
    prefix: Sequence[str] = (),
    command: Sequence[str] = COMMAND,
    env: Mapping[str, str] | None = None,
) -> Started:
    """Starts the program in `folder`."""
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        [*prefix, *command, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**(environment() if env is None else env), MARK: mark},
    )
    return Started(process, mark)


def run(*arguments: str, folder: Path, **more: Any) -> Result:
    """Runs the program to its end."""
    return start(*arguments, folder=folder, **more).ended()


def assert_ended(result: Result) -> None:
    """Asserts that a run came to its end, be it that a busy host had every block of it rejected: its trials
    are there then too, though nothing is said of them."""
    assert result.status == 0 or (result.status == 4 and "contaminated" in result.stderr), result.stderr


class Run:
    """The directory of a run."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def trials(self) -> list[Trial]:
        """The journal's trials, read without the program's own reader."""
        return parse((self.directory / "trials.jsonl").read_text(encoding="utf-8").splitlines())

    def summary(self) -> Summary:
        """Its summary."""
        return Summary.model_validate_json((self.directory / "summary.json").read_bytes())

    def manifest(self) -> dict[str, Any]:
        """Its manifest."""
        manifest: dict[str, Any] = json.loads((self.directory / "manifest.json").read_bytes())
        return manifest

    def report(self) -> str:
        """Its report."""
        return (self.directory / "report.html").read_text(encoding="utf-8")


class Loaded(NamedTuple):
    """What `load_every_arm` has found: the last run, what it printed, and the loads of all runs. `forgiven`:
    its contaminated trials were taken for good ones, of which the manifest knows nothing."""

    run: Run
    said: str
    loads: list[Trial]
    forgiven: bool = False


def load_every_arm(
    *arguments: str, arms: Sequence[str], folder: Path, enough: Callable[[Loaded], bool] = lambda _: True
) -> Loaded:
    """Runs an experiment for its loads, the contaminated ones too: what was loaded, and over what, can be
    read off them as well. Where contamination has left an arm without a load (one that could not be begun),
    or not `enough`, the experiment is run again, the last time with all attempts, before which it waits for a
    calm host. Where that has not been enough either, the last run's contaminated trials are taken for good
    ones: what is shown of a run can be seen on them as well."""
    loads: list[Trial] = []
    for turn in range(RUNS):
        one = Run(folder / f"found-{turn}")
        once = ("--set=attempts=1",) if turn < RUNS - 1 else ()
        sets = (f"--set=arms={','.join(arms)}", "--set=preflight=false", *once)
        result = run(
            "run", *arguments, *sets, "--verbose", "--awake", "--out", one.directory.name, folder=folder
        )
        assert result.status in (0, 4), result.stderr
        trials = one.trials()
        loads += [trial for trial in trials if trial.page is not None]
        found = Loaded(one, " ".join(result.stdout.split()), loads)
        disturbed = any(trial.status == "contaminated" for trial in trials)
        if not disturbed or (enough(found) and not cut_short(loads, arms)):
            return found
    return found if enough(found) else found._replace(said=_forgiven(found.run, folder), forgiven=True)


def _forgiven(one: Run, folder: Path) -> str:
    """What the program says of a run once no trial of it that loaded its page is contaminated any more."""
    journal = one.directory / "trials.jsonl"
    records = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    for record in records:
        if record["type"] == "trial" and record["status"] == "contaminated" and record["page"]:
            record.update(status="ok", reason=None, detail=None)
    journal.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    result = run("report", one.directory.name, folder=folder)
    assert result.status == 0, result.stderr
    return " ".join(result.stdout.split())


def has_blocks(found: Loaded) -> bool:
    """Whether each cell has a block that counts."""
    return all(cell.blocks > 0 for cell in found.run.summary().cells)


def cut_short(loads: Sequence[Trial], arms: Sequence[str]) -> set[Cell]:
    """The cells in which not every arm has a load."""
    loaded = {(trial.cell, trial.arm) for trial in loads}
    return {cell for cell, _ in loaded if not all((cell, arm) in loaded for arm in arms)}


def parse(lines: Sequence[str]) -> list[Trial]:
    """The trials in a journal's lines."""
    return [Trial.model_validate(record) for record in map(json.loads, lines) if record["type"] == "trial"]


def doubled(trials: Sequence[Trial]) -> list[TrialKey]:
    """The trials which stand in the journal more than once."""
    return [key for key, times in Counter(trial.key for trial in trials).items() if times > 1]


def missing(
    trials: Sequence[Trial],
    *,
    arms: Sequence[str],
    blocks: int,
    cells: int,
    attempts: int = MOST_ATTEMPTS,
) -> int:
    """How many of the plan's blocks are neither complete in their last attempt nor kept out (contaminated as
    often as a block may be, `attempts` times)."""
    by_block: dict[tuple[Cell, int], list[Trial]] = {}
    for trial in trials:
        by_block.setdefault((trial.cell, trial.block), []).append(trial)
    return blocks * cells - sum(_over(found, set(arms), attempts) for found in by_block.values())


def _over(block: Sequence[Trial], arms: set[str], attempts: int) -> bool:
    attempt = max(trial.attempt for trial in block)
    last = [trial for trial in block if trial.attempt == attempt]
    if any(trial.status == "contaminated" for trial in last):
        return attempt + 1 == attempts
    return {trial.arm for trial in last} == arms

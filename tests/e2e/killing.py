"""One run, ended by force again and again, and resumed each time."""

import random
import signal
import time
from pathlib import Path

from pronghorn.model.trial import TrialKey

from . import experiments, programme, remains
from .benches import LIMIT_S
from .programme import Run, Started

ARMS = ("h2", "h3")
GRACE_S = 2.0
"""How long what a killed program started may need to go."""


def assert_nothing_remains(started: Started, before: remains.Held, namespaces: set[str]) -> None:
    """Two seconds after a program's end, nothing of it is left."""
    time.sleep(GRACE_S)
    assert remains.descendants(started.mark) == {}
    assert remains.still_used(namespaces) == set()
    assert remains.held().devices <= before.devices
    assert remains.held().mounted <= before.mounted


def kill_and_resume(folder: Path, *, kills: int, blocks: int, seed: int, number: int = signal.SIGKILL) -> Run:
    """Runs an experiment whose program gets a signal at random moments and is resumed each time.

    The first strikes while benches are open; the others anywhere from the program's start to its midst, as
    the seed draws it. Asserts after each that nothing remains, and at the end that no trial is lost or
    doubled; gives the finished run."""
    draw = random.Random(seed)
    experiment = experiments.write(folder, arms=ARMS, repeat=blocks)
    arguments = ["run", str(experiment), "--out", "found", "--jobs", "2"]
    run, recorded, struck = Run(folder / "found"), set[TrialKey](), set[str]()
    for count in range(kills):
        before = remains.held()
        started = programme.start(*arguments, folder=folder)
        if count == 0:
            wait_for(run.directory / "trials.jsonl")
        time.sleep(draw.uniform(0.5 if count == 0 else 0.05, 3.0))
        namespaces = remains.network_namespaces(remains.descendants(started.mark))
        namespaces.discard(remains.own_network_namespace())
        struck |= namespaces
        assert started.process.poll() is None, "it ended before it was killed: give it more blocks"
        started.process.send_signal(number)
        result = started.ended()
        assert result.status == (130 if number == signal.SIGINT else -number), result.stderr
        assert_nothing_remains(started, before, namespaces)
        recorded |= whole_trials(run)
        if (run.directory / "trials.jsonl").exists():
            arguments = ["run", "--resume", "found", "--jobs", "2"]
        elif run.directory.exists():
            arguments = ["run", str(experiment), "--resume", "found", "--jobs", "2"]
    assert struck, "no signal struck while a bench was open"
    result = programme.run(*arguments, folder=folder)
    assert result.status == 0, result.stderr
    trials = run.trials()
    assert recorded <= {trial.key for trial in trials}, "a trial was lost"
    assert programme.doubled(trials) == []
    assert programme.missing(trials, arms=ARMS, blocks=blocks, cells=1) == 0
    return run


def wait_for(file: Path) -> None:
    """Waits until a file exists."""
    deadline = time.monotonic() + LIMIT_S
    while not file.exists():
        assert time.monotonic() < deadline, f"{file} does not come"
        time.sleep(0.01)


def whole_trials(run: Run) -> set[TrialKey]:
    """The trials that a run has on record so far, but for a last line that was cut off."""
    journal = run.directory / "trials.jsonl"
    if not journal.exists():
        return set()
    content = journal.read_text(encoding="utf-8")
    journal_lines = content[: content.rfind("\n") + 1].splitlines()
    return {trial.key for trial in programme.parse(journal_lines)}

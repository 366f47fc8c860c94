"""One run, ended by force again and again, and resumed each time."""

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pronghorn.model.trial import TrialKey

from . import experiments, programme, remains
from .benches import LIMIT_S
from .programme import Run, Started

Value = TypeVar("Value")

ARMS = ("h2", "h3")
GRACE_S = 2.0
"""How long what a killed program started may need to go; on a busy host it may be more."""


def assert_nothing_remains(started: Started, before: remains.Held, namespaces: set[str]) -> None:
    """Soon after a program's end, nothing of it is left."""

    def left() -> list[str]:
        now = remains.held()
        kept = (now.devices - before.devices) | (now.mounted - before.mounted)
        return [*remains.descendants(started.mark).values(), *remains.still_used(namespaces), *kept]

    time.sleep(GRACE_S)
    wait_until(lambda: f"to be gone: {left()}", lambda: not left())


def kill_and_resume(folder: Path, *, kills: int, blocks: int, seed: int, number: int = signal.SIGKILL) -> Run:
    """Runs an experiment whose program gets a signal at random moments and is resumed each time.

    The first strikes while a bench is open; the others anywhere from the program's start to its midst, as
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
            wait_until(lambda: "a trial on record", lambda: whole_trials(run))
        time.sleep(draw.uniform(0.5 if count == 0 else 0.05, 3.0))
        namespaces = own_namespaces(started) if count else those_of_a_bench(started)
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


def own_namespaces(started: Started) -> set[str]:
    """The network namespaces of a program and of what it has started, but for that of this test."""
    used = remains.network_namespaces(remains.descendants(started.mark))
    return used - {remains.own_network_namespace()}


def those_of_a_bench(started: Started) -> set[str]:
    """As `own_namespaces`, once a bench is open."""
    return wait_until(lambda: "an open bench", lambda: own_namespaces(started))


def wait_until(what: Callable[[], str], found: Callable[[], Value]) -> Value:
    """Waits until something is found; `what` says what was waited for in vain."""
    deadline = time.monotonic() + LIMIT_S
    while not (value := found()):
        assert time.monotonic() < deadline, f"not within {LIMIT_S:.0f} s: {what()}"
        time.sleep(0.01)
    return value


def whole_trials(run: Run) -> set[TrialKey]:
    """The trials that a run has on record so far, but for a last line that was cut off."""
    journal = run.directory / "trials.jsonl"
    if not journal.exists():
        return set()
    content = journal.read_text(encoding="utf-8")
    journal_lines = content[: content.rfind("\n") + 1].splitlines()
    return {trial.key for trial in programme.parse(journal_lines)}

"""The same experiment in virtual time, in real time, and in real time beside a hog, trial by trial."""

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pronghorn.model.trial import Trial

from ..e2e import programme
from ..e2e.programme import Run

ALIKE = 0.02
"""A load this close to the same load in virtual time was disturbed by nothing."""

MOVED = 0.05
"""A load this far from where it is without a hog was moved."""

STEADY = 0.9
"""The share of an arm's loads on an idle host that come within `MOVED` of where they are expected, for its
loads beside a hog to be compared with that. Other arms' loads differ as much without a hog, since a few
microseconds decide which packets are lost."""

LOOP = "while True: pass"
BURSTS = (
    "import os, random, time\n"
    "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))\n"
    "while True:\n"
    "    time.sleep(random.uniform(0.02, 0.2))\n"
    "    end = time.monotonic() + random.uniform(0.002, 0.03)\n"
    "    while time.monotonic() < end: pass\n"
)
HOGS = {"loops": (LOOP, LOOP), "bursts": (BURSTS,)}
"""What keeps each CPU busy: two ordinary programs that never sleep, or one that has it for 2 to 30 ms at a
time, before everything else."""

Key = tuple[str, str, str, str, int]
Arm = tuple[str, str, str, str]


class Pair(NamedTuple):
    """A trial's load time over the same trial's in virtual time, None where one of the two failed; why the
    guard rejected it; whether neither of the two lost a packet at random. Losses are dealt by the packets'
    numbers, so that after a few microseconds others may be lost, and the load is another one without any
    hog."""

    arm: Arm
    ratio: float | None
    reason: str | None
    lossless: bool

    @property
    def rejected(self) -> bool:
        """Whether it was."""
        return self.reason is not None


@contextmanager
def hog(kind: str) -> Iterator[None]:
    """Keeps every CPU busy meanwhile."""
    programs: list[subprocess.Popen[bytes]] = []
    try:
        for cpu in sorted(os.sched_getaffinity(0)):
            for text in HOGS[kind]:
                pinned = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\n{text}"
                programs.append(subprocess.Popen([sys.executable, "-c", pinned]))
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def measure(folder: Path, out: str, experiment: str, *arguments: str) -> Run:
    """Runs the experiment with one attempt of each block."""
    if not (folder / out / "summary.json").exists():
        result = programme.run(
            "run", experiment, "--out", out, "--set", "attempts=1", *arguments, folder=folder
        )
        programme.assert_ended(result)
    return Run(folder / out)


def pairs(truth: Run, real: Run) -> list[Pair]:
    """Each trial of `real` beside the same one of `truth`."""
    known = {key(trial): trial for trial in truth.trials()}
    return [
        Pair(
            key(trial)[:4],
            _ratio(trial, known.get(key(trial))),
            trial.reason if trial.status == "contaminated" else None,
            _lossless(trial) and key(trial) in known and _lossless(known[key(trial)]),
        )
        for trial in real.trials()
    ]


class Neighbours:
    """Which share of the CPUs others than this program and what it started used since it was made."""

    def __init__(self) -> None:
        self._busy_s, self._own_s, self._at_s = _busy_s(), _own_s(), time.monotonic()

    def share(self) -> float:
        """Until now; of what was started as far as it has ended."""
        others_s = (_busy_s() - self._busy_s) - (_own_s() - self._own_s)
        cpus = os.cpu_count() or 1
        return max(0.0, others_s) / (cpus * (time.monotonic() - self._at_s))


def _busy_s() -> float:
    first = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0]
    user, nice, system, _idle, _disk, irq, softirq = map(int, first.split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _own_s() -> float:
    return sum(os.times()[:4])


def key(trial: Trial) -> Key:
    """What two runs of one seed have in common."""
    cell = trial.cell
    return (cell.site, cell.path, cell.origin, trial.arm, trial.block)


def _lossless(trial: Trial) -> bool:
    links = (trial.counters.down, trial.counters.up) if trial.counters is not None else ()
    return all(link is None or link.lost + link.corrupted + link.duplicated == 0 for link in links)


def _ratio(real: Trial, truth: Trial | None) -> float | None:
    times = (real.metrics.load_s, truth.metrics.load_s if truth is not None else None)
    return times[0] / times[1] if times[0] and times[1] else None


class Judged(NamedTuple):
    """So many of so many were rejected."""

    rejected: int
    of: int

    @property
    def share(self) -> float:
        """As a fraction; none of none is none."""
        return self.rejected / self.of if self.of else 0.0

    def __str__(self) -> str:
        return f"{self.rejected} of {self.of} ({self.share:.1%})"


def alike(idle: Sequence[Pair]) -> Judged:
    """The trials on an idle host that lie where they do in virtual time."""
    found = [pair for pair in idle if pair.ratio is not None and abs(pair.ratio - 1) <= ALIKE]
    return _judged(found)


def moved(idle: Sequence[Pair], hogged: Sequence[Pair]) -> Judged:
    """The trials that the hog moved: of those that lost nothing, of arms that are steady without it."""
    usual = steady(idle)
    found = [
        pair
        for pair in hogged
        if pair.lossless
        and pair.ratio is not None
        and pair.arm in usual
        and _off(pair.ratio, usual[pair.arm]) > MOVED
    ]
    return _judged(found)


def steady(idle: Sequence[Pair]) -> Mapping[Arm, float]:
    """The median ratio of each arm whose loads on an idle host lie close together: where the CPU takes its
    time, that isn't 1."""
    ratios = defaultdict(list)
    for pair in idle:
        if pair.lossless:
            ratios[pair.arm].append(pair.ratio)
    found = {}
    for arm, its in ratios.items():
        known = [ratio for ratio in its if ratio is not None]
        if not known:
            continue
        middle = median(known)
        close = sum(_off(ratio, middle) <= MOVED for ratio in known)
        if close >= STEADY * len(its):
            found[arm] = middle
    return found


def _off(ratio: float, usual: float) -> float:
    return abs(ratio / usual - 1)


def _judged(found: Sequence[Pair]) -> Judged:
    return Judged(sum(pair.rejected for pair in found), len(found))


def tell(found: Sequence[Pair]) -> str:
    """How far the trials lie from virtual time, and how many were rejected for what."""
    reasons: dict[str, int] = defaultdict(int)
    for pair in found:
        if pair.reason is not None:
            reasons[pair.reason] += 1
    known = [abs(pair.ratio - 1) for pair in found if pair.ratio is not None]
    near = sum(off <= ALIKE for off in known)
    far = sum(off > MOVED for off in known)
    return (
        f"{len(found)} trials, {near} within {ALIKE:.0%} of virtual time, {far} beyond {MOVED:.0%}, "
        f"rejected: {json.dumps(reasons)}"
    )

"""A run's cells as networks whose truth was measured: each TCP congestion control's h2 against h3, by
blocks."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.analysis.blocks import select
from pronghorn.analysis.times import has_failed
from pronghorn.errors import InputError
from pronghorn.mapping import batches
from pronghorn.mapping.observed import BOUND
from pronghorn.model import belonging, experiment_file
from pronghorn.model.arm import Arm
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Trial
from pronghorn.runs import directory as files
from pronghorn.runs import journal, left_out, prepare

FEWEST_BLOCKS = 2
"""Of a cell that counts: one half to learn from, one to judge by."""


class MeasuredCell(NamedTuple):
    """One cell: its path's round trip (ms), loss and rate (Mbit/s), and by TCP congestion control each
    block's load times over h2 and h3, in seconds."""

    name: str
    rtt_ms: float
    loss: float
    rate_mbit: float
    times: dict[str, list[tuple[float, float]]]

    def to_engine(self) -> dict[str, Any]:
        """As the engine's protocol has a network."""
        return {
            "name": self.name,
            "share": 1.0,
            "rtt_ms": [self.rtt_ms] * 2,
            "loss": [self.loss] * 2,
            "rate_mbit": [self.rate_mbit] * 2,
            "measured": {
                control: {"h2_s": [h2 for h2, _ in pairs], "h3_s": [h3 for _, h3 in pairs]}
                for control, pairs in self.times.items()
            },
        }

    def of_blocks(self, keep: int) -> "MeasuredCell":
        """With every second block only: the even ones for 0, the odd ones for 1."""
        halves = {control: pairs[keep::2] for control, pairs in self.times.items()}
        return self._replace(times=halves)


def read(run: Path, option: str = "--run") -> list[MeasuredCell]:
    """The cells of the run in `run` with enough blocks. As in a map, a failed load counts as one that took so
    many times as long as the other's, and a block in which both failed is left out. InputError where the run
    can't judge a policy, which was named by this `option`."""
    stored = run / files.EXPERIMENT
    if not stored.is_file():
        raise InputError(f"{option} {run}: this is no run: {files.EXPERIMENT} is missing.")
    planned = experiment_file.read(str(stored), prepare.vocabulary(), overrides=[], seed=None, recorded=True)
    h3, by_control = _arms(f"{option} {run}", planned)
    cells: list[MeasuredCell] = []
    contents = journal.look(run, belonging.of(planned))
    left_out.say(contents.warnings)
    trials = select(contents.trials, [arm.name for arm in planned.arms])
    points = {path.name: batches.point_of(path) for path in planned.paths}
    first = planned.cell_kernels[0]
    for cell, sorted_ in trials.items():
        if cell.kernel != first:
            # Another kernel's loads over the same network would count it twice.
            continue
        times: dict[str, list[tuple[float, float]]] = {control: [] for control in by_control}
        for block in sorted_.blocks:
            for control, arm in by_control.items():
                if pair := _pair(block[arm.name], block[h3.name]):
                    times[control].append(pair)
        if min(len(pairs) for pairs in times.values()) < FEWEST_BLOCKS:
            continue
        point = points[cell.path]
        cells.append(
            MeasuredCell(str(cell), point.rtt_s * 1e3, point.loss, point.rate_bit_per_s / 1e6, times)
        )
    if not cells:
        raise InputError(f"{option} {run}: no cell has {FEWEST_BLOCKS} blocks in which something loaded.")
    return cells


def _pair(h2: Trial, h3: Trial) -> tuple[float, float] | None:
    """Both load times in seconds, a failed one as the map's bound times the other."""
    theirs, ours = (None if has_failed(trial) else trial.metrics.load_s for trial in (h2, h3))
    worst = math.exp(BOUND)
    if theirs and ours:
        return theirs, ours
    if theirs:
        return theirs, theirs * worst
    return (ours * worst, ours) if ours else None


def _arms(place: str, planned: Experiment) -> tuple[Arm, dict[str, Arm]]:
    """The h3 arm, and the h2 arms by their congestion control."""
    h3 = [arm for arm in planned.arms if arm.protocol == "h3"]
    h2 = [arm for arm in planned.arms if arm.protocol == "h2"]
    controls: Sequence[str] = [arm.congestion_control for arm in h2]
    if len(h3) != 1 or not h2 or len(set(controls)) != len(controls):
        raise InputError(
            f"{place}: to judge a policy a run needs one h3 arm and h2 arms with different congestion "
            "controls, such as h2@cubic, h2@bbr, h3.",
            hint="experiments/gateway-grid.toml is one.",
        )
    return h3[0], dict(zip(controls, h2, strict=True))

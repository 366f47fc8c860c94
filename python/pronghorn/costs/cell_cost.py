"""What a trial of a cell is expected to cost, whatever its client does."""

import math

from pronghorn import clients
from pronghorn.costs import cost, load_cost
from pronghorn.model import load
from pronghorn.model.arm import Arm
from pronghorn.model.experiment import Experiment
from pronghorn.model.load import LoadSettings
from pronghorn.model.trial import Cell


def expected_s(experiment: Experiment, cell: Cell, total_bytes: int) -> float:
    """Roughly how long what is measured takes, in seconds."""
    path, settings = experiment.path(cell.path), _load(experiment, cell)
    if settings is None:
        return cost.expected_s(path, total_bytes)
    return load_cost.expected_s(path, settings, total_bytes, experiment.limit_of(cell.client))


def trial_s(experiment: Experiment, cell: Cell, total_bytes: int) -> float:
    """Roughly how long a trial takes, in seconds, as a mean over the arms: with the path's warm-up, the
    client's start, the unmeasured visit of those that have one, and the pause."""
    expense = clients.of(experiment, cell.client).expense
    load_s = cost.warmup_s(experiment.path(cell.path)) + expected_s(experiment, cell, total_bytes)
    load_s += expense.load_cpu_s
    if experiment.kept:
        return load_s + experiment.pause_s
    prepared = sum(arm.prepared for arm in experiment.arms) / len(experiment.arms)
    return expense.start_s + load_s * (1 + prepared)


def burst_s(experiment: Experiment, cell: Cell, arm: Arm, total_bytes: int) -> float:
    """How long a load of many requests would crowd others that begin beside it; 0 of anything else."""
    path, settings = experiment.path(cell.path), _load(experiment, cell)
    if settings is None:
        return 0.0
    limit_s = experiment.limit_of(cell.client)
    return load_cost.burst_s(path, settings, total_bytes, limit_s, primed=arm.prepared)


def alone(experiment: Experiment, cell: Cell, total_bytes: int = 0) -> bool:
    """Whether its trials need the host for themselves."""
    path, settings = experiment.path(cell.path), _load(experiment, cell)
    if settings is None:
        return cost.cpu_bound(path)
    return load_cost.alone(path, settings, total_bytes, experiment.limit_of(cell.client))


def busy_cores(experiment: Experiment, cell: Cell, total_bytes: int) -> float:
    """Roughly how many cores a trial keeps busy."""
    path, settings = experiment.path(cell.path), _load(experiment, cell)
    if settings is not None:
        return load_cost.busy_cores(path, settings, total_bytes, experiment.limit_of(cell.client))
    expense = clients.of(experiment, cell.client).expense
    return cost.busy_cores(path, total_bytes, experiment.pause_s, expense, kept=experiment.kept)


def beside(experiment: Experiment, cell: Cell, total_bytes: int, jobs: int) -> float:
    """Roughly how many of its trials run side by side with each other, or with others that cost as much."""
    if alone(experiment, cell, total_bytes):
        return 1.0
    browsers = clients.of(experiment, cell.client).expense.start_cpu_s > 0
    carried = cost.cpu_budget(browsers=browsers, kept=experiment.kept) / busy_cores(
        experiment, cell, total_bytes
    )
    bursts = [burst_s(experiment, cell, arm, total_bytes) for arm in experiment.arms]
    if held_s := math.fsum(bursts) / len(bursts):
        carried = min(carried, expected_s(experiment, cell, total_bytes) / held_s)
    slots = min(jobs, len(experiment.cells())) if experiment.kept else jobs
    return min(slots, max(1.0, carried))


def _load(experiment: Experiment, cell: Cell) -> LoadSettings | None:
    return experiment.load if cell.client == load.CLIENT else None

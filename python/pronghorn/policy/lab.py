"""A policy judged by a run's measured load times.

The gateway learns from one half of each cell's blocks (the engine's simulation, clients on the run's cells),
and what it did is valued by the other half, then the other way round, so that no block teaches and judges at
once. Intervals are of the cells' blocks drawn again (percentile bootstrap within each cell, Efron 1979).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pronghorn.analysis.seeds import generator
from pronghorn.mapping.domain import Array
from pronghorn.policy import outcome
from pronghorn.policy.measured import MeasuredCell
from pronghorn.policy.outcome import ALWAYS, LEARNED, RULES, SHARE, SMALL_REGRET
from pronghorn.policy.parsed import Parsed, asked_of_engine
from pronghorn.policy.population import Population
from pronghorn.policy.simulate import PATIENCE_S, Asked, simulations

RESAMPLES = 2000

_BAND = (0.025, 0.975)


class Row(NamedTuple):
    """One cell and congestion control: blocks, the mean load times in seconds, and each rule's share of h3
    and regret."""

    cell: str
    control: str
    blocks: int
    h2_s: float
    h3_s: float
    h3_share: dict[str, float]
    regret: dict[str, float]


class Interval(NamedTuple):
    """An estimate with its 95 % interval."""

    value: float
    low: float
    high: float


class Judgement(NamedTuple):
    """Of one congestion control: each rule's mean regret over the cells, and ours less that of the better of
    the rules that do the same for all."""

    control: str
    cells: int
    regret: dict[str, Interval]
    better: str
    minus: Interval
    holds: bool


class Judged(NamedTuple):
    """All of it."""

    place: str
    rows: list[Row]
    judgements: list[Judgement]

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "policy": self.place,
            "cells": [row._asdict() for row in self.rows],
            "judgements": [
                {
                    **one._asdict(),
                    "regret": {rule: value._asdict() for rule, value in one.regret.items()},
                    "minus": one.minus._asdict(),
                }
                for one in self.judgements
            ],
        }


class _Half(NamedTuple):
    """What was learned from one half, and the other half's blocks: (h2, h3) in seconds, (blocks, 2) a
    cell."""

    shares: dict[str, dict[str, float]]
    blocks: dict[str, Array]


def judge(policy: Parsed, population: Population, asked: Asked, cells: Sequence[MeasuredCell]) -> Judged:
    """Simulates and values. `asked.clients` are those of each congestion control and half."""
    rows: list[Row] = []
    judgements: list[Judgement] = []
    for control in sorted({control for cell in cells for control in cell.times}):
        halves = [
            _Half(
                shares=_learned(policy, population, asked, control, [cell.of_blocks(keep) for cell in cells]),
                blocks={cell.name: np.array(cell.of_blocks(1 - keep).times[control]) for cell in cells},
            )
            for keep in (0, 1)
        ]
        rows += [_row(cell, control, halves) for cell in cells]
        judgements.append(_judgement(control, [cell.name for cell in cells], halves, asked.seed))
    return Judged(policy.place, rows, judgements)


def _learned(
    policy: Parsed, population: Population, asked: Asked, control: str, cells: Sequence[MeasuredCell]
) -> dict[str, dict[str, float]]:
    """Each cell's share of requests over h3, by rule."""
    only = [cell._replace(times={control: cell.times[control]}) for cell in cells]
    spec = simulations(policy, population, asked._replace(run=only))["population"]
    told = outcome.read(asked_of_engine(policy.place, "simulate", patience_s=PATIENCE_S, spec=spec))
    return {segment.name: {rule: segment.rules[rule].h3 for rule in RULES} for segment in told.by("network")}


def regrets(shares: Mapping[str, float], h2_s: float, h3_s: float) -> dict[str, float]:
    """Each rule's regret where protocols take so long and it has such a share of h3."""
    best = min(h2_s, h3_s)
    return {rule: (share * h3_s + (1 - share) * h2_s) / best - 1 for rule, share in shares.items()}


def _row(cell: MeasuredCell, control: str, halves: Sequence[_Half]) -> Row:
    h2_s, h3_s = np.array(cell.times[control]).mean(axis=0)
    each = [regrets(half.shares[cell.name], *half.blocks[cell.name].mean(axis=0)) for half in halves]
    return Row(
        cell=cell.name,
        control=control,
        blocks=len(cell.times[control]),
        h2_s=float(h2_s),
        h3_s=float(h3_s),
        h3_share={rule: float(np.mean([half.shares[cell.name][rule] for half in halves])) for rule in RULES},
        regret={rule: float(np.mean([one[rule] for one in each])) for rule in RULES},
    )


def _judgement(control: str, cells: Sequence[str], halves: Sequence[_Half], seed: int) -> Judgement:
    rng = generator(seed, "policy lab", control)
    point = _mean_regrets(cells, halves, None)
    drawn = [_mean_regrets(cells, halves, rng) for _ in range(RESAMPLES)]
    better = min(ALWAYS, key=lambda rule: point[rule])
    intervals = {rule: _interval(point[rule], [one[rule] for one in drawn]) for rule in RULES}
    minus = _interval(point[LEARNED] - point[better], [one[LEARNED] - one[better] for one in drawn])
    small = point[better] < SMALL_REGRET
    holds = minus.low <= 0 if small else point[LEARNED] <= SHARE * point[better]
    return Judgement(control, len(cells), intervals, better, minus, holds)


def _mean_regrets(
    cells: Sequence[str], halves: Sequence[_Half], rng: np.random.Generator | None
) -> dict[str, float]:
    """Over cells and halves, with the blocks as they are or drawn again."""
    sums = dict.fromkeys(RULES, 0.0)
    for half in halves:
        for cell in cells:
            blocks = half.blocks[cell]
            if rng is not None:
                blocks = blocks[rng.integers(len(blocks), size=len(blocks))]
            for rule, regret in regrets(half.shares[cell], *blocks.mean(axis=0)).items():
                sums[rule] += regret / (len(cells) * len(halves))
    return sums


def _interval(value: float, drawn: Sequence[float]) -> Interval:
    low, high = np.quantile(drawn, _BAND)
    return Interval(value, float(low), float(high))

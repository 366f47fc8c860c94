"""A policy judged by measured load times: of a run's cells, or of a map's points that its fit did not see.

The gateway learns from one half of each cell's blocks (the engine's simulation, clients on the run's cells),
and what it did is valued by the other half, then the other way round, so that no block teaches and judges at
once. Which protocol was the better one for a block is told by all other blocks of its cell: the smaller of
two means of few blocks would be too small, and every rule's regret too large.

Ten gateways are simulated, each with a tenth of the clients, for what one does depends on who comes.
Intervals are of the cells' judging blocks and of these gateways, drawn again (percentile bootstrap, Efron
1979; since both are few, their deviations as much larger as the variance would be too small); where the
cells are themselves drawn from many, as a map's points are, of the cells drawn again as well. What the
teaching blocks taught is taken as it is.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pronghorn.analysis.seeds import generator
from pronghorn.errors import InputError, unknown
from pronghorn.mapping.domain import Array
from pronghorn.policy import outcome
from pronghorn.policy.interval import Interval
from pronghorn.policy.measured import MeasuredCell
from pronghorn.policy.outcome import ALWAYS, INFORMED, LEARNED, RULES, within
from pronghorn.policy.parsed import Parsed, asked_of_engine
from pronghorn.policy.population import Population
from pronghorn.policy.simulate import PATIENCE_S, WHOLE, Asked, simulations

RESAMPLES = 2000

DRAWS = 10
"""The number of simulated gateways, each with its part of the clients."""

_BAND = (0.025, 0.975)

_CLIENTS_A_CELL = 20


class Case(NamedTuple):
    """A policy, and the cells that judge it."""

    policy: Parsed
    cells: Sequence[MeasuredCell]


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


class Judgement(NamedTuple):
    """Of one congestion control: each rule's mean regret over the cells, ours less that of the better of the
    rules that do the same for all, and how much both are beyond `informed`: what Alt-Svc doesn't allow (the
    first page over TCP) nobody can spare. Whether the bound holds, and whether for what is beyond."""

    control: str
    cells: int
    regret: dict[str, Interval]
    better: str
    minus: Interval
    beyond: dict[str, Interval]
    holds: bool
    holds_beyond: bool


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
                    "beyond": {rule: value._asdict() for rule, value in one.beyond.items()},
                }
                for one in self.judgements
            ],
        }


class Half(NamedTuple):
    """What was learned from one half: (draws, rules) a cell, the shares of requests over h3. And the other
    half's blocks: (blocks, 3) a cell, of each its times over h2, over h3 and over the one that the cell's
    other blocks say is better, in seconds."""

    shares: dict[str, Array]
    blocks: dict[str, Array]

    def regrets(self, cell: str) -> dict[str, float]:
        """Each rule's in a cell."""
        shares = dict(zip(RULES, self.shares[cell].mean(axis=0), strict=True))
        return regrets(shares, *self.blocks[cell].mean(axis=0))


def judge(
    cases: Sequence[Case], population: Population, asked: Asked, *, drawn_cells: bool = False
) -> Judged:
    """Simulates and values all cases together, whose cells have names of their own. `asked.clients` are those
    of each case, congestion control and half in all draws; `drawn_cells` says that the cells are some of
    many."""
    rows: list[Row] = []
    judgements: list[Judgement] = []
    for control in _controls(asked, cases):
        mine = [Case(case.policy, [cell for cell in case.cells if control in cell.times]) for case in cases]
        halves = [_half(mine, population, asked, control, keep) for keep in (0, 1)]
        cells = [cell for case in mine for cell in case.cells]
        rows += [_row(cell, control, halves) for cell in cells]
        names = [cell.name for cell in cells]
        judgements.append(judgement(control, names, halves, asked.seed, drawn_cells=drawn_cells))
    return Judged(cases[0].policy.place, rows, judgements)


def _half(cases: Sequence[Case], population: Population, asked: Asked, control: str, keep: int) -> Half:
    shares: dict[str, Array] = {}
    blocks: dict[str, Array] = {}
    for case in cases:
        taught = [cell.of_blocks(keep) for cell in case.cells]
        shares |= _learned(case.policy, population, asked, control, taught)
        blocks |= {cell.name: judging(cell.times[control])[1 - keep :: 2] for cell in case.cells}
    return Half(shares, blocks)


def judging(pairs: Sequence[tuple[float, float]]) -> Array:
    """A cell's blocks as a half has them, of their times over h2 and h3."""
    times = np.array(pairs)
    others = times.sum(axis=0) - times
    better = times[np.arange(len(times)), others.argmin(axis=1)]
    return np.column_stack([times, better])


def _controls(asked: Asked, cases: Sequence[Case]) -> list[str]:
    measured = sorted({control for case in cases for cell in case.cells for control in cell.times})
    if asked.tcp is None:
        return measured
    if asked.tcp not in measured:
        raise InputError(f"--tcp {asked.tcp}: {unknown('congestion control', asked.tcp, measured)}")
    return [asked.tcp]


def _learned(
    policy: Parsed, population: Population, asked: Asked, control: str, cells: Sequence[MeasuredCell]
) -> dict[str, Array]:
    """Each cell's shares of requests over h3: (draws, rules)."""
    only = [cell._replace(times={control: cell.times[control]}) for cell in cells]
    draws: list[dict[str, list[float]]] = []
    for draw in range(DRAWS):
        seed = int(generator(asked.seed, "policy lab", "clients", str(draw)).integers(2**63))
        some = asked._replace(run=only, seed=seed, clients=max(asked.clients // DRAWS, 1))
        spec = simulations(policy, population, some)[control][WHOLE]
        told = outcome.read(asked_of_engine(policy.place, "simulate", patience_s=PATIENCE_S, spec=spec))
        draws.append({one.name: [one.rules[rule].h3 for rule in RULES] for one in told.by("network")})
        if empty := sum(cell.name not in draws[-1] for cell in cells):
            raise InputError(
                f"--clients {asked.clients}: {empty} of {len(cells)} cells have no client in a draw; "
                f"{DRAWS * _CLIENTS_A_CELL * len(cells)} are enough."
            )
    return {cell.name: np.array([draw[cell.name] for draw in draws]) for cell in cells}


def regrets(shares: Mapping[str, float], h2_s: float, h3_s: float, best_s: float) -> dict[str, float]:
    """Each rule's regret where protocols take so long and it has such a share of h3."""
    return {rule: (share * h3_s + (1 - share) * h2_s) / best_s - 1 for rule, share in shares.items()}


def _row(cell: MeasuredCell, control: str, halves: Sequence[Half]) -> Row:
    h2_s, h3_s = np.array(cell.times[control]).mean(axis=0)
    each = [half.regrets(cell.name) for half in halves]
    shares = np.mean([half.shares[cell.name].mean(axis=0) for half in halves], axis=0)
    return Row(
        cell=cell.name,
        control=control,
        blocks=len(cell.times[control]),
        h2_s=float(h2_s),
        h3_s=float(h3_s),
        h3_share=dict(zip(RULES, shares.tolist(), strict=True)),
        regret={rule: float(np.mean([one[rule] for one in each])) for rule in RULES},
    )


def judgement(
    control: str, cells: Sequence[str], halves: Sequence[Half], seed: int, *, drawn_cells: bool
) -> Judgement:
    """What was done in these cells, valued: by `halves`, each of which one half of the blocks taught."""
    each = [half.regrets(cell) for half in halves for cell in cells]
    point = {rule: float(np.mean([one[rule] for one in each])) for rule in RULES}
    rng = generator(seed, "policy lab", control)
    clients = again(DRAWS, rng)
    resampled = np.mean([[_drawn(half, cell, clients, rng) for cell in cells] for half in halves], axis=0)
    even = np.full((RESAMPLES, len(cells)), 1 / len(cells))
    weights = rng.multinomial(len(cells), even[0], size=RESAMPLES) / len(cells) if drawn_cells else even
    drawn = dict(zip(RULES, np.einsum("crs,sc->rs", resampled, weights), strict=True))
    better = min(ALWAYS, key=lambda rule: point[rule])
    intervals = {rule: _interval(point[rule], drawn[rule]) for rule in RULES}
    minus = _interval(point[LEARNED] - point[better], drawn[LEARNED] - drawn[better])
    beyond = {
        rule: _interval(point[rule] - point[INFORMED], drawn[rule] - drawn[INFORMED])
        for rule in (LEARNED, better)
    }
    no_worse = minus.low <= 0
    holds = within(point[LEARNED], point[better], no_worse=no_worse)
    holds_beyond = within(beyond[LEARNED].value, beyond[better].value, no_worse=no_worse)
    return Judgement(control, len(cells), intervals, better, minus, beyond, holds, holds_beyond)


def again(count: int, rng: np.random.Generator) -> Array:
    """How much each of `count` observations counts in each resampled mean: (count, resamples). Plainly
    resampled means of n vary by (n - 1)/n of what means of n do."""
    even = np.full(count, 1 / count)
    drawn = rng.multinomial(count, even, size=RESAMPLES) / count
    return np.asarray((even + (drawn - even) * _widening(count)).T)


def _widening(count: int) -> float:
    return math.sqrt(count / (count - 1)) if count > 1 else 1.0


def _drawn(half: Half, cell: str, clients: Array, rng: np.random.Generator) -> Array:
    """The rules' regrets in a cell with its clients and its blocks drawn again: (rules, resamples)."""
    blocks = half.blocks[cell]
    count = len(blocks)
    shares = half.shares[cell].T @ clients

    def regret(times: Array) -> Array:
        h2_s, h3_s, best_s = times
        return np.asarray((shares * h3_s + (1 - shares) * h2_s) / best_s - 1)

    known = regret(blocks.mean(axis=0))
    resampled = regret(blocks[rng.integers(count, size=(RESAMPLES, count))].mean(axis=1).T)
    # Of the regrets rather than of the times, which would become negative.
    return known + (resampled - known) * _widening(count)


def _interval(value: float, drawn: Array) -> Interval:
    low, high = np.quantile(drawn, _BAND)
    return Interval(value, float(low), float(high))

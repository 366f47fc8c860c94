"""What single resources took: each arm's times, and the arms beside the baseline.

A resource is known by its path; where a load asks for it twice, the first time counts. One that never came,
for it broke off or its load failed before, is the worst outcome, as a failed load is. Intervals are the
percentile intervals of the medians' ratios and differences over blocks (`bootstrap.py`), q-values those of
Benjamini & Hochberg (`correction.py`) over all resources of a run.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pronghorn.analysis import rank_test
from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import Effect, Estimate, Pairing, effects, unresampled
from pronghorn.analysis.correction import q_of
from pronghorn.analysis.figures import finite, rank
from pronghorn.analysis.terms import Terms, block_draws
from pronghorn.analysis.times import Times, has_failed
from pronghorn.analysis.verdict import LEAST_BLOCKS
from pronghorn.model import load
from pronghorn.model.resources import (
    PHASES,
    CellResources,
    Phase,
    ResourceComparison,
    ResourceSummary,
    ResourceTimes,
    Spread,
)
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Resource, Trial

Requests = Callable[[Trial], Sequence[Resource]]
"""Gives the resources of a trial's load as the client recorded them."""

BLOCKS = 100
LOADS = 10_000
"""The most blocks of a cell, and loads of a run, that are looked at: very many loads have millions of
requests."""

RESAMPLES = 2000
MOST = 500
"""The most resources of a page that are shown."""

Part = Phase | None
Table = Mapping[Part, Times]
"""Times in seconds, one a block, of each phase and of the whole (None): NaN if the load didn't request the
resource, +inf for the whole of one that never arrived."""


def of_trial(trial: Trial) -> Sequence[Resource]:
    """The resources of a trial that is whole."""
    return trial.page.resources if trial.page is not None else []


def most_blocks(cells: int, arms: int) -> int:
    """How many blocks of each cell are looked at in a run of so many cells and arms: none where they would be
    too few for an interval."""
    most = min(BLOCKS, LOADS // max(1, cells * arms))
    return most if most >= LEAST_BLOCKS["median"] else 0


def resources(
    trials: CellTrials, requests: Requests, terms: Terms, most: int = BLOCKS
) -> CellResources | None:
    """The resources of a cell's page in its first blocks, at the `most` so many; None where nobody tells of
    them."""
    blocks = trials.blocks[:most]
    if trials.cell.client == load.CLIENT or not blocks:
        return None
    kinds, tables = _tables(trials, requests, len(blocks))
    if not kinds:
        return None
    paths = list(kinds)[:MOST]
    asked = [
        (path, arm)
        for path in paths
        for arm in trials.arms
        if arm != terms.baseline and {(path, arm), (path, terms.baseline)} <= tables.keys()
    ]
    effect_of = _effects(trials, tables, asked, terms)
    return CellResources(
        blocks=len(blocks),
        resamples=min(RESAMPLES, terms.resamples),
        left_out=len(kinds) - len(paths),
        resources=[
            ResourceSummary(
                path=path,
                kind=kinds[path],
                arms={arm: _times(tables[path, arm]) for arm in trials.arms if (path, arm) in tables},
                comparisons=[
                    _compared(tables, one, effect_of[one], terms) for one in asked if one[0] == path
                ],
            )
            for path in paths
        ],
    )


def corrected(cells: Sequence[CellSummary]) -> list[CellSummary]:
    """The cells with the q-values of their resources."""
    tested = [one.p_value for one in _all(cells) if one.p_value is not None]
    q_values = iter(q_of(tested))
    for one in _all(cells):
        if one.p_value is not None:
            one.q_value = next(q_values)
    return list(cells)


def _all(cells: Sequence[CellSummary]) -> Iterator[ResourceComparison]:
    for cell in cells:
        for one in cell.resources.resources if cell.resources is not None else ():
            yield from one.comparisons


def _tables(
    trials: CellTrials, requests: Requests, blocks: int
) -> tuple[dict[str, str], dict[tuple[str, str], Table]]:
    """The kinds of the resources by their paths, in the order in which they were found, and each one's times
    by path and arm."""
    kinds: dict[str, str] = {}
    tables: dict[tuple[str, str], Table] = {}
    for arm in trials.arms:
        mine = trials.of(arm)[:blocks]
        for place, trial in enumerate(mine):
            seen: set[str] = set()
            for resource in requests(trial):
                if resource.path in seen or resource.from_cache:
                    continue
                seen.add(resource.path)
                kinds.setdefault(resource.path, resource.kind)
                if (resource.path, arm) not in tables:
                    tables[resource.path, arm] = {part: np.full(blocks, math.nan) for part in (None, *PHASES)}
                for part, value in _measured(resource).items():
                    tables[resource.path, arm][part][place] = value
        failed = np.array([has_failed(trial) for trial in mine], dtype=bool)
        for (_, of_arm), table in tables.items():
            if of_arm == arm:
                table[None][failed & np.isnan(table[None])] = math.inf
    return kinds, tables


def _measured(resource: Resource) -> dict[Part, float]:
    """What is known of the times of a resource that was asked for."""
    start, sent = resource.start_s, resource.request_s
    first, last = resource.first_byte_s, resource.last_byte_s
    if resource.error is not None or last is None:
        return {None: math.inf}
    if start is None:
        return {}
    found: dict[Part, float] = {None: last - start}
    if sent is not None and first is not None:
        found |= {"queued": sent - start, "waiting": first - sent, "receiving": last - first}
    return found


def _times(table: Table) -> ResourceTimes:
    whole = table[None]
    return ResourceTimes(
        n=int(np.sum(~np.isnan(whole))),
        failed=int(np.sum(np.isinf(whole))),
        duration=_spread(whole),
        queued=_spread(table["queued"]),
        waiting=_spread(table["waiting"]),
        receiving=_spread(table["receiving"]),
    )


def _spread(values: Times) -> Spread:
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return Spread()
    p95 = known[rank("p95", len(known)) - 1]
    return Spread(median=finite(float(np.median(known))), p95=finite(float(p95)))


def _effects(
    trials: CellTrials,
    tables: Mapping[tuple[str, str], Table],
    asked: Sequence[tuple[str, str]],
    terms: Terms,
) -> dict[tuple[str, str], Effect]:
    """The effects on the median durations. Those that are told in the same blocks rest on the same draws."""
    together: dict[bytes, list[tuple[str, str]]] = defaultdict(list)
    for path, arm in asked:
        together[_told(tables, path, arm, terms.baseline).tobytes()].append((path, arm))
    found: dict[tuple[str, str], Effect] = {}
    for told, those in together.items():
        taken = np.frombuffer(told, dtype=bool)
        columns = {
            (path, arm): tables[path, arm][None][taken]
            for path, of_arm in those
            for arm in (of_arm, terms.baseline)
        }
        ones = {(path, arm): Pairing((path, arm), (path, terms.baseline), "median") for path, arm in those}
        if taken.sum() < LEAST_BLOCKS["median"]:
            found |= {key: unresampled(columns, one) for key, one in ones.items()}
            continue
        effect_of = effects(
            columns,
            list(ones.values()),
            block_draws(trials.cell, terms.seed),
            resamples=min(RESAMPLES, terms.resamples),
            confidence=terms.stage.confidence,
        )
        found |= {key: effect_of[one] for key, one in ones.items()}
    return found


def _told(
    tables: Mapping[tuple[str, str], Table], path: str, arm: str, baseline: str
) -> npt.NDArray[np.bool_]:
    """In which blocks both arms tell of a resource."""
    return ~(np.isnan(tables[path, arm][None]) | np.isnan(tables[path, baseline][None]))


def _compared(
    tables: Mapping[tuple[str, str], Table], one: tuple[str, str], effect: Effect, terms: Terms
) -> ResourceComparison:
    path, arm = one
    taken = _told(tables, path, arm, terms.baseline)
    pending = terms.stage.pending is not None
    p = None
    if not pending:
        p = rank_test.p_value(tables[path, arm][None][taken], tables[path, terms.baseline][None][taken])
    return ResourceComparison(
        arm=arm,
        blocks=int(taken.sum()),
        ratio=finite(effect.ratio.value),
        ci95=_ends(effect.ratio, pending),
        difference=finite(effect.difference.value),
        ci95_difference=_ends(effect.difference, pending),
        p_value=None if p is None else min(1.0, terms.stage.looks * p),
    )


def _ends(estimate: Estimate, pending: bool) -> tuple[float | None, float | None]:
    return (None, None) if pending else (finite(estimate.low), finite(estimate.high))

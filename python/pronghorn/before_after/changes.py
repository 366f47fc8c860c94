"""What changed between two runs, cell by cell and arm by arm."""

from collections.abc import Mapping, Sequence

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import NO_EFFECT_KNOWN, RESAMPLES
from pronghorn.analysis.figures import finite, median
from pronghorn.analysis.loaded import makes_no_request
from pronghorn.analysis.numbers import listed
from pronghorn.analysis.seeds import generator
from pronghorn.analysis.times import has_failed, times
from pronghorn.analysis.titles import name_cells
from pronghorn.analysis.verdict import MINIMUM_BLOCKS, decide
from pronghorn.before_after import differing, pages, words
from pronghorn.before_after.bootstrap import change_of_medians
from pronghorn.before_after.correction import corrected, correction, p_value
from pronghorn.before_after.matching import matched
from pronghorn.before_after.recorded import RecordedRun
from pronghorn.errors import InputError
from pronghorn.model import load
from pronghorn.model.changes import ArmChange, CellChange, Changes, RunWarning
from pronghorn.model.comparison import HIGHER_IS_BETTER, Metric
from pronghorn.model.trial import Cell, Trial

OF_PAGES: tuple[Metric, ...] = ("load", "ttfb")
OF_LOADS: tuple[Metric, ...] = ("requests_per_second", "first_byte_p50")
"""What is compared, first what decides."""


def compare(before: RecordedRun, after: RecordedRun) -> Changes:
    """What changed from one run to another; InputError where they have no cell or no arm in common."""
    before, said = matched(before, after)
    earlier, later = before.cells(), after.cells()
    cells = [cell for cell in after.experiment.cells() if cell in earlier and cell in later]
    arms = [arm for arm in after.arms if arm in before.arms]
    _refuse_strangers(before, after, cells, arms)
    named = name_cells(cells)
    margins = after.experiment.margin, after.experiment.margin_s
    found = corrected([_of_cell(earlier[cell], later[cell], arms, after, named[cell]) for cell in cells])
    return Changes(
        before=str(before.path),
        after=str(after.path),
        name=after.experiment.name,
        started_before=before.manifest.get("started"),
        started_after=after.manifest.get("started"),
        margin=margins[0],
        margin_s=margins[1],
        resamples=RESAMPLES,
        headline=words.headline(found, margins),
        correction=correction(found),
        cells=found,
        matched=said,
        missing=_missing(before, after, cells, arms),
        warnings=[
            RunWarning(**caution._asdict())
            for caution in (
                *pages.cautions(earlier, later, arms, named),
                *differing.cautions(before, after, cells, arms),
            )
        ],
    )


def _refuse_strangers(
    before: RecordedRun, after: RecordedRun, cells: Sequence[Cell], arms: Sequence[str]
) -> None:
    """InputError where the runs have no cell or no arm in common."""
    if cells and arms:
        return
    what = "arm" if cells else "cell"
    theirs, ours = (
        ", ".join(run.arms if cells else sorted(map(str, run.cells()))) for run in (before, after)
    )
    hint = "Measure both with one experiment: pronghorn run EXPERIMENT --out BEFORE, later --out AFTER."
    if not cells and _but_for_origins(before) & _but_for_origins(after):
        hint = (
            "Origins with different names are compared only if they differ in version, or after ':', and "
            "each run has one such origin. To compare different servers, make them origins of one "
            "experiment."
        )
    raise InputError(
        f"{before.path} and {after.path} have no {what} in common: the first has {theirs}, the "
        f"second {ours}.",
        hint=hint,
    )


def _but_for_origins(run: RecordedRun) -> set[Cell]:
    return {cell.model_copy(update={"origin": ""}) for cell in run.cells()}


def _of_cell(
    before: CellTrials, after: CellTrials, arms: Sequence[str], run: RecordedRun, title: str
) -> CellChange:
    metrics = OF_LOADS if after.cell.client == load.CLIENT else OF_PAGES
    shared = shared_blocks(before, after)
    numbers = [{block[cell.arms[0]].block for block in cell.blocks} for cell in (before, after)]
    cell = CellChange(
        **after.cell.model_dump(),
        title=title,
        leading=metrics[0],
        paired=bool(shared),
        unpaired_blocks=len(numbers[0] ^ numbers[1]) if shared else 0,
        changes=[],
    )
    for arm in arms:
        trials = [
            [trial for trial in which.of(arm) if not shared or trial.block in shared]
            for which in (before, after)
        ]
        cell.changes.extend(_change(arm, metric, trials, cell=cell, run=run) for metric in metrics)
    return cell


def shared_blocks(before: CellTrials, after: CellTrials) -> frozenset[int]:
    """The numbers of the blocks by which two runs of a cell are paired: those that both have, where
    each has the same path seed in both and they suffice for a verdict; else none."""
    seeds = [
        {trial.block: trial.path_seed for block in cell.blocks for trial in block.values()}
        for cell in (before, after)
    ]
    common = seeds[0].keys() & seeds[1].keys()
    if len(common) < MINIMUM_BLOCKS or any(seeds[0][number] != seeds[1][number] for number in common):
        return frozenset()
    return frozenset(common)


def _change(
    arm: str, metric: Metric, trials: Sequence[list[Trial]], *, cell: CellChange, run: RecordedRun
) -> ArmChange:
    rate = metric in HIGHER_IS_BETTER
    margin, margin_s = run.experiment.margin, None if rate else run.experiment.margin_s
    before, after = (times(found, metric) for found in trials)
    rng = generator(run.experiment.seed, "compare", str(cell.cell), arm, metric)
    idle = any(makes_no_request(found) for found in trials)
    change = NO_EFFECT_KNOWN if idle else change_of_medians(before, after, rng, paired=cell.paired)
    verdict, reason = decide(
        change.ratio,
        margin=margin,
        blocks=min(len(before), len(after)),
        higher_is_better=rate,
        difference=change.difference,
        margin_of_difference=margin_s,
    )
    failed = [sum(has_failed(trial) for trial in found) for found in trials]
    if finite(change.ratio.value) is None and any(failed):
        reason = "trials failed"
    if idle:
        verdict, reason = "undecided", f"refused: {arm} made no request"
    found = ArmChange(
        arm=arm,
        metric=metric,
        before=finite(median(before)),
        after=finite(median(after)),
        blocks_before=len(before),
        blocks_after=len(after),
        failed_before=failed[0],
        failed_after=failed[1],
        ratio=finite(change.ratio.value),
        ci95=(finite(change.ratio.low), finite(change.ratio.high)),
        difference=finite(change.difference.value),
        ci95_difference=(finite(change.difference.low), finite(change.difference.high)),
        p_value=None if idle or metric != cell.leading else p_value(before, after, paired=cell.paired),
        verdict=verdict,
        reason=reason,
        words="",
    )
    said = words.sentence(found, title=cell.title, margins=(margin, margin_s), paired=cell.paired)
    return found.model_copy(update={"words": said})


def _missing(
    before: RecordedRun, after: RecordedRun, cells: Sequence[Cell], arms: Sequence[str]
) -> list[str]:
    """What only one of the runs has, in sentences."""
    said: list[str] = []
    for run, when in ((before, "before"), (after, "after")):
        alone: Mapping[str, list[str]] = {
            "cells": [str(cell) for cell in run.cells() if cell not in cells],
            "arms": [arm for arm in run.arms if arm not in arms],
        }
        for what, names in alone.items():
            if names:
                said.append(f"Left out, because only the run {when} has them: {what} {listed(names)}.")
    return said

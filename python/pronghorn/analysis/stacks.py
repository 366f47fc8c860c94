"""Whether a verdict on HTTP/3 is the protocol's or one QUIC stack's: arms that differ in their stack alone
are held against each other, beside their verdicts against the baseline.

Both arms stand in the same blocks over the same path seeds, so they are compared as any two arms are."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations

from pronghorn.analysis import stack_words
from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.bootstrap import Estimate, Pairing, effects
from pronghorn.analysis.figures import finite
from pronghorn.analysis.seeds import generator
from pronghorn.analysis.terms import Terms
from pronghorn.analysis.times import times
from pronghorn.analysis.verdict import decide, minimum_blocks
from pronghorn.model.arm import Arm, ArmError, parse
from pronghorn.model.cell import PLACES
from pronghorn.model.comparison import HIGHER_IS_BETTER, Comparison
from pronghorn.model.quic_stacks import OnStack, StackPair
from pronghorn.model.summary import CellSummary


def stacks(
    cells: Sequence[CellSummary], measured: Sequence[CellTrials], terms: Sequence[Terms]
) -> list[StackPair]:
    """What a run's cells say, which are in the experiment's order: their summaries, their trials and the
    terms by which they are judged, one a cell."""
    return [
        _pair(cell, trials, its_terms, one, other)
        for cell, trials, its_terms in zip(cells, measured, terms, strict=True)
        for one, other in _on_two_stacks(trials.arms)
        if its_terms.baseline not in (one.name, other.name)
    ]


def _on_two_stacks(names: Sequence[str]) -> Iterator[tuple[Arm, Arm]]:
    arms = []
    for name in names:
        # A record may name arms that nobody asks for any more.
        with suppress(ArmError):
            arms.append(parse(name))
    for other, one in combinations(arms, 2):
        if one.is_on_another_stack_than(other):
            yield one, other


def _pair(cell: CellSummary, trials: CellTrials, terms: Terms, one: Arm, other: Arm) -> StackPair:
    metric = cell.leading
    rng = generator(
        terms.seed, "stacks", *(getattr(trials.cell, key) for key in PLACES), one.name, other.name
    )
    mine, theirs = (times(trials.of(arm.name), metric) for arm in (one, other))
    confidence, blocks = terms.stage.confidence, len(trials.blocks)
    columns, pairing = {"one": mine, "other": theirs}, Pairing("one", "other", "median")
    found = effects(columns, [pairing], rng, resamples=terms.resamples, confidence=confidence)[pairing]
    estimate, rate = found.ratio, metric in HIGHER_IS_BETTER
    verdict, _ = decide(
        estimate,
        margin=terms.margin,
        blocks=blocks,
        least=minimum_blocks(confidence),
        higher_is_better=rate,
        difference=found.difference,
        margin_of_difference=None if rate else terms.margin_s,
    )
    if blocks < minimum_blocks(confidence):
        estimate = Estimate(estimate.value, math.nan, math.nan)
    if terms.stage.pending is not None:
        estimate, verdict = estimate.unbounded(0.0), "undecided"
    first, second = _on(cell, one), _on(cell, other)
    pair = StackPair(
        **trials.cell.model_dump(),
        title=cell.title,
        baseline=terms.baseline,
        one=first,
        other=second,
        blocks=blocks,
        ratio=finite(estimate.value),
        ci95=(finite(estimate.low), finite(estimate.high)),
        verdict=verdict,
        is_the_stacks=_disagree(first, second) and verdict in ("faster", "slower"),
        words="",
    )
    return pair.model_copy(update={"words": stack_words.of_pair(pair)})


def _on(cell: CellSummary, arm: Arm) -> OnStack:
    found: Comparison | None = cell.comparison(arm.name)
    return OnStack(
        arm=arm.name,
        stack=arm.stack,
        verdict="undecided" if found is None else found.verdict,
        ratio=None if found is None else found.ratio,
        ci95=(None, None) if found is None else found.ci95,
    )


def _disagree(one: OnStack, other: OnStack) -> bool:
    """Whether both are decided, and otherwise."""
    return "undecided" not in (one.verdict, other.verdict) and one.verdict != other.verdict

"""What simulations came to, for a person."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pronghorn.policy import lab, outcome
from pronghorn.policy.outcome import ALWAYS, LEARNED, RULES, Estimate, Report, Segment
from pronghorn.policy.parsed import Parsed

_WORST = 5
"""So many of the cells where ours loses most are told."""

_KINDS = ("all", "kind", "tcp", "network")


def of_simulations(reports: Mapping[str, dict[str, Any]], policy: Parsed, seed: int) -> str:
    """A table a simulation, and what else it says."""
    blocks = [
        "Regret: by how much requests took longer than over the better protocol, with 95 % intervals;\n"
        "'informed' knows the truth and has only Alt-Svc to act on it. "
        f"Clients pinned by the holdout are left out. Seed {seed}."
    ]
    blocks += ["\n".join(_lines(name, outcome.read(one), policy)) for name, one in reports.items()]
    return "\n\n".join(blocks)


def of_lab(found: lab.Judged) -> str:
    """A row a congestion control, then the cells where ours loses most."""
    lines = ["Regret on the run's cells, with 95 % intervals from their blocks."]
    for one in found.judgements:
        lines += ["", f"TCP with {one.control}, {one.cells} cells"]
        lines += [
            f"  {rule:<14}{_percent(value.value, value.low, value.high)}"
            for rule, value in one.regret.items()
        ]
        said = "holds" if one.holds else "does not hold"
        minus = _percent(one.minus.value, one.minus.low, one.minus.high)
        lines.append(f"  ours less {one.better}: {minus}; the bound {said}.")
    worst = sorted(found.rows, key=lambda row: min(row.regret[rule] for rule in ALWAYS) - row.regret[LEARNED])
    losing = [row for row in worst[:_WORST] if row.regret[LEARNED] > min(row.regret[rule] for rule in ALWAYS)]
    if losing:
        lines += ["", "Cells where doing the same for all does better:"]
        lines += [
            f"  {row.cell}, {row.control}: ours {row.regret[LEARNED]:.1%}, "
            + ", ".join(f"{rule} {row.regret[rule]:.1%}" for rule in ALWAYS)
            for row in losing
        ]
    return "\n".join(lines)


def _lines(name: str, report: Report, policy: Parsed) -> Iterator[str]:
    yield f"{name}: {report.clients} clients behind {report.keys} keys, {report.requests} requests"
    yield f"{'':<24}" + "".join(f"{rule:>22}" for rule in RULES) + f"{'h3 (ours)':>12}"
    for kind in _KINDS:
        segments = report.by(kind)
        if kind != "all" and len(segments) < 2:
            continue
        for segment in segments[: len(segments) if len(segments) <= 12 else 0]:
            yield _row(segment)
    yield from _cells(report, policy)
    yield _holdout(report)
    table = report.table
    yield f"Table: {table.keys} of at most {table.capacity} keys, {table.evicted} displaced."


def _row(segment: Segment) -> str:
    cells = "".join(f"{_estimate(segment.rules[rule].regret):>22}" for rule in RULES)
    mark = "" if segment.holds else "  above the bound"
    return f"{segment.name:<24}{cells}{segment.rules[LEARNED].h3:>12.0%}{mark}"


def _cells(report: Report, policy: Parsed) -> Iterator[str]:
    cells = report.by("cell")
    if not cells:
        return
    held = sum(one.holds for one in cells)
    yield (
        f"In {held} of {len(cells)} cells of round trip, loss and rate ours is within the bound: a third of "
        "the better of the two that do the same for all, or no worse where that is below 2 %."
    )
    for segment in sorted(cells, key=_loss)[:_WORST]:
        if _loss(segment) < 0:
            rules = ", ".join(
                f"{rule} {_estimate(segment.rules[rule].regret)}" for rule in (LEARNED, *ALWAYS)
            )
            yield f"  loses most at {_cell(segment, policy)}: {rules} ({segment.keys} keys)"


def _loss(segment: Segment) -> float:
    """Below zero where the better of the rules that do the same for all does better than ours."""
    minus = segment.minus[segment.better]
    return 0.0 if minus is None else -minus.value


def _cell(segment: Segment, policy: Parsed) -> str:
    if segment.cell is None:
        return segment.name
    rtt, loss, rate = segment.cell
    near: Sequence[Sequence[float]] = (policy.rtt_ms, policy.loss, policy.rate_mbit)
    if any(place >= len(values) for place, values in zip(segment.cell, near, strict=True)):
        return segment.name
    return f"{near[0][rtt]:g} ms, {near[1][loss] * 100:g} %, {near[2][rate]:g} Mbit/s"


def _holdout(report: Report) -> str:
    holdout = report.holdout
    pinned = ", ".join(f"{name} {_estimate(one)}" for name, one in report.pinned.items())
    truth = "unknown" if holdout.truth is None else f"{math.exp(holdout.truth) - 1:+.1%}"
    if holdout.told is None or holdout.told.low is None or holdout.told.high is None:
        told = "nothing yet"
    else:
        told = (
            f"{math.exp(holdout.told.value) - 1:+.1%} "
            f"({math.exp(holdout.told.low) - 1:+.1%} to {math.exp(holdout.told.high) - 1:+.1%})"
        )
    return (
        f"Holdout: response times change by {told} says the gateway, in truth by {truth}. "
        f"Regret of the pinned: {pinned}."
    )


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    return _percent(estimate.value, estimate.low, estimate.high)


def _percent(value: float, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"{value:.1%}"
    return f"{value * 100:.2f} ({low * 100:.2f}–{high * 100:.2f}) %"

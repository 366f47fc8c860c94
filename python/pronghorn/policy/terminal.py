"""What simulations came to, for a person."""

import math
from collections.abc import Iterator, Mapping, Sequence

from pronghorn.policy import bound, lab
from pronghorn.policy.bound import BEST_FIXED, Judgement
from pronghorn.policy.fit import Policy
from pronghorn.policy.interval import Interval
from pronghorn.policy.maps import SeenMap
from pronghorn.policy.outcome import ALWAYS, INFORMED, LEARNED, RULES, Estimate, Report, Segment
from pronghorn.policy.parsed import Parsed
from pronghorn.policy.unseen import Error

_WORST = 5
"""The most cells that are listed of those where ours loses most."""

_KINDS = ("all", "kind", "network")


def of_simulations(
    reports: Mapping[str, Mapping[str, Report]], judgements: Sequence[Judgement], policy: Parsed, seed: int
) -> str:
    """For each congestion control a table a simulation and what else it says, then whether the bound holds
    for it; the summary of all."""
    blocks = [
        "Regret: how much longer requests took than over the better protocol, with 95 % "
        "intervals.\n'informed' knows the truth, and only Alt-Svc to act on it. Clients pinned by the "
        f"holdout are left out. Seed {seed}."
    ]
    for control, simulations in reports.items():
        blocks.append(f"TCP with {control}")
        blocks += ["\n".join(_lines(name, one, policy)) for name, one in simulations.items()]
    blocks.append("\n".join(_bounds(judgements)))
    return "\n\n".join(blocks)


def of_halves(errors: Mapping[str, Error], found: lab.Judged) -> str:
    """How far surfaces are off where they didn't see, then the policies' regret there."""
    lines = [
        "A policy fitted to each half of the maps' points is judged by the measurements at the other half."
    ]
    lines += [f"TCP with {control}: {_off(error)}." for control, error in errors.items()]
    return "\n".join([*lines, "", of_lab(found, where="on points that the fit did not use")])


def of_fit(maps: Sequence[SeenMap], policy: Policy) -> Iterator[str]:
    """What a fit found of its own worth, and by what h3 was controlled."""
    for (control, site), error in policy.unseen.items():
        yield f"TCP with {control}, {site}: {_off(error)}, each predicted from the others."
    for control, one in policy.noise.alike.items():
        where = (
            f" where the ln ratio is 0, and by {_figure(one.slope)} more for each unit of it"
            if one.slope
            else "; the ratios of these places are too similar to show how that grows with the ratio"
        )
        yield (
            f"TCP with {control}: similar networks differ by {_figure(one.sd)} (standard deviation of "
            f"the ln ratio){where}, from {one.cells} paths in {one.groups} groups."
        )
    controls = sorted({one for seen in maps for one in seen.h3_control})
    if controls:
        yield f"h3's own congestion control: {', '.join(controls)}; the policy is for no other."
    else:
        yield "The maps don't name h3's own congestion control; the policy is for whichever it was."


def _figure(one: Interval) -> str:
    return f"{one.value:.3f} ({one.low:.3f}–{one.high:.3f})"


def _off(error: Error) -> str:
    return (
        f"the surface's ln ratio is off by {error.sd:.3f} ({error.low:.3f}–{error.high:.3f}, standard "
        f"deviation without the blocks' own noise) at {error.points} points that the fit didn't use"
    )


def of_lab(found: lab.Judged, where: str = "on the run's cells") -> str:
    """A row a congestion control, then the cells where ours loses most."""
    lines = [f"Regret {where}, with 95 % intervals from their blocks and {lab.DRAWS} simulated gateways."]
    for one in found.judgements:
        lines += ["", f"TCP with {one.control}, {one.cells} cells"]
        lines += [
            f"  {rule:<14}{_percent(value.value, value.low, value.high)}"
            for rule, value in one.regret.items()
        ]
        said = _held(one.holds)
        minus = _percent(one.minus.value, one.minus.low, one.minus.high)
        lines.append(f"  ours less {one.better}: {minus}; the bound {said}.")
        beyond = (
            f"{rule} {_percent(value.value, value.low, value.high)}" for rule, value in one.beyond.items()
        )
        lines.append(
            f"  {INFORMED} has only Alt-Svc, too. Beyond it: {', '.join(beyond)}; for these the bound "
            f"{_held(one.holds_beyond)}."
        )
    worst = sorted(found.rows, key=lambda row: min(row.regret[rule] for rule in ALWAYS) - row.regret[LEARNED])
    losing = [row for row in worst[:_WORST] if row.regret[LEARNED] > min(row.regret[rule] for rule in ALWAYS)]
    if losing:
        lines += ["", "Cells where a fixed policy does better:"]
        lines += [
            f"  {row.cell}, {row.control}: ours {row.regret[LEARNED]:.1%}, "
            + ", ".join(f"{rule} {row.regret[rule]:.1%}" for rule in ALWAYS)
            for row in losing
        ]
    return "\n".join(lines)


def _held(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _bounds(judgements: Sequence[Judgement]) -> Iterator[str]:
    yield (
        f"The bound: our regret is at most a third of {BEST_FIXED}'s: the better, for a congestion "
        "control, of offering h3 to all and to nobody. Where that one's regret is below 2 %, ours is no "
        "worse."
    )
    rules = (LEARNED, BEST_FIXED, *ALWAYS, "public-module", "informed")
    yield f"{'':<12}" + "".join(f"{rule:>22}" for rule in rules)
    for one in judgements:
        cells = "".join(f"{_estimate(one.regret[rule]):>22}" for rule in rules)
        yield f"{one.control:<12}{cells}"
    if len(judgements) > 1:
        whole = bound.summary(judgements)
        yield f"{'together':<12}" + "".join(f"{_estimate(whole[rule]):>22}" for rule in rules)
    for one in judgements:
        said = _held(one.holds)
        share = one.share
        if share is None:
            of = f"which has little regret; ours less its: {_estimate(one.minus)}"
        else:
            of = f"and ours has {share:.0%} of its regret"
        yield f"TCP with {one.control}: the bound {said}. Best fixed is {one.fixed}, {of}."
        beyond = (
            f"{rule} {one.regret[rule].value - one.regret[INFORMED].value:.2%}"
            for rule in (LEARNED, one.fixed)
        )
        yield (
            f"  {INFORMED} has only Alt-Svc, too. Beyond it: {', '.join(beyond)}; for these the bound "
            f"{_held(one.holds_beyond)}."
        )


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
        f"In {held} of {len(cells)} cells of round trip, loss and rate ours is within the bound: at most "
        "a third of the better of the two fixed policies, or no worse where that is below 2 %."
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
        f"Holdout: response times change by {told} according to the gateway, in truth by {truth}. Regret "
        f"of the pinned clients: {pinned}."
    )


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "–"
    return _percent(estimate.value, estimate.low, estimate.high)


def _percent(value: float, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"{value:.1%}"
    return f"{value * 100:.2f} ({low * 100:.2f}–{high * 100:.2f}) %"

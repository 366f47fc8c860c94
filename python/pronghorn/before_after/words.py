"""What changed, in sentences."""

from collections.abc import Sequence

from pronghorn.analysis.numbers import count, difference, interval, listed, rate, ratio, seconds
from pronghorn.analysis.words import METRICS, Margins, within
from pronghorn.model.changes import ArmChange, CellChange
from pronghorn.model.comparison import HIGHER_IS_BETTER, Metric, Verdict


def claim(verdict: Verdict, arm: str, margins: Margins) -> str:
    """The verdict on an arm against its earlier self."""
    match verdict:
        case "faster" | "slower":
            return f"{arm} is {verdict} than before"
        case "same":
            return f"{arm} is as fast as before within {within(margins)}"
        case "undecided":
            return f"undecided whether {arm} changed"


def sentence(change: ArmChange, *, title: str, margins: Margins, paired: bool) -> str:
    """One change in full: verdict, both medians, the ratio, its interval, the blocks and the failures."""
    figures = " against ".join(shown(value, change.metric) for value in (change.after, change.before))
    details = []
    bounded = change.ci95 != (None, None)
    if change.ratio is not None:
        details = [f"ratio {ratio(change.ratio, *change.ci95)}"]
        if bounded:
            details = [f"{details[0]}, 95 % interval {interval(*change.ci95)}"]
    if change.difference is not None and (bounded or change.ratio is None):
        is_time = change.metric not in HIGHER_IS_BETTER
        by = difference(change.difference, *change.ci95_difference, is_time=is_time)
        details.append(f"difference {by}")
    if change.reason is not None:
        details.append(change.reason)
    blocks = (
        f"{count(change.blocks_after, 'block')} of each run, paired by path seed"
        if paired
        else f"{count(change.blocks_after, 'block')} against {change.blocks_before}"
    )
    said = (
        f"{title}: {claim(change.verdict, change.arm, margins)}: "
        f"median {METRICS[change.metric]} {figures} before ({'; '.join([*details, blocks])})"
    )
    failed = _failures(change)
    return f"{said}; {failed}" if failed else said


def shown(value: float | None, metric: Metric) -> str:
    """A median with its unit."""
    if value is None:
        return "never (half or more failed)"
    return rate(value) if metric in HIGHER_IS_BETTER else seconds(value)


def headline(cells: Sequence[CellChange], margins: Margins) -> str:
    """One sentence on all changes of the metrics that decide."""
    found: dict[Verdict, list[str]] = {"slower": [], "faster": [], "same": [], "undecided": []}
    for cell in cells:
        for change in cell.led():
            found[change.verdict].append(f"{change.arm} on {cell.title.replace(', ', '/')}")
    phrases: dict[Verdict, str] = {
        "slower": "slower",
        "faster": "faster",
        "same": f"the same ({within(margins)})",
        "undecided": "undecided",
    }
    parts = [
        f"{phrases[verdict]}: {listed(names) if len(names) <= 6 else count(len(names), 'comparison')}"
        for verdict, names in found.items()
        if names
    ]
    return f"After the change {'; '.join(parts)}." if parts else "Nothing to compare."


def _failures(change: ArmChange) -> str:
    if not change.failed_before and not change.failed_after:
        return ""
    return (
        f"failed in {change.failed_after} of {count(change.blocks_after, 'trial')}, before in "
        f"{change.failed_before} of {change.blocks_before}"
    )

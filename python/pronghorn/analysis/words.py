"""What the statistics say, in sentences."""

from collections.abc import Mapping, Sequence

from pronghorn.analysis.numbers import count, interval, listed, percent, rate, ratio, seconds
from pronghorn.load.percentiles import PERCENTILES
from pronghorn.load.percentiles import words as percentile
from pronghorn.model.summary import (
    HIGHER_IS_BETTER,
    ArmSummary,
    CellSummary,
    Comparison,
    Metric,
    Statistic,
    Verdict,
)

_OF_LOADS = {
    f"{kind}_{key}": f"{percentile(key)} of {what}"
    for kind, what in {"connect": "connecting", "first_byte": "first byte", "total": "response"}.items()
    for key in PERCENTILES
}
METRICS: dict[str, str] = {
    "load": "load",
    "ttfb": "first byte",
    "requests_per_second": "requests per second",
    **_OF_LOADS,
}


def claim(verdict: Verdict, arm: str, baseline: str, margin: float) -> str:
    """The verdict on an arm without its figures."""
    match verdict:
        case "faster" | "slower":
            return f"{arm} is {verdict} than {baseline}"
        case "same":
            return f"{arm} is as fast as {baseline} within ±{percent(margin)}"
        case "undecided":
            return f"undecided between {arm} and {baseline}"


def sentence(
    found: Comparison, arms: Mapping[str, ArmSummary], *, title: str, margin: float, blocks: int
) -> str:
    """One comparison in full: verdict, both values, the ratio, its interval, the blocks and the failures."""
    failed = failures([found.arm, found.baseline], arms)
    uncompared = found.statistic == "mean" and found.metric not in HIGHER_IS_BETTER
    if uncompared and any(arm.failed for arm in arms.values()):
        said = f"{title}: the means of {found.arm} and {found.baseline} aren't compared, since trials failed"
    else:
        said = f"{title}: {claim(found.verdict, found.arm, found.baseline, margin)}: {_figures(found, arms)}"
        details = []
        if found.ratio is not None:
            details = [
                f"ratio {ratio(found.ratio, *found.ci95)}",
                f"95 % interval {interval(*found.ci95)}",
            ]
        tail = [", ".join(details), found.reason, count(blocks, "block")]
        said += f" ({'; '.join(filter(None, tail))})"
    return f"{said}; {failed}" if failed else said


def _figures(found: Comparison, arms: Mapping[str, ArmSummary]) -> str:
    mine, theirs = (_value(arms[name], found.metric, found.statistic) for name in (found.arm, found.baseline))
    what = f"{found.statistic} {METRICS[found.metric]}"
    return f"{what} {mine} against {theirs}"


def _value(arm: ArmSummary, metric: Metric, statistic: Statistic) -> str:
    value = getattr(arm.of(metric), statistic)
    if value is not None:
        return rate(value) if metric == "requests_per_second" else seconds(value)
    return "none" if statistic == "mean" or not arm.n else "never (half or more failed)"


def failures(names: Sequence[str], arms: Mapping[str, ArmSummary]) -> str:
    """`h1 failed in 2 of 12 trials (timeout 2), h3 in none`; empty where nothing failed."""
    if not any(arms[name].failed for name in names):
        return ""
    parts: list[str] = []
    for name in names:
        arm = arms[name]
        reasons = ", ".join(f"{reason} {number}" for reason, number in arm.failures.items())
        often = f"{arm.failed} of {count(arm.n, 'trial')} ({reasons})" if arm.failed else "none"
        parts.append(f"{name} {'in' if parts else 'failed in'} {often}")
    return ", ".join(parts)


def objection(median: Comparison, mean: Comparison) -> str | None:
    """What the mean says where it differs from the median's verdict; None where they agree or there is no
    mean.
    """
    if mean.verdict == median.verdict or mean.ratio is None:
        return None
    figures = f"ratio {ratio(mean.ratio, *mean.ci95)}, 95 % interval {interval(*mean.ci95)}"
    match mean.verdict:
        case "undecided":
            return f"but the mean leaves it undecided ({figures})"
        case "same":
            return f"but by the mean they are the same ({figures})"
        case _:
            return f"but by the mean {mean.arm} is {mean.verdict} ({figures})"


def headline(
    arm: str, baseline: str, cells: Sequence[CellSummary], margin: float, label: str | None = None
) -> str:
    """One sentence on an arm over all cells: where it is faster, slower, the same, or undecided."""
    places: dict[Verdict, list[str]] = {"faster": [], "slower": [], "same": [], "undecided": []}
    for cell in cells:
        found = cell.comparison(arm)
        if found is not None:
            places[found.verdict].append(cell.title)
    phrases = {
        "faster": f"faster than {baseline} on",
        "slower": f"slower than {baseline} on",
        "same": f"as fast as {baseline} (±{percent(margin)}) on",
        "undecided": "undecided on",
    }
    parts = [f"{phrases[verdict]} {_places(titles)}" for verdict, titles in places.items() if titles]
    qualified = f" ({label})" if label else ""
    return f"{arm} is {'; '.join(parts)}{qualified}." if parts else f"{arm}: nothing measured{qualified}."


def _places(titles: Sequence[str]) -> str:
    """The cells, each as one word, since its title may have commas of its own."""
    if len(titles) > 6:
        return f"{len(titles)} cells"
    return listed([title.replace(", ", "/") for title in titles])

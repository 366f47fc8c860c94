"""What the statistics say, in sentences."""

from collections.abc import Mapping, Sequence

from pronghorn.analysis.failing import told
from pronghorn.analysis.numbers import (
    count,
    difference,
    interval,
    listed,
    percent,
    rate,
    ratio,
    seconds,
)
from pronghorn.analysis.superiority import Superiority
from pronghorn.model.percentiles import PERCENTILES
from pronghorn.model.percentiles import words as percentile
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
    "lcp": "largest contentful paint",
    "requests_per_second": "requests per second",
    **_OF_LOADS,
}


STATISTICS: dict[Statistic, str] = {
    "median": "median",
    "mean": "mean",
    "trimmed_mean": "trimmed mean",
    "p75": "p75",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
}

Margins = tuple[float, float | None]
"""The margins within which arms count as the same: a fraction and, optionally, a time in seconds."""


def within(margins: Margins) -> str:
    """`±3 %`, `±3 % or ±10 ms`."""
    fraction, time_s = margins
    if time_s is None:
        return f"±{percent(fraction)}"
    time = f"{time_s * 1000:.3g} ms" if time_s < 1 else f"{time_s:.3g} s"
    return f"±{percent(fraction)} or ±{time}"


def claim(verdict: Verdict, arm: str, baseline: str, margins: Margins) -> str:
    """The verdict on an arm without its figures."""
    match verdict:
        case "faster" | "slower":
            return f"{arm} is {verdict} than {baseline}"
        case "same":
            return f"{arm} is as fast as {baseline} within {within(margins)}"
        case "undecided":
            return f"undecided between {arm} and {baseline}"


def sentence(
    found: Comparison,
    arms: Mapping[str, ArmSummary],
    better: Superiority | None,
    *,
    title: str,
    margins: Margins,
    blocks: int,
    sequential: bool = False,
) -> str:
    """One comparison in full: verdict, both values, their ratio and difference with intervals, in how many
    blocks the arm was the faster one, and the failures. A `sequential` interval holds at whichever look
    sampling stops."""
    uncompared = found.statistic == "mean" and found.metric not in HIGHER_IS_BETTER
    if uncompared and any(arm.failed for arm in arms.values()):
        said = (
            f"{title}: the means of {found.arm} and {found.baseline} aren't compared, because trials failed"
        )
    else:
        said = f"{title}: {claim(found.verdict, found.arm, found.baseline, margins)}: {_figures(found, arms)}"
        tail = [*_effect(found, sequential), found.reason, _often(found, better, blocks)]
        said += f" ({'; '.join(filter(None, tail))})"
    failed = failures([found.arm, found.baseline], arms)
    return "; ".join(filter(None, [said, failed, _finished(found), found.caution]))


def _effect(found: Comparison, sequential: bool) -> list[str]:
    if found.ratio is None:
        return []
    if found.ci95 == (None, None) and found.reason is not None:
        return [f"ratio {ratio(found.ratio)}"]
    kind = "95 % sequential interval" if sequential else "95 % interval"
    of = f"ratio {ratio(found.ratio, *found.ci95)}, {kind} {interval(*found.ci95)}"
    is_time = found.metric not in HIGHER_IS_BETTER
    by = difference(found.difference, *found.ci95_difference, is_time=is_time)
    return [of, f"difference {by}"] if found.difference is not None else [of]


def _often(found: Comparison, better: Superiority | None, blocks: int) -> str:
    if better is None or found.ratio is None:
        return count(blocks, "block")
    alike = f", equal in {better.alike}" if better.alike else ""
    return f"faster in {better.better} of {count(blocks, 'block')}{alike}"


def _finished(found: Comparison) -> str:
    """What the ratio is where failed loads are left out."""
    if found.finished is None or found.finished.ratio is None:
        return ""
    shown = f"ratio is {ratio(found.finished.ratio, *found.finished.ci95)}"
    if found.finished.ci95 != (None, None):
        shown += f", 95 % interval {interval(*found.finished.ci95)}"
    where = f"in {count(found.finished.blocks, 'block')} in which both loaded"
    return f"{where} the {shown}" if found.finished.blocks else ""


def _figures(found: Comparison, arms: Mapping[str, ArmSummary]) -> str:
    mine, theirs = (_value(arms[name], found.metric, found.statistic) for name in (found.arm, found.baseline))
    what = f"{STATISTICS[found.statistic]} {METRICS[found.metric]}"
    return f"{what} {mine} against {theirs}"


def _value(arm: ArmSummary, metric: Metric, statistic: Statistic) -> str:
    value = getattr(arm.of(metric), statistic)
    if value is not None:
        return rate(value) if metric == "requests_per_second" else seconds(value)
    if statistic == "mean" or not arm.n:
        return "none"
    return f"never ({'half or more' if statistic == 'median' else 'too many'} failed)"


def failures(names: Sequence[str], arms: Mapping[str, ArmSummary]) -> str:
    """`h1 failed in 2 of 12 trials (timeout 2), h3 in none`; empty where nothing failed. Of an arm that never
    loaded the commonest detail stands there too."""
    if not any(arms[name].failed for name in names):
        return ""
    parts: list[str] = []
    for name in names:
        arm = arms[name]
        reasons = ", ".join(f"{reason} {number}" for reason, number in arm.failures.items())
        if arm.failed == arm.n and arm.failure is not None and arm.failure.detail:
            reasons += f": {told(arm.failure.detail)}"
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
    if mean.caution is not None:
        figures += f"; {mean.caution}"
    match mean.verdict:
        case "undecided":
            return f"but the mean is undecided ({figures})"
        case "same":
            return f"but the means are the same ({figures})"
        case _:
            return f"but the mean of {mean.arm} is {mean.verdict} ({figures})"


def headline(
    arm: str, baseline: str, cells: Sequence[CellSummary], margins: Margins, label: str | None = None
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
        "same": f"as fast as {baseline} ({within(margins)}) on",
        "undecided": "undecided on",
    }
    parts = [f"{phrases[verdict]} {_places(titles)}" for verdict, titles in places.items() if titles]
    qualified = f" ({label})" if label else ""
    return f"{arm} is {'; '.join(parts)}{qualified}." if parts else f"{arm}: nothing measured{qualified}."


def alone(arm: str) -> str:
    """The sentence on a run of a single arm."""
    return f"Only {arm} was run, so there is nothing to compare it with."


def _places(titles: Sequence[str]) -> str:
    """The cells, each as one word, since its title may have commas of its own."""
    if len(titles) > 6:
        return f"{len(titles)} cells"
    return listed([title.replace(", ", "/") for title in titles])

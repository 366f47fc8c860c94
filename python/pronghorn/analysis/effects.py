"""By how much an arm differs from the baseline, in the fewest words: `22 % faster (10 to 39 %)`."""

from typing import NamedTuple

from pronghorn.model.summary import HIGHER_IS_BETTER, Comparison, Interval

_TWICE = 2.0
"""From this factor on a factor is said, and no percentage."""


class Effect(NamedTuple):
    """`words` have the verdict and by how much, `range_words` the interval in the same unit, or why there is
    none."""

    words: str
    range_words: str


def effect(found: Comparison) -> Effect:
    """The effect of a comparison of medians."""
    if not found.ratio or found.verdict in ("same", "undecided"):
        words = {"same": f"as fast as {found.baseline}", "undecided": "undecided"}
        return Effect(words.get(found.verdict, found.verdict), _either_side(found))
    places = _places(found.ci95)
    rate = found.metric in HIGHER_IS_BETTER
    if 1 / _TWICE <= found.ratio <= _TWICE:
        change, low, high = (_percent(end, places) for end in (found.ratio, *found.ci95))
        more = ("more" if found.ratio > 1 else "fewer") if rate else found.verdict
        return Effect(f"{change} % {more}{' requests/s' if rate else ''}", _ends(low, high, " %"))
    flipped = found.ratio < 1 and not rate
    factor, low, high = (_factor(end, flipped=flipped) for end in (found.ratio, *found.ci95))
    said = "the requests/s" if rate else "as fast" if flipped else "as slow"
    return Effect(f"{factor} times {said}", _ends(low, high, " times"))


def change(found: Comparison) -> str:
    """By how much the median of a time or a rate changes in per cent, signed: `-22`; `–` without a ratio."""
    if found.ratio is None:
        return "–"
    text = f"{(found.ratio - 1) * 100:+.0f}"
    return "0" if text in ("+0", "-0") else text


def _either_side(found: Comparison) -> str:
    """An interval whose ends may lie on different sides of no difference."""
    low, high = found.ci95
    if (low, high) == (None, None):
        return found.reason or ""
    better, worse = ("fewer", "more") if found.metric in HIGHER_IS_BETTER else ("faster", "slower")
    first, last = (_percent(end, _places(found.ci95)) for end in (low, high))
    sides = [better if end is not None and end < 1 else worse for end in (low, high)]
    if sides[0] == sides[1]:
        return f"{_ends(first, last, ' %')} {sides[0]}"
    return f"{first} % {sides[0]} to {'∞' if high is None else f'{last} % {sides[1]}'}"


def _ends(low: str, high: str, unit: str) -> str:
    """The ends of an interval, the one nearer to no difference first; where both read alike, how narrow it
    is."""
    first, last = sorted((low, high), key=lambda end: float("inf") if end == "∞" else float(end))
    if first == last:
        return f"within {'0.1' if '.' in first else '1'}{unit}"
    return f"{first} to {last}{'' if last == '∞' else unit}"


def _percent(ratio: float | None, places: int) -> str:
    """The change that a ratio is, without its sign, in per cent."""
    return "∞" if ratio is None else f"{abs(ratio - 1) * 100:.{places}f}"


def _factor(ratio: float | None, *, flipped: bool) -> str:
    """A factor to two digits, or to three where no difference is near; its inverse where it is `flipped`."""
    value = (1 / ratio if ratio else None) if flipped else ratio
    if value is None:
        return "∞"
    return f"{value:.{2 if value < _TWICE else 1 if value < 10 else 0}f}"


def _places(ci95: Interval) -> int:
    """The decimals of a percentage that its interval is narrow enough for."""
    low, high = ci95
    return 0 if low is None or high is None or high - low >= 0.03 else 1

"""What an explanation says, in sentences."""

from collections.abc import Sequence

from pronghorn.analysis.numbers import count, interval, ratio, seconds
from pronghorn.analysis.words import METRICS
from pronghorn.model.summary import Change, Explained, Step

_FINE = 0.05
"""An interval narrower than this gives its share a decimal."""


def sentence(found: Explained) -> str:
    """One explanation in full: the steps' shares with their intervals, or why there are none and what the
    steps come to."""
    total, blocks = found.total, count(found.blocks, "block")
    what = f"median {METRICS[found.metric]}"
    if found.reason is not None:
        steps = ", then ".join(f"{step.name} {_ratio(step)}" for step in found.steps)
        return (
            f"{found.title}: {what} of {total.to_arm} against {total.from_arm}: ratio {_ratio(total)}; "
            f"no shares, since {found.reason} ({steps}; {blocks})"
        )
    first, *rest = found.steps
    said = f"{found.title}: {first.name} explains {_share(first)} of {extent(total)}"
    others = "".join(f", then {step.name} {_share(step)}" for step in rest)
    return f"{said}{others} ({what}, ratio {_ratio(total)}; {blocks})"


def extent(total: Change) -> str:
    """`h3's taking 8.2 % longer than h2`; of a ratio that is known."""
    value = total.ratio if total.ratio is not None else 1.0
    if value >= 2:
        how = f"taking {value:.3g} times as long as"
    elif value >= 1:
        how = f"taking {_per_cent(value - 1)} longer than"
    else:
        how = f"taking {_per_cent(1 - value)} less time than"
    return f"{total.to_arm}'s {how} {total.from_arm}"


def share(value: float | None, ends: Sequence[float] | None) -> str:
    """`62 % [48 %, 79 %]`, with a decimal where the interval is narrow; `–` for none."""
    if value is None or ends is None:
        return "–"
    low, high = ends
    places = 1 if high - low < _FINE else 0
    shown, *around = (f"{round(100 * one, places) + 0.0:.{places}f} %" for one in (value, low, high))
    return f"{shown} [{', '.join(around)}]"


def signed(value_s: float | None) -> str:
    """A difference of times: `+35.0 ms`, `-1.20 s`, `0 ms`; `–` for none."""
    sign = "+" if value_s is not None and value_s > 0 else ""
    return f"{sign}{seconds(value_s)}"


def _share(step: Step) -> str:
    against = ", in the opposite direction" if step.share is not None and step.share < 0 else ""
    return f"{share(step.share, step.share_ci95)} ({signed(step.difference_s)}{against})"


def _ratio(change: Change) -> str:
    if change.ratio is None:
        return "not known"
    said = ratio(change.ratio, *change.ci95)
    return said if change.ci95 == (None, None) else f"{said}, 95 % interval {interval(*change.ci95)}"


def _per_cent(part: float) -> str:
    value = 100 * part
    return f"{value:.1f} %" if value < 10 else f"{value:.0f} %"

"""From a comparison of two numbers to a finding: what the estimate says, and where the interval says
otherwise how far it reaches."""

from collections.abc import Callable

from pronghorn.checks.known import Judgement, Known, judge
from pronghorn.checks.result import Finding


def finding(
    title: str,
    comparison: tuple[Known, str, Known],
    *,
    surely: bool,
    told: str,
    show: Callable[[float], str],
    blocks: bool = True,
) -> Finding:
    """The finding on `left` OP `right`. `told` is the evidence so far, `show` writes a number with its unit;
    without enough `blocks` there are no intervals."""
    left, operator, right = comparison
    found = judge(operator, left, right)
    if found is Judgement.PLAIN and surely:
        lacking = "it has no interval" if blocks else "too few blocks"
        return Finding(title, False, f"{told}; this is not certain: {lacking}")
    doubtful = found is Judgement.LIKELY
    reached = _reach(operator, left, right, found, show)
    return Finding(
        title,
        found.holds and not (doubtful and surely),
        f"{told}; {reached}" if reached else told,
        doubtful=doubtful,
    )


def _reach(
    operator: str, left: Known, right: Known, found: Judgement, show: Callable[[float], str]
) -> str | None:
    """What the interval says beside the estimate; None where it says the same or there is none."""
    if found not in (Judgement.LIKELY, Judgement.UNLIKELY):
        return None
    if _is_exact(right) and left.interval is not None:
        (low, high), sign = left.interval, operator
    elif _is_exact(left) and right.interval is not None:
        (low, high), sign = right.interval, _MIRRORED[operator]
    else:
        return "this is the estimate; the intervals leave it open"
    if sign not in _UPPER:
        return "this is the estimate; the interval leaves it open"
    end = high if _UPPER[sign] == (found is Judgement.LIKELY) else low
    return f"this is the estimate; the interval reaches {show(end)}"


def _is_exact(known: Known) -> bool:
    return known.interval is not None and known.interval[0] == known.interval[1]


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_UPPER = {"<": True, "<=": True, ">": False, ">=": False}
"""Whether a comparison bounds its left side from above."""

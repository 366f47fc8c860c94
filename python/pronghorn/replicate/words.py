"""Values, bounds and verdicts of a replication for a person."""

import math
from collections.abc import Sequence

from pronghorn.analysis import numbers
from pronghorn.analysis.numbers import count, listed
from pronghorn.model.expression import Kind
from pronghorn.model.summary import Metric
from pronghorn.replicate.result import Apart, Cause, Effect, InSetting, Tested, Value

_METRICS: dict[str, str] = {
    "load": "load time",
    "ttfb": "first byte",
    "requests_per_second": "requests per second",
}
_STATISTICS: dict[str, str] = {"iqr": "interquartile range of"}
_APART: dict[Apart, str] = {"one run": "", "runs": ", in another run", "hosts": ", on another host"}


def statistic(name: str) -> str:
    """`median`, `interquartile range of`."""
    return _STATISTICS.get(name, name)


def heading(name: str) -> str:
    """`median`, `interquartile range`."""
    return statistic(name).removesuffix(" of")


def quantity(found: Tested | Effect) -> str:
    """What is compared: `h3 ÷ h2 on virginia-cloud, mean load time`."""
    return f"{found.what}, {statistic(found.statistic)} {_METRICS.get(found.metric, found.metric)}"


def ours(value: Value, kind: Kind, metric: Metric) -> str:
    """A value with its interval: `0.52 [0.44 to 0.61]`; what is missing says why."""
    if value.value is None:
        return value.reason or "not finite, because loads failed"
    low, high = value.ci95
    if kind == "difference":
        is_time = metric != "requests_per_second"
        if value.ci95 == (None, None):
            said = _signed(value.value, metric)
        else:
            said = numbers.difference(value.value, low, high, is_time=is_time)
    else:
        said = numbers.ratio(value.value, low, high)
        if value.ci95 != (None, None):
            said += f" [{numbers.interval(low, high)}]"
        if value.value == 0:
            said += " (too few loads of the second arm succeeded)"
    return said if value.reason is None else f"{said} ({value.reason})"


def theirs(value: tuple[float, float] | float | None, kind: Kind, metric: Metric) -> str:
    """The published value, or range."""
    if value is None:
        return "–"
    low, high = value if isinstance(value, tuple) else (value, value)
    if kind == "difference":
        ends = [_signed(end, metric) for end in dict.fromkeys((low, high))]
    else:
        ends = [numbers.ratio(end) if end >= 0.1 else f"{end:.3g}" for end in dict.fromkeys((low, high))]
    return " to ".join(ends)


def bounds(found: Tested) -> str:
    """`at least 1.5`, `0.65 to 0.87`, `above 0 s`."""
    ends = [None if end is None else _bound(end, found) for end in (found.least, found.most)]
    if ends[0] is None:
        return f"at most {ends[1]}"
    return f"at least {ends[0]}" if ends[1] is None else f"{ends[0]} to {ends[1]}"


def decider(found: Tested) -> str:
    """`the end that decides is 1.496`, where rounding makes an end of the interval look like the bound."""
    if found.kind == "difference" or found.state == "undecided":
        return ""
    ends = [end for end in found.ours.ci95 if end is not None]
    bounds = [end for end in (found.least, found.most) if end is not None]
    close = [end for end in ends for bound in bounds if f"{end:.2f}" == f"{bound:.2f}"]
    return f"the end that decides is {close[0]:.5g}" if close else ""


def spoilt(found: Tested) -> str:
    """`of a choice: 18 of 25 loads of h3 on tiny/delay-loss were contaminated`; empty where few were."""
    told = [f"{number} of {tried} loads of {where}" for where, (number, tried) in found.spoilt.items()]
    return f"from a selection: {listed(told)} were contaminated" if told else ""


def told(value: Value, of: Tested | Effect) -> str:
    """A value with its interval, and which loads behind it failed."""
    return "; ".join(filter(None, (ours(value, of.kind, of.metric), failed(value))))


def failed(value: Value) -> str:
    """`failed: 3 loads of h2 on wroclaw-lte-poor`; empty where none did."""
    told = [f"{count(number, 'load')} of {where}" for where, number in value.failed.items()]
    return f"failed: {listed(told)}" if told else ""


def differs(found: Tested) -> str:
    """Both values, and what they are made of: `ours 0.81 [0.77 to 0.85] (2.67 s ÷ 3.31 s), theirs 0.52 (6.69
    s ÷ 12.9 s)`."""
    mine = f"ours {ours(found.ours, found.kind, found.metric)}{_made_of(found.terms, found)}"
    if found.theirs is None:
        return mine
    return (
        f"{mine}, theirs {theirs(found.theirs, found.kind, found.metric)}{_made_of(found.their_terms, found)}"
    )


def reasons(found: Tested) -> list[str]:
    """Why a part is not reproduced, as far as it was measured: what leads to theirs, a sentence each."""
    if not found.causes:
        return ["No factor that could move it was measured at this size."]
    towards = [_cause(one, found) for one in found.causes if one.direction == "towards"]
    if towards:
        return towards
    untold = [one for one in found.causes if not _tells(one)]
    if len(untold) == len(found.causes):
        return [f"The measurements are too few to tell what leads to {_aim(found)}."]
    but = f". {count(len(untold), 'change')} could not be judged" if untold else ""
    return [f"Nothing that was measured certainly leads to {_aim(found)}{but}."]


def measured_as_well(found: Tested) -> list[str]:
    """What was measured and doesn't lead to theirs, in one sentence; none where there is nothing."""
    others = [one for one in found.causes if one.direction != "towards"]
    leads = {"away": f"away from {_aim(found)}", "not told": "no certain change"}
    told = "; ".join(
        f"with {_under(one, found)}, {leads[one.direction] if _tells(one) else 'which tells nothing'}"
        for one in others
    )
    return [f"Also measured: {told}."] if told else []


def sensitivity(found: Sequence[Effect]) -> list[str]:
    """For each effect that was measured in several settings: which of them agree with what was published."""
    said = []
    for one in found:
        told_in = [at for at in one.settings if at.ours.value is not None]
        if one.theirs is None or len(told_in) < 2:
            continue
        told = "; ".join(
            f"{at.setting}: {ours(at.ours, one.kind, one.metric)}{_made_of(at.terms, one)}"
            f"{', which holds theirs' if at.agrees else ''}"
            for at in told_in
        )
        published = f"{theirs(one.theirs, one.kind, one.metric)}{_made_of(one.terms, one)}"
        said.append(f"{quantity(one)}: theirs {published}. {told}. {_nearest(one, told_in)}")
    return said


def _nearest(effect: Effect, told_in: Sequence[InSetting]) -> str:
    """Which of the settings that have an interval is nearest, and whether any holds theirs."""
    known = [at for at in told_in if at.agrees is not None]
    if not known:
        return "No setting has an interval."
    said = [] if any(at.agrees for at in known) else ["No interval holds their value."]
    if len(known) < len(told_in):
        only = f"{'Only ' if len(known) == 1 else ''}{listed([at.setting for at in known])}"
        said.append(f"{only} {'has' if len(known) == 1 else 'have'} an interval.")
    if effect.nearest:
        said.append(f"Nearest{' of these' if len(known) < len(told_in) else ''}: {effect.nearest}.")
    return " ".join(said)


def _made_of(terms: Sequence[float | None], effect: Effect | Tested) -> str:
    """The two figures that an effect compares, since an equal ratio may be one of quite other times:
    ` (6.69 s ÷ 12.9 s)`."""
    known = [one for one in terms if one is not None]
    if len(known) < len(terms) or len(known) != 2:
        return ""
    first, second = (_signed(one, effect.metric) for one in known)
    return f" ({first} {'÷' if effect.kind == 'ratio' else '−'} {second})"


SENSITIVITY = "Open points, and which setting's interval holds their value (a wide one holds much):"


def _tells(one: Cause) -> bool:
    """Whether enough was measured under a change for it to be one, or none."""
    return one.change_ci95 != (None, None)


def _cause(one: Cause, found: Tested) -> str:
    past = _passes(one, found)
    ends = {
        "reproduced": "within the bounds",
        "not reproduced": "outside the bounds on the other side" if past else "still outside the bounds",
    }
    where = ends.get(one.state, "possibly within the bounds")
    way = f"past {_aim(found)}" if past else f"towards {_aim(found)}"
    return f"With {_under(one, found)}, {way}, {where}."


def _passes(one: Cause, found: Tested) -> bool:
    """Whether a change leads past theirs to their other side."""
    least, most = found.theirs if found.theirs is not None else (found.least, found.most)
    if least is None or most is None:
        return False
    before, after = (math.inf if value.value is None else value.value for value in (found.ours, one.ours))
    return before < least <= most < after or after < least <= most < before


def _aim(found: Tested) -> str:
    """What a change may lead to: the published value, or the bounds where none was published."""
    return "the bounds" if found.theirs is None else "theirs"


def _under(one: Cause, found: Tested) -> str:
    """What a change of the setting makes of a value: `loss both ways: 0.54 [0.5 to 0.6] (0.5 [0.4 to 0.6]
    times as much)`; and whether it was measured in another run, or on another host."""
    under = f"{one.factor}: {ours(one.ours, found.kind, found.metric)}{_made_of(one.terms, found)}"
    if one.change is None:
        return under + _APART[one.apart]
    change = ours(Value(value=one.change, ci95=one.change_ci95), found.kind, found.metric)
    by = f"{change} more" if found.kind == "difference" else f"{change} times as much"
    return f"{under}, {by}{_APART[one.apart]}"


def _bound(end: float, found: Tested) -> str:
    if found.kind == "difference":
        return _signed(end, found.metric)
    places = 4 if math.isclose(end, round(end, 4), abs_tol=1e-9) else 3
    return f"{end:.{places}f}".rstrip("0").rstrip(".")


def _signed(value: float | None, metric: Metric) -> str:
    if value is None:
        return "–"
    if metric == "requests_per_second":
        return numbers.rate(value)
    return numbers.seconds(value) if value else "0"

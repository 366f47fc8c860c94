"""What a map says, in sentences that a person can act on."""

import math

import numpy as np

from pronghorn.analysis.numbers import count, listed
from pronghorn.mapping.boxes import Box, Cut, boxes
from pronghorn.mapping.domain import AXES
from pronghorn.mapping.fitted import VERDICTS, Fitted
from pronghorn.model.summary import Verdict

HEADING = {"h1": "HTTP/1.1", "h2": "HTTP/2", "h3": "HTTP/3"}
"""What arms without options are called in a sentence."""

_OF = {"rtt": " of round trip", "loss": " of loss", "rate": ""}


def sentences(found: Fitted, *, site: str, arm: str, baseline: str) -> list[str]:
    """Where the arm wins, where it costs, and how much of the map is left in doubt."""
    mine, theirs = (HEADING.get(name, name) for name in (arm, baseline))
    wins, costs = boxes(found.probability["faster"]), boxes(found.probability["slower"])
    said = [f"On {site}, {mine} {_won(found, wins, theirs)}; {_cost(found, costs)}."]
    same = boxes(found.probability["same"], most=1)
    if same:
        where, sure = _capital(_places(found, same)), _sure(found, same, "same")
        said.append(f"{where} it {sure}makes no difference beyond ±{percent(found.margin)}.")
    undecided = found.share("undecided")
    if undecided > 0:
        said.append(f"{percent(undecided)} of the map is undecided.")
    return said


def _won(found: Fitted, wins: list[Box], theirs: str) -> str:
    if not wins:
        return f"wins {_scattered(found, 'faster')} against {theirs}"
    sure = _sure(found, wins, "faster")
    return f"{sure}wins against {theirs} {_places(found, wins)} ({_effect(found, wins, 'less')})"


def _cost(found: Fitted, costs: list[Box]) -> str:
    if not costs:
        return f"it costs {_scattered(found, 'slower')}"
    sure = _sure(found, costs, "slower")
    return f"{_places(found, costs)} it {sure}costs ({_effect(found, costs, 'more')})"


def _scattered(found: Fitted, verdict: Verdict) -> str:
    share = found.share(verdict)
    if not share:
        return "nowhere for certain"
    return f"in places that no simple rule describes ({percent(share)} of the map)"


def _effect(found: Fitted, where: list[Box], word: str) -> str:
    """The median of the mean surface over the boxes."""
    nodes = np.logical_or.reduce([one.nodes for one in where])
    change = abs(math.expm1(float(np.median(found.mean[nodes]))))
    return f"about {percent(change)} {word} load time"


def _sure(found: Fitted, where: list[Box], verdict: Verdict) -> str:
    """`probably ` where less than half of the boxes is in the verdict's region, which holds with 95 %."""
    nodes = np.logical_or.reduce([one.nodes for one in where])
    decided = found.region[nodes] == VERDICTS.index(verdict)
    return "" if float(np.mean(decided)) >= 0.5 else "probably "


def _places(found: Fitted, where: list[Box]) -> str:
    if not all(one.cuts for one in where):
        return "everywhere on this map"
    return ", or ".join(" and ".join(_condition(found, cut) for cut in _ordered(one)) for one in where)


def _ordered(box: Box) -> list[Cut]:
    return sorted(box.cuts, key=lambda cut: (cut.axis != 1, cut.axis))


def _condition(found: Fitted, cut: Cut) -> str:
    value = found.values(cut.axis)[cut.node]
    axis = AXES[cut.axis]
    if axis == "loss" and value == 0:
        return "without loss"
    side = "above" if cut.upwards else "below"
    return f"{side} about {quantity(axis, value)}{_OF[axis]}"


def quantity(axis: str, value: float) -> str:
    """A value of an axis with its unit: two digits, as far as a map's nodes can tell."""
    if axis == "rtt":
        return f"{_digits(value * 1e3)} ms"
    if axis == "loss":
        return f"{_digits(value * 100)} %"
    unit, worth = next(
        (unit, worth)
        for unit, worth in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0))
        if value >= worth or worth == 1
    )
    return f"{_digits(value / worth)} {unit}"


def axis_words(found: Fitted) -> str:
    """What was explored: `round trip 5 to 300 ms`, and so on."""
    names = ("round trip", "loss down", "rate")
    parts = []
    for axis, name in zip(found.domain, names, strict=True):
        low, high = quantity(axis.name, axis.low), quantity(axis.name, axis.high)
        parts.append(f"{name} {low}" if axis.fixed else f"{name} {low} to {high}")
    return listed(parts)


def measured_words(points: int, blocks: int, trials: int) -> str:
    """`100 points, 300 blocks, 600 trials`."""
    return listed([count(points, "point"), count(blocks, "block"), count(trials, "trial")])


def _digits(value: float) -> str:
    if value == 0:
        return "0"
    return f"{float(f'{value:.2g}'):.6f}".rstrip("0").rstrip(".")


def percent(share: float) -> str:
    """A share in per cent, to two digits."""
    return f"{_digits(share * 100)} %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

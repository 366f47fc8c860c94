"""What the parts of load times say, in sentences."""

from collections.abc import Mapping

from pronghorn.analysis.explain_words import signed
from pronghorn.analysis.numbers import count, listed, percent, seconds
from pronghorn.model.summary import CellSummary
from pronghorn.model.why import PARTS, ArmWhy, Part

NAMES: Mapping[Part, str] = {
    "lookup": "name look-up",
    "handshake": "handshake",
    "request": "request round trips",
    "server": "server",
    "bandwidth": "bandwidth",
    "congestion": "congestion window",
    "flow_control": "flow control",
    "recovery": "loss recovery",
    "head_of_line": "head of line",
    "client": "client",
    "other": "other",
}

_SHOWN = 0.9
"""A sentence names the largest differences of parts, in either direction, until they make up this share of
all; but only a few."""

_MOST_NAMED = 5

_MOST_OTHER, _TOO_MUCH = 0.05, 0.5
"""Above the first share of unexplained time, a sentence mentions it. Above the second, nothing is compared.
"""


def sentences(cell: CellSummary, baseline: str) -> list[str]:
    """One sentence for each arm whose parts are known beside the baseline's, then what to know of them."""
    theirs = cell.why.get(baseline)
    if theirs is None:
        return []
    compared = [
        _compared(cell, arm, mine, baseline, theirs)
        for arm, mine in cell.why.items()
        if arm != baseline and max(_untold(mine), _untold(theirs)) < _TOO_MUCH
    ]
    return [*compared, *(note for arm, mine in cell.why.items() if (note := _caution(arm, mine)))]


def _compared(cell: CellSummary, arm: str, mine: ArmWhy, baseline: str, theirs: ArmWhy) -> str:
    change = mine.load_s - theirs.load_s
    way = "longer" if change > 0 else "shorter"
    whole = f"{cell.title}: {arm}'s median load is {seconds(abs(change))} {way} than {baseline}'s"
    named = _largest({part: mine.parts[part] - theirs.parts[part] for part in PARTS})
    by_part = ", ".join(f"{NAMES[part]} {signed(difference)}" for part, difference in named.items())
    both = ((arm, mine), (baseline, theirs))
    few = [f"{one.n} of {cell.blocks} of {name}" for name, one in both if one.n < cell.blocks]
    of = f" (of the loads that ended: {listed(few)})" if few else ""
    undecided = any(one.arm == arm and one.verdict == "undecided" for one in cell.led())
    chance = ", which may be chance" if undecided else ""
    return f"{whole}{of}{chance}" + (f"; by the medians of its parts: {by_part}" if by_part else "")


def _largest(differences: Mapping[Part, float]) -> dict[Part, float]:
    total = sum(map(abs, differences.values()))
    found: dict[Part, float] = {}
    for part, difference in sorted(differences.items(), key=lambda item: -abs(item[1])):
        enough = sum(map(abs, found.values())) >= _SHOWN * total
        if enough or len(found) == _MOST_NAMED:
            break
        found[part] = difference
    return found


def _untold(mine: ArmWhy) -> float:
    return mine.parts["other"] / mine.load_s if mine.load_s else 0.0


def _caution(arm: str, mine: ArmWhy) -> str | None:
    share, said = _untold(mine), []
    if share > _MOST_OTHER:
        said.append(f"{percent(round(share, 2))} of its median load could not be assigned to a part")
    said += [f"for {count(number, 'load')}: {reason}" for reason, number in mine.reasons.items()]
    return f"Parts of {arm}: {listed(said)}" if said else None

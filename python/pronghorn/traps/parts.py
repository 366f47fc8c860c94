"""Where a visit's time went, as its client saw it: along the critical chain of `pronghorn.why`."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from pronghorn.model.trial import PageLoad
from pronghorn.traps.facts import Visit
from pronghorn.why.chain import chain, opening

PARTS = ("lookup", "set-up", "waiting", "receiving", "client", "other")
"""In the order in which they are shown: `waiting` is from a request to its answer's first byte."""


def parts(page: PageLoad) -> dict[str, float]:
    """The seconds of each part of a load that ended; they add up to its time."""
    openings = {number: one for number, seen in enumerate(page.connections) if (one := opening(seen))}
    found: defaultdict[str, float] = defaultdict(float)
    for link in chain(page, openings):
        length_s = link.to_s - link.from_s
        first_s = page.resources[link.place].first_byte_s if link.place is not None else None
        if link.kind == "answer":
            waiting_s = min(max((first_s or link.to_s) - link.from_s, 0.0), length_s)
            found["waiting"] += waiting_s
            found["receiving"] += length_s - waiting_s
        else:
            found["other" if link.kind == "unknown" else link.kind] += length_s
    return {part: found[part] for part in PARTS}


def medians(visits: Sequence[Visit]) -> dict[str, float]:
    """The median of each part over some visits; empty without any."""
    each = [parts(one.page) for one in visits if one.ok]
    return {part: median(one[part] for one in each) for part in PARTS} if each else {}

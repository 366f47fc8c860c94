"""What a run makes of published claims. What is compared for each, and by which rule, is written down in
docs/methodology.md.

A claim is read as one or several ratios that lie within bounds. A ratio is reproduced where its 95 % interval
lies wholly within them, not reproduced where it lies wholly outside, and else undecided."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from pronghorn.analysis.blocks import CellTrials
from pronghorn.analysis.claims import weaknet
from pronghorn.analysis.terms import Terms
from pronghorn.model.published import Published
from pronghorn.model.summary import Claim

Judge = Callable[[Published, Sequence[CellTrials], Terms], list[Claim]]

_JUDGES: Mapping[str, Judge] = MappingProxyType({"weaknet": weaknet.judge})


def judge(name: str, published: Published, cells: Sequence[CellTrials], terms: Terms) -> list[Claim]:
    """The claims of the measurements `name` against a run's `cells`; none where nobody has said what they
    mean. Of `terms` margin, seed and resamples are looked at."""
    found = _JUDGES.get(name)
    return found(published, cells, terms) if found is not None else []

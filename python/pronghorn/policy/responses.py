"""How much the responses of one page scatter as a gateway compares them, from the page loads of a map.

A gateway takes ln(time / reference) of a response, within strata of size and of how much its connection had
carried before. What is left within one page and stratum is sizes that the reference doesn't take out, the
order in which responses share the connection, and losses that befall one of them. The lab's time is from the
request to the last byte, the gateway's from the headers to the last acknowledgement: a round trip from end
to end, both of them.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from pronghorn import journal
from pronghorn.mapping import batches
from pronghorn.model.trial import Resource
from pronghorn.policy.squares import Squares, about_their_mean

_SIZE_ENDS = (16_000, 128_000)
_WARM_FROM = 100_000
_REFERENCE_S, _REFERENCE_S_PER_BYTE = 0.05, 0.8e-6
"""As the decision core has them (crates/policy/src/sample.rs)."""


def of_map(folder: Path) -> Squares:
    """Of all page loads that the batches' journals have; nothing where they aren't there any more."""
    found = Squares(0.0, 0)
    for batch in sorted((folder / batches.FOLDER).glob(f"*/{journal.JOURNAL}")):
        for trial in journal.look(batch.parent).trials:
            if trial.status == "ok" and trial.page is not None:
                found += of_page(trial.page.resources)
    return found


def of_page(resources: Sequence[Resource]) -> Squares:
    """Of one page's resources, each about the mean of its stratum."""
    strata: dict[tuple[int, bool], list[float]] = defaultdict(list)
    delivered: dict[int | None, int] = defaultdict(int)
    came = [one for one in resources if one.last_byte_s is not None and one.bytes]
    for one in sorted(came, key=lambda one: one.last_byte_s or 0.0):
        time_s = (one.last_byte_s or 0.0) - (one.request_s or 0.0)
        if one.request_s is not None and time_s > 0:
            size = sum(one.bytes >= end for end in _SIZE_ENDS)
            reference_s = _REFERENCE_S + _REFERENCE_S_PER_BYTE * one.bytes
            strata[size, delivered[one.connection] >= _WARM_FROM].append(math.log(time_s / reference_s))
        delivered[one.connection] += one.bytes
    return sum((about_their_mean(values) for values in strata.values()), Squares(0.0, 0))

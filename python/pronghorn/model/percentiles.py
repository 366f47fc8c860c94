"""From how many samples a percentile is told.

The percentile of the share q is told from n samples where qⁿ ≤ 0.05: then the true one lies below the
largest sample with 95 % confidence (one-sided tolerance limits, Wilks 1941). That takes 5 samples for the
median, 299 for p99 and 29 956 for p99.99; from fewer, what stood in its place would be little but the
maximum."""

import math
from bisect import bisect_left
from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.model.load_report import Distribution

CONFIDENCE = 0.95
_ROUNDING = 1e-9

PERCENTILES: Mapping[str, float] = MappingProxyType(
    {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
)
"""Each percentile's key with the share of samples below it."""


def samples_needed(key: str) -> int:
    """How many samples the percentile `key` is told from."""
    return math.ceil(math.log(1 - CONFIDENCE) / math.log(PERCENTILES[key]))


def told(found: Distribution | None, key: str) -> float | None:
    """The percentile `key` in seconds; None where there are too few samples for it."""
    if found is None or found.count < samples_needed(key):
        return None
    return float(getattr(found, key))


def of_all(found: Distribution | None, key: str, whole: int) -> float:
    """The percentile `key` of `whole`, in seconds, where those that aren't among the samples never ended: the
    share of all that it leaves below it is a larger share of the samples, and the next larger percentile of
    these that is known is taken. Infinite where that is beyond them all."""
    if found is None or not found.count:
        return math.inf
    share = PERCENTILES[key] * max(whole, found.count) / found.count
    if share > 1:
        return math.inf
    place = bisect_left([known - _ROUNDING for known in PERCENTILES.values()], share - _ROUNDING)
    known = tuple(PERCENTILES)
    return float(found.max if place == len(known) else getattr(found, known[place]))


def words(key: str) -> str:
    """As people write it: `p99.9` for `p999`; other statistics have their name."""
    return f"{key[:3]}.{key[3:]}" if key in PERCENTILES and len(key) > 3 else key

"""Resamples of blocks, and the statistics of each.

A statistic doesn't ask in which order a resample's blocks were drawn, only how often each was: a resample is
a column of counts. With an arm's times sorted once, the k-th smallest of a resample stands where the counts
add up to k, so that no resample is ever sorted, and all arms and statistics of a cell rest on the same draws
(Efron & Tibshirani, "An Introduction to the Bootstrap" (1993), section 20.2, on resampling vectors).
"""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from pronghorn.analysis.figures import QUANTILES, TRIMMED, nearest_rank, rank, trimmed_mean
from pronghorn.analysis.times import Times
from pronghorn.model.summary import Statistic

Counts = npt.NDArray[np.int32]

_COUNTS_AT_ONCE = 1 << 18
"""What stays in a core's own cache."""

_LEAST_COLUMNS = 256

_WIDE = 1024
"""From this number of columns on, adding a row takes longer than the call."""


def drawn(blocks: int, rng: np.random.Generator, resamples: int) -> Iterator[Counts]:
    """How often each of `blocks` blocks (at least one) was drawn: (blocks, resamples), in portions of
    resamples."""
    width = max(_LEAST_COLUMNS, _COUNTS_AT_ONCE // blocks)
    for start in range(0, resamples, width):
        columns = min(width, resamples - start)
        places = rng.integers(0, blocks, size=(blocks, columns))
        places *= columns
        places += np.arange(columns)
        counts = np.bincount(places.ravel(), minlength=blocks * columns)
        yield counts.astype(np.int32).reshape(blocks, columns)


class Ordered:
    """One arm's times in their order: what they are, and what they would be in resamples."""

    def __init__(self, times: Times) -> None:
        self._order = np.argsort(times, kind="stable")
        self._sorted = times[self._order]

    def cumulated(self, counts: Counts) -> Counts:
        """How many of a resample's times are no larger than each of the sorted ones."""
        found = np.take(counts, self._order, axis=0)
        _cumulate(found)
        return found

    def found(self, statistic: Statistic) -> float:
        """The statistic of the times themselves."""
        n = len(self._sorted)
        if statistic == "trimmed_mean":
            return trimmed_mean(self._sorted)
        if statistic == "mean":
            return float(self._sorted.mean())
        if statistic == "median":
            return float(np.median(self._sorted))
        return float(self._sorted[rank(statistic, n) - 1])

    def resampled(self, statistic: Statistic, cumulated: Counts) -> Times:
        """A quantile or the trimmed mean of each resample; a quantile that falls between two values is their
        mean, as the median is."""
        return self.all_resampled([statistic], cumulated)[statistic]

    def all_resampled(self, statistics: Iterable[Statistic], cumulated: Counts) -> dict[Statistic, Times]:
        """Several statistics of each resample, which are found together in less time."""
        wanted = list(statistics)
        n = len(self._sorted)
        ranks = {each: _ranks(each, n) for each in wanted if each != "trimmed_mean"}
        counts = sorted({count for pair in ranks.values() for count in pair})
        values = dict(zip(counts, self._sorted[_places(cumulated, counts)], strict=True))
        found: dict[Statistic, Times] = {}
        for each in wanted:
            if each == "trimmed_mean":
                found[each] = self._trimmed(cumulated)
                continue
            low, high = ranks[each]
            found[each] = values[low] if low == high else np.asarray((values[low] + values[high]) / 2)
        return found

    def interquartile(self, cumulated: Counts) -> Times:
        """The interquartile range of each resample; NaN where its quartiles are infinite."""
        n = len(self._sorted)
        ends = [*_around(0.75, n), *_around(0.25, n)]
        high, higher, low, lower = self._sorted[_places(cumulated, ends)]
        with np.errstate(invalid="ignore"):
            return np.asarray((high + higher) / 2 - (low + lower) / 2)

    def _trimmed(self, cumulated: Counts) -> Times:
        """The sum over what is kept, by parts: the largest value as often as values are kept, less each step
        to it as often as values lie below."""
        n = len(self._sorted)
        cut = math.floor(TRIMMED * n)
        finite = self._sorted[np.isfinite(self._sorted)]
        if not len(finite):
            return np.full(cumulated.shape[1], math.inf)
        below = np.clip(cumulated[: len(finite) - 1], cut, n - cut) - np.float64(cut)
        means = finite[-1] - np.einsum("b,br->r", np.diff(finite), below) / (n - 2 * cut)
        return np.where(cumulated[len(finite) - 1] < n - cut, math.inf, means)


def _ranks(statistic: Statistic, n: int) -> tuple[int, int]:
    """Between which two of `n` sorted values, from 1, the statistic lies half-way; twice the same where it
    is one of them.

    Hyndman & Fan's type 2 (1996), which is the median's own. The nearest rank alone lies too low by half a
    rank where that is a whole number, in all resamples alike; where two arms' tails differ, their ratio's
    interval would be off by it.
    """
    if statistic == "median":
        return (n + 1) // 2, n // 2 + 1
    return _around(QUANTILES[statistic], n)


def _around(share: float, n: int) -> tuple[int, int]:
    nearest = nearest_rank(share, n)
    is_whole = abs(nearest - share * n) < 1e-9 * n
    return nearest, min(n, nearest + is_whole)


def _cumulate(counts: Counts) -> None:
    """Adds to each row all before it, in place.

    Row by row, for numpy's own cumulative sum goes down the columns, several times as slowly. Narrow rows
    would cost more calls than additions: of those, stretches beside each other are summed up at once, and
    each then gets what all before it come to.
    """
    rows, columns = counts.shape
    deep = rows if columns >= _WIDE else math.isqrt(rows)
    whole = rows - rows % deep
    stretches = counts[:whole].reshape(-1, deep, columns)
    for row in range(1, deep):
        np.add(stretches[:, row - 1], stretches[:, row], out=stretches[:, row])
    stretches[1:] += np.cumsum(stretches[:-1, -1], axis=0, dtype=counts.dtype)[:, None]
    for row in range(whole, rows):
        np.add(counts[row - 1], counts[row], out=counts[row])


def _places(cumulated: Counts, counts: Sequence[int]) -> npt.NDArray[np.intp]:
    """For each of `counts`, in each column the first row that has come to it; the last row has. By
    bisection."""
    rows, columns = cumulated.shape
    flat = cumulated.ravel()
    offsets = np.arange(columns)
    asked = np.array(counts, dtype=cumulated.dtype)[:, None]
    before = np.full((len(counts), columns), -1)
    step = 1 << (rows - 1).bit_length()
    while step:
        probed = np.minimum(before + step, rows - 1)
        before = np.where(flat[probed * columns + offsets] < asked, probed, before)
        step >>= 1
    return before + 1

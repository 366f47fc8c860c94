"""Sizes of resources: heavy-tailed within a range, exact in their sum."""

from collections.abc import Sequence


def draw(ranges: Sequence[tuple[int, int]], fractions: Sequence[float], total: int) -> list[int]:
    """One size in bytes for each range (smallest, largest), `total` in all.

    A size is low · (high/low)^(u^k) with u from `fractions` (uniform in [0, 1)): log-uniform at k = 1, and
    k is bent until the sum is `total`. ValueError where no sizes within the ranges can give it.
    """
    if not sum(low for low, _ in ranges) <= total <= sum(high for _, high in ranges):
        raise ValueError(f"no sizes within the ranges make {total} bytes")
    small, large = -40.0, 40.0
    for _ in range(200):
        middle = (small + large) / 2
        if sum(_sizes(ranges, fractions, middle)) > total:
            small = middle
        else:
            large = middle
    return _settle(ranges, _sizes(ranges, fractions, large), total)


def _sizes(ranges: Sequence[tuple[int, int]], fractions: Sequence[float], bend: float) -> list[int]:
    power = 2.0**bend
    return [
        min(high, max(low, round(low * (high / low) ** (fraction**power))))
        for (low, high), fraction in zip(ranges, fractions, strict=True)
    ]


def _settle(ranges: Sequence[tuple[int, int]], sizes: list[int], total: int) -> list[int]:
    missing = total - sum(sizes)
    for index, (low, high) in enumerate(ranges):
        change = max(low - sizes[index], min(high - sizes[index], missing))
        sizes[index] += change
        missing -= change
    return sizes

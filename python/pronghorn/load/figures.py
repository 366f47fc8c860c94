"""A load's numbers for people: units, and no more digits than were measured."""

import math

_BYTES = (("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
_FOUR_DIGITS_FROM = 10_000
"""From this number of requests on a rate has four digits: chance alone moves one of N by about 1/√N."""


def digits(value: float, places: int = 3) -> str:
    """A value of 0 or more to `places` significant digits, without an exponent."""
    if value <= 0:
        return "0"
    rounded = float(f"{value:.{places}g}")
    decimals = max(0, places - 1 - math.floor(math.log10(rounded)))
    return grouped(round(rounded)) if decimals == 0 else f"{rounded:.{decimals}f}"


def grouped(number: int) -> str:
    """A whole number in groups of three: `29 956`; four digits stand together."""
    return f"{number:,}".replace(",", " ") if abs(number) >= 10_000 else str(number)


def rate(per_second: float, events: int) -> str:
    """A rate that was measured by so many events: `64 930/s`."""
    return f"{digits(per_second, 4 if events >= _FOUR_DIGITS_FROM else 3)}/s"


def size(number: float) -> str:
    """Bytes: `612 B`, `61.2 kB`."""
    unit, worth = next(((unit, worth) for unit, worth in _BYTES if number >= 0.9995 * worth), ("B", 1.0))
    return f"{digits(number / worth)} {unit}"


def duration(seconds: float) -> str:
    """A time: `812 µs`, `12.4 ms`, `3.21 s`."""
    unit, per_second = time_unit(seconds)
    return f"{digits(seconds * per_second)} {unit}"


def time_unit(largest: float | None) -> tuple[str, float]:
    """The unit for times of which this is the largest (seconds), and how many of it make a second."""
    if largest is None or largest < 0.9995e-3:
        return "µs", 1e6
    return ("ms", 1e3) if largest < 0.9995 else ("s", 1.0)


def share(part: int, whole: int) -> str:
    """A part in per cent: `12 %`, `0.031 %`."""
    return f"{digits(100 * part / whole, 2)} %" if whole else "–"

"""tc's numbers and units (tc(8), PARAMETERS), and how a path writes the same quantity.

tc's units are not a path's: `kbit` of a rate is 1000 bits a second and `kbps` 1000 bytes a second, `kb` of a
size is 1024 bytes, a bare time is in microseconds, and case doesn't count."""

import re
from fractions import Fraction
from typing import NamedTuple

_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,2})?(.*)", re.IGNORECASE | re.ASCII)

_PREFIXES = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}

RATES = {
    **{f"{prefix}bit": 1000**power for prefix, power in _PREFIXES.items()},
    **{f"{prefix}bps": 8 * 1000**power for prefix, power in _PREFIXES.items()},
    **{f"{prefix}ibit": 1024**power for prefix, power in _PREFIXES.items() if prefix},
    **{f"{prefix}ibps": 8 * 1024**power for prefix, power in _PREFIXES.items() if prefix},
    "": 1,
}
"""Bits per second."""

TIMES = {
    **dict.fromkeys(("s", "sec", "secs"), 10**9),
    **dict.fromkeys(("ms", "msec", "msecs"), 10**6),
    **dict.fromkeys(("us", "usec", "usecs"), 10**3),
    **dict.fromkeys(("ns", "nsec", "nsecs"), 1),
    "": 10**3,
}
"""Nanoseconds."""

SIZES = {
    "": 1,
    "b": 1,
    **dict.fromkeys(("k", "kb"), 1024),
    **dict.fromkeys(("m", "mb"), 1024**2),
    **dict.fromkeys(("g", "gb"), 1024**3),
    "kbit": 1024 // 8,
    "mbit": 1024**2 // 8,
    "gbit": 1024**3 // 8,
}
"""Bytes."""


class Wrong(ValueError):
    """What is wrong with a number, in one sentence without its end."""


class Time(NamedTuple):
    """A time, and whether its unit was left to tc."""

    ns: int
    bare: bool


def rate(word: str) -> int:
    """Bits per second."""
    if word.endswith("%"):
        raise Wrong(
            f"{word} is a share of a network card's speed, which a path doesn't have. Write it as 10mbit"
        )
    return _whole(word, RATES, "rate", "10mbit")


def time(word: str) -> Time:
    """A time; whole nanoseconds."""
    return Time(_whole(word, TIMES, "time", "100ms"), not _parted(word, "time", "100ms")[1])


def size(word: str) -> int:
    """Bytes, or netem's packets, which tc reads with the units of sizes as well."""
    return _whole(word, SIZES, "size", "32kb")


def share(word: str) -> Fraction:
    """A share in 0..1; the % may be left out."""
    amount, unit = _parted(word, "percentage", "1%")
    if unit not in ("", "%"):
        raise Wrong(f"{word} is no percentage, such as 1%")
    if amount > 100:
        raise Wrong(f"{word} is more than 100%")
    return amount / 100


def whole(word: str) -> int:
    """A whole number without a unit, perhaps negative; as in C, 0x begins a hexadecimal one."""
    try:
        return int(word, 16 if word.lower().lstrip("-").startswith("0x") else 10)
    except ValueError:
        raise Wrong(f"{word} is no whole number") from None


def rate_text(bit_per_s: int) -> str:
    """A rate as a path writes it."""
    return _text(bit_per_s, {"Gbit": 10**9, "Mbit": 10**6, "kbit": 10**3, "bit": 1})


def time_text(ns: int) -> str:
    """A time as a path writes it."""
    return _text(ns, {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1})


def size_text(size_bytes: int) -> str:
    """A size as a path writes it."""
    return _text(size_bytes, {"kB": 1000, "B": 1} if size_bytes % 100 == 0 else {"B": 1})


def share_text(part: Fraction) -> str:
    """A share as a path writes it."""
    return f"{_decimal(part * 100)}%"


def _whole(word: str, units: dict[str, int], name: str, example: str) -> int:
    amount, unit = _parted(word, name, example)
    if unit not in units:
        known = ", ".join(each for each in units if each)
        raise Wrong(f"{word}: tc has no unit {unit!r} of a {name}; it has {known}")
    # As tc does, what is smaller than the smallest unit goes.
    return int(amount * units[unit])


def _parted(word: str, name: str, example: str) -> tuple[Fraction, str]:
    found = _NUMBER.fullmatch(word)
    if found is None or len(word) > 60:
        raise Wrong(f"{word} is no {name}, such as {example}")
    digits, power, unit = found.groups()
    return Fraction(digits.rstrip(".")) * Fraction(10) ** int((power or "e0")[1:]), unit.lower()


def _text(amount: int, units: dict[str, int]) -> str:
    """In the largest unit of which there is at least one."""
    unit, worth = next(((unit, worth) for unit, worth in units.items() if amount >= worth), ("", 0))
    if not worth:
        *_, unit = units
        return f"{amount}{unit}"
    return f"{_decimal(Fraction(amount, worth))}{unit}"


def _decimal(number: Fraction) -> str:
    """Exact, if thirty decimals suffice."""
    text = f"{number.numerator * 10**30 // number.denominator:031d}"
    return f"{text[:-30]}.{text[-30:]}".rstrip("0").rstrip(".")

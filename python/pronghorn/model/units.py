"""Quantities with their units written out: "20Mbit", "75ms", "256kB", "15%", "100packets".

Decimal prefixes are powers of 1000, `KiB` and `MiB` of 1024. Results are exact integers (bits per second,
nanoseconds, bytes, packets); a share is a float in 0..1. A bare number is an error, since its unit would
stand in somebody's memory only."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from pronghorn.errors import nearest


class UnitError(ValueError):
    """What is wrong with a quantity and what is allowed, in one sentence."""


class Quantity(NamedTuple):
    """A kind of quantity: its name, an example and its units' worth in the smallest one."""

    name: str
    example: str
    units: Mapping[str, int]


_RATES = {"bit": 1, "kbit": 10**3, "Mbit": 10**6, "Gbit": 10**9}
RATE = Quantity("rate", "20Mbit", {**_RATES, **{f"{unit}/s": worth for unit, worth in _RATES.items()}})
TIME = Quantity(
    "time", "75ms", {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}
)
SIZE = Quantity("size", "256kB", {"B": 1, "kB": 10**3, "MB": 10**6, "KiB": 2**10, "MiB": 2**20})
PACKETS = Quantity("number of packets", "100packets", {"packet": 1, "packets": 1})
SHARE = Quantity("share", "15%", {"%": 1})
QUEUE = Quantity("queue", "256kB, 100packets or 50ms", {**SIZE.units, **PACKETS.units, **TIME.units})

_NUMBER = re.compile(r"\s*([+-]?\d{1,30}(?:\.\d{1,30})?)\s*(\S*)\s*")

_MOST = {"rate": "1000Gbit", "time": "60min", "size": "1000000MB", "number of packets": "1000000000packets"}
"""The largest value of a quantity that the engine takes."""


def rate(value: object) -> int:
    """Bits per second, greater than zero."""
    return _positive(value, RATE)


def time_ns(value: object) -> int:
    """Nanoseconds."""
    return _integer(value, TIME)


def share(value: object) -> float:
    """A share of 0 to 100 % as a float in 0..1."""
    percent = _amount(value, SHARE)
    if percent > 100:
        raise UnitError(f"{value!r} is more than all; a share lies between 0% and 100%")
    return float(percent / 100)


def mean_time_ns(value: object) -> int:
    """Nanoseconds, greater than zero."""
    return _positive(value, TIME)


def size(value: object) -> int:
    """Bytes, greater than zero."""
    return _positive(value, SIZE)


def size_or_none(value: object) -> int:
    """Bytes, zero or more."""
    return _integer(value, SIZE)


def signed_size(value: object) -> int:
    """Bytes, of either sign."""
    if isinstance(value, str) and value.lstrip().startswith("-"):
        return -_integer(value.lstrip()[1:], SIZE)
    return _integer(value, SIZE)


def queue(value: object) -> dict[str, int]:
    """A queue's limit, `{"bytes": N}`, `{"packets": N}` or `{"time_ns": N}`, greater than zero."""
    unit = unit_of(value)
    for key, quantity in (("packets", PACKETS), ("time_ns", TIME), ("bytes", SIZE)):
        if unit in quantity.units:
            if (limit := _integer(value, quantity)) == 0:
                raise UnitError(f"{value!r}: a queue must hold something")
            return {key: limit}
    _amount(value, QUEUE)
    raise UnitError(f"{value!r} is no queue")


def unit_of(value: object) -> str | None:
    """The unit of a quantity as it is written, None where there is none."""
    found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return found[2] or None if found else None


def _positive(value: object, quantity: Quantity) -> int:
    amount = _integer(value, quantity)
    if amount == 0:
        raise UnitError(f"{value!r}: a {quantity.name} must be greater than zero")
    return amount


def _integer(value: object, quantity: Quantity) -> int:
    amount = _amount(value, quantity)
    if amount.denominator != 1:
        smallest = next(iter(quantity.units))
        raise UnitError(f"{value!r} is no whole number of {smallest}")
    return amount.numerator


def _amount(value: object, quantity: Quantity) -> Fraction:
    example = f"write the unit, such as {quantity.example!r}; allowed units: {', '.join(quantity.units)}"
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UnitError(f"{value!r} is no {quantity.name}; {example}")
    if isinstance(value, (int, float)):
        raise UnitError(f"{value} is a bare number where a {quantity.name} is needed; {example}")
    found = _NUMBER.fullmatch(value)
    if found is None:
        raise UnitError(f"{value!r} is no {quantity.name}; {example}")
    number, unit = found.groups()
    if not unit:
        raise UnitError(f"{value!r} is a bare number where a {quantity.name} is needed; {example}")
    if unit not in quantity.units:
        meant = nearest(unit, quantity.units)
        question = f"; did you mean {number}{meant}?" if meant else "."
        raise UnitError(
            f"{value!r}: unknown unit {unit!r} of a {quantity.name}{question} Allowed: "
            f"{', '.join(quantity.units)}"
        )
    amount = Fraction(number) * quantity.units[unit]
    if amount < 0:
        raise UnitError(f"{value!r} is negative; a {quantity.name} is zero or more")
    if quantity.name in _MOST and amount > _worth(_MOST[quantity.name], quantity):
        raise UnitError(f"{value!r} is too much; a {quantity.name} is at most {_MOST[quantity.name]}")
    return amount


def _worth(text: str, quantity: Quantity) -> int:
    """A limit of ours in the quantity's smallest unit."""
    digits = text.rstrip("".join({*"".join(quantity.units)}))
    return int(digits) * quantity.units[text.removeprefix(digits)]

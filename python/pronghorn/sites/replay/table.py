"""A replay's answers by their requests, for servers that answer equal requests alike and look at nothing but
method, host, path and query.

`crates/origin/src/recorded` has the same rules for queries that vary."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pronghorn.sites.replay.answers import Answer

_BUSTERS = frozenset(
    {"_", "cachebuster", "cache_buster", "cb", "nc", "nocache", "ord", "rand", "random", "rnd", "t", "time",
     "timestamp", "ts"}
)  # fmt: skip
_NUMBER = re.compile(r"\d*\.?\d*")
_DIGITS_OF_CHANCE = 9
_LETTERS_OF_CHANCE = 16

_ANY = "(?:=[^&]*)?"
_NUMBERS = f"=[0-9]{{{_DIGITS_OF_CHANCE},}}"
_FRACTIONS = f"=[0-9.]{{{_DIGITS_OF_CHANCE + 1},}}"
_IDENTIFIERS = f"=[A-Za-z0-9_.-]{{{_LETTERS_OF_CHANCE},}}"
"""Regular expressions for the values of parameters that vary, the sign before them included."""

_CONDITIONAL = (304, 206)
"""Statuses of answers to conditional requests, and to those for a part."""


class Entry(NamedTuple):
    """An answer and the requests that get it: of `method` for `target` (path and query) of `host`, and where
    `pattern` is given those whose target it fits as a whole."""

    number: int
    method: str
    host: str
    target: str
    pattern: str | None
    answer: Answer


class Table(NamedTuple):
    """The entries, and how many recorded answers none of them gives: those to a request that had another one
    before."""

    entries: tuple[Entry, ...]
    unreachable: int


def of(answers: Sequence[Answer]) -> Table:
    """The table of `answers`. Of equal requests the first gives the answer, but answers to conditional
    requests and to those for a part only where there is no other."""
    first: dict[tuple[str, str, str], Answer] = {}
    for one in sorted(answers, key=lambda one: one.status in _CONDITIONAL):
        first.setdefault((one.method, one.host, one.target), one)
    entries = [
        Entry(number, one.method, one.host, one.target, pattern(one.target), one)
        for number, one in enumerate(first.values(), 1)
    ]
    alike = sum(_same(one, first[one.method, one.host, one.target]) for one in answers)
    return Table(tuple(entries), len(answers) - alike)


def pattern(target: str) -> str | None:
    """A regular expression that fits the targets which differ from one only in parameters that vary from
    load to load; None where it has none. Parameters have to stand in the same order."""
    path, found, query = target.partition("?")
    parameters = query.split("&")
    values = [_values(*one.partition("=")[::2]) for one in parameters]
    if not found or not any(values):
        return None
    written = [
        re.escape(one) if allowed is None else re.escape(one.partition("=")[0]) + allowed
        for one, allowed in zip(parameters, values, strict=True)
    ]
    return re.escape(path) + re.escape("?") + "&".join(written)


def _values(name: str, value: str) -> str | None:
    """What may stand behind a parameter's name; None: only what was recorded."""
    if name.lower() in _BUSTERS:
        return _ANY
    if not _is_by_chance(value):
        return None
    if _NUMBER.fullmatch(value):
        return _FRACTIONS if "." in value else _NUMBERS
    return _IDENTIFIERS


def _is_by_chance(value: str) -> bool:
    """Whether chance or a clock made a value: a long number, or a long identifier of letters and digits."""
    if not value.isascii():
        return False
    digits = sum(letter.isdigit() for letter in value)
    if _NUMBER.fullmatch(value):
        return digits >= _DIGITS_OF_CHANCE
    letters = sum(letter.isalpha() for letter in value)
    separators = sum(letter in "-_." for letter in value)
    return (
        digits > 0 and digits + letters >= _LETTERS_OF_CHANCE and digits + letters + separators == len(value)
    )


def _same(one: Answer, other: Answer) -> bool:
    return (one.status, one.headers, one.body) == (other.status, other.headers, other.body)


def sent_once(headers: Iterable[tuple[str, str]], name: str) -> str | None:
    """The value of the first header of this name; None where there is none."""
    return next((value for known, value in headers if known == name), None)

"""The bounds of every figure and text that comes from outside this process: results of a client of one's own,
journals and manifests, the engine's answers, a browser's figures, servers' logs.

They are far beyond what a real load can be, so that what they refuse is a fault or a forgery.
"""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

MOST_SECONDS = 10 * 366 * 86_400.0
"""Ten years."""

LEAST_S = 1e-9
"""No load is shorter: a ratio of times needs one above zero."""

MOST_COUNT = 2**53 - 1
"""The largest whole number that every reader of JSON takes exactly (RFC 8259 §6)."""

MOST_WHOLE = 2**64 - 1
"""The largest value of a setting or a seed, and with a minus sign the least."""

MOST_NUMBER = 1e18
"""The largest figure of no particular kind."""

MOST_TEXT = 2**20
"""Characters of one text."""

MOST_ITEMS = 100_000
"""Entries of one list or table of a trial."""

MOST_DEPTH = 64
"""Levels of lists and tables within each other."""

_SHOWN = 60

Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]
"""A duration."""

Lasting = Annotated[float, Field(ge=LEAST_S, le=MOST_SECONDS, allow_inf_nan=False)]
"""A duration above zero, such as a load's."""

Moment = Annotated[float, Field(ge=-MOST_SECONDS, le=MOST_SECONDS, allow_inf_nan=False)]
"""Seconds from a load's start, or the difference of two times: a browser connects ahead."""

Count = Annotated[int, Field(ge=0, le=MOST_COUNT)]
"""How many, or how many bytes."""

Whole = Annotated[int, Field(ge=-MOST_WHOLE, le=MOST_WHOLE)]
"""A setting's value."""

Seed = Annotated[int, Field(ge=0, le=MOST_WHOLE)]
"""The seed of random draws."""

Number = Annotated[float, Field(ge=-MOST_NUMBER, le=MOST_NUMBER, allow_inf_nan=False)]
"""A figure of another kind: a share, a score."""

Rate = Annotated[float, Field(ge=0, le=MOST_NUMBER, allow_inf_nan=False)]
"""So many per second."""

StatusCode = Annotated[int, Field(ge=0, le=999)]
"""An HTTP status (RFC 9110 §15)."""

Port = Annotated[int, Field(ge=0, le=65535)]

Text = Annotated[str, Field(max_length=MOST_TEXT)]

Several = Field(max_length=MOST_ITEMS)
"""Of a list or a table: not more entries than a trial can have."""

Counts = Annotated[dict[Text, Count], Several]
"""Counts by name."""


class OutOfBounds(ValueError):
    """A value is beyond what is allowed: where it stands, what it is and what is allowed, as a clause."""


def check(value: Any, *, most_items: int = MOST_ITEMS) -> Any:
    """`value`, made of what JSON has, where all its figures, texts, lists and tables are within the bounds;
    OutOfBounds where one isn't."""
    _check(value, (), 0, most_items)
    return value


Told = Annotated[Any, AfterValidator(check)]
"""A value that nothing here knows: what a newer engine, or another client, tells beyond the record."""


def wrong(error: ValidationError) -> str:
    """What is wrong with a record, as a clause: the first field that is, its value, what is allowed."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        return f"{where} is missing"
    if first["type"] == "extra_forbidden":
        return f"{where} is no key of it"
    allowed = f"it {what.removeprefix('Input ')}" if what.startswith("Input ") else what
    if first["type"] == "json_invalid" or not where:
        return allowed
    return f"{where} is {shown(first['input'])}: {allowed}"


def shown(value: object) -> str:
    """A value within a message: cut, and in ASCII."""
    text = ascii(value) if not isinstance(value, (dict, list)) else f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}… ({len(text)} characters)"


def _check(value: Any, where: tuple[Any, ...], depth: int, most_items: int) -> None:
    # In the order in which they are frequent.
    kind = type(value)
    if kind is str:
        if len(value) > MOST_TEXT:
            raise _refused(where, f"has {len(value)} characters", f"{MOST_TEXT} at most are allowed")
    elif kind is int:
        if not -MOST_WHOLE <= value <= MOST_WHOLE:
            raise _refused(where, f"is {shown(value)}", f"whole numbers lie within ±{MOST_WHOLE}")
    elif kind is float:
        if not -MOST_NUMBER <= value <= MOST_NUMBER:
            raise _refused(where, f"is {value!r}", f"figures are finite and within ±{MOST_NUMBER:g}")
    elif kind is dict or kind is list:
        if depth >= MOST_DEPTH:
            raise OutOfBounds(f"nested deeper than {MOST_DEPTH} levels")
        if len(value) > most_items:
            raise _refused(where, f"has {len(value)} entries", f"{most_items} at most are allowed")
        for key, entry in value.items() if kind is dict else enumerate(value):
            # Most entries are small whole numbers; a call for each would take most of the time.
            if type(entry) is not int or not -MOST_COUNT <= entry <= MOST_COUNT:
                _check(entry, (where, key), depth + 1, most_items)


def _refused(where: tuple[Any, ...], what: str, allowed: str) -> OutOfBounds:
    """`where` is () at the root, else the place that holds the value and its key in it."""
    keys: list[str] = []
    while where:
        where, key = where
        keys.append(str(key))
    name = f"{shown('.'.join(reversed(keys)))[1:-1]} " if any(keys) else "it "
    return OutOfBounds(f"{name}{what}: {allowed}")

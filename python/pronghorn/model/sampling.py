"""Sampling until the answer is known: the table `repeat = { min, max, until }` of an experiment."""

import re
from typing import Any

from pydantic import BaseModel, ConfigDict

from pronghorn.model import units
from pronghorn.model.experiment_reader import ExperimentReader

KEY = "repeat"
EXAMPLE = '{ min = 12, max = 60, until = "decided" }'
DECIDED = "decided"
DEFAULT_LEAST = 12
LEAST = 6
"""Fewer blocks than that support no verdict (`analysis/verdict.py`)."""
MOST = 1_000_000

_PRECISION = re.compile(r"ci95\s*<\s*(.+)")
_RULES = f"write '{DECIDED}', or a precision such as 'ci95 < 2%'"


class Sampling(BaseModel):
    """How long a cell is sampled: at least `least` and at most `most` blocks, `until` the rule holds, as
    written: every verdict is decided, or every interval as narrow as was asked. With `within`, a time as
    written, a cell gets no more blocks once those until its next look can't be expected in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    least: int
    most: int
    until: str = DECIDED
    within: str | None = None

    @property
    def within_s(self) -> float | None:
        """The time within which a cell is sampled, in seconds."""
        return None if self.within is None else units.time_ns(self.within) / 1e9

    @property
    def half_width(self) -> float | None:
        """What half of an interval of a ratio has to be less than, 0.02 for 2 %; None: the verdict is
        asked for."""
        found = _PRECISION.fullmatch(self.until)
        return units.share(found[1].strip()) if found else None

    def definition(self) -> dict[str, Any]:
        """The table that it is written as."""
        table = {"min": self.least, "max": self.most, "until": self.until}
        return table if self.within is None else {**table, "within": self.within}


def parse(reader: ExperimentReader) -> Sampling | None:
    """The table at `repeat`, None where there is none; InputError where it can't be or what else the
    experiment asks for doesn't go with it."""
    if not isinstance(reader.table.get(KEY), dict):
        return None
    if reader.table.get("state") == "kept":
        raise reader.error(
            KEY,
            "sampling until the answer is known needs independent blocks, and those of kept state depend "
            'on each other. Write a number of blocks, or state = "fresh".',
        )
    if "published" in reader:
        raise reader.error(
            KEY,
            "published claims are judged over a fixed number of blocks. Write one, or leave out one of them.",
        )
    table = reader.sub(KEY, EXAMPLE)
    table.allow("min", "max", "until", "within")
    if "max" not in table:
        raise table.error(None, f"'max' is missing: the most blocks of a cell. Write {KEY} = {EXAMPLE}.")
    most = table.whole("max", None, least=LEAST, most=MOST)
    least = table.whole("min", min(DEFAULT_LEAST, most), least=LEAST, most=MOST)
    if least > most:
        raise table.error("min", f"{least} is more than 'max', which is {most}.")
    return Sampling(least=least, most=most, until=_until(table), within=_within(table))


def _until(table: ExperimentReader) -> str:
    text = table.text("until", DECIDED).strip()
    if text == DECIDED:
        return text
    found = _PRECISION.fullmatch(text)
    if found is None:
        raise table.error("until", f"{text!r} is no rule; {_RULES}.")
    try:
        share = units.share(found[1].strip())
    except units.UnitError as error:
        raise table.error("until", f"{error}.") from None
    if not 0 < share < 1:
        raise table.error("until", f"{text!r}: a precision lies between 0% and 100%.")
    return text


def _within(table: ExperimentReader) -> str | None:
    if "within" not in table:
        return None
    text = table.text("within", "")
    try:
        if units.time_ns(text) > 0:
            return text
        raise units.UnitError(f"{text!r}: a time must be greater than zero")
    except units.UnitError as error:
        raise table.error("within", f"{error}.") from None

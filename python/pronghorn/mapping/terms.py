"""What a map was asked for, as its directory keeps it in map.toml."""

import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from pronghorn import reading
from pronghorn.errors import InputError
from pronghorn.mapping.domain import Domain, parse
from pronghorn.mapping.explore import BLOCKS, FEWEST
from pronghorn.model import bounds, foreign, toml_text
from pronghorn.model.experiment_values import Clock
from pronghorn.runs import journal

FILE = "map.toml"

DEFAULT_BUDGET = 600
"""The default number of trials of a map."""

ARMS = 2

_SECONDS = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


class Terms(BaseModel):
    """The axes' ranges as written, what is compared on them, and how much may be measured: `budget` in
    trials, `time` as written; None where there is no such bound."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    site: str
    rtt: str
    loss: str
    rate: str
    arms: tuple[str, ...]
    origin: str
    client: str
    margin: str
    seed: int
    budget: int | None = None
    time: str | None = None
    clock: Clock = "real"

    @property
    def domain(self) -> Domain:
        """What the map spans; InputError where a range can't be."""
        return parse(self.rtt, self.loss, self.rate)

    @property
    def points(self) -> int | None:
        """How many points the budget pays for."""
        return None if self.budget is None else self.budget // (BLOCKS * ARMS)

    @property
    def time_s(self) -> float | None:
        """The time in seconds."""
        return None if self.time is None else seconds(self.time)

    def extended(self, budget: int | None, time: str | None) -> "Terms":
        """With another bound, where one is given."""
        if budget is None and time is None:
            return self
        return self.model_copy(update={"budget": budget, "time": time})

    def definition(self) -> dict[str, Any]:
        """The TOML table that `read` understands."""
        return self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)

    def check(self) -> None:
        """InputError where ranges or bounds can't be."""
        domain = self.domain
        if all(axis.fixed for axis in domain):
            raise InputError(
                "--rtt, --loss and --rate are single values. That is one path, not a map.",
                hint="Write a range for at least one of them, such as --loss 0..15%.",
            )
        if self.points is not None and self.points < FEWEST:
            raise InputError(
                f"--budget {self.budget}: a map needs at least {FEWEST * BLOCKS * ARMS} trials "
                f"({FEWEST} points, {BLOCKS} blocks each)."
            )
        if self.time is not None:
            seconds(self.time)


def write(terms: Terms, folder: Path) -> None:
    """Keeps the terms in the map's directory; HostError where the disk refuses."""
    journal.replace(folder / FILE, toml_text.dumps(terms.definition()).encode())


def read(folder: Path) -> Terms:
    """The terms of the map in `folder`; InputError where there is none."""
    file = folder / FILE
    try:
        return Terms.model_validate(foreign.toml(reading.text(file, reading.MOST_TOML, "a map's terms")))
    except reading.Missing:
        raise InputError(f"{folder}: this is no map to resume: {FILE} is missing.") from None
    except (reading.Unreadable, ValueError) as error:
        what = bounds.wrong(error) if isinstance(error, ValidationError) else error
        raise InputError(f"{file}: can't be read: {what}.") from None


def seconds(text: str) -> float:
    """A time such as 90s, 30m or 2h, in seconds; InputError where it is none."""
    found = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*(s|min|m|h)\s*", text)
    if found is None or float(found[1]) <= 0:
        raise InputError(f"--time {text}: this is no time; write one such as 90s, 30m or 2h.")
    return float(found[1]) * _SECONDS[found[2]]

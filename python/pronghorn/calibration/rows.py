"""What a calibration says: one row a direction and quantity, asked against measured."""

import math
from typing import Literal

from pydantic import BaseModel, ConfigDict

Direction = Literal["down", "up"]
Unit = Literal["s", "share", "bit/s", "packets", "distance"]
Verdict = Literal["pass", "fail", "not checked"]

FALSE_ALARM = 1e-5
"""The chance that a quantity which is exactly as asked fails its row, where chance decides it."""


class Row(BaseModel):
    """One quantity of one link. `low` and `high` bound what passes; `reason` says why a row is not checked,
    or what is compared where the quantity's name does not."""

    model_config = ConfigDict(extra="forbid")

    direction: Direction
    quantity: str
    unit: Unit = "share"
    asked: float | None = None
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: Verdict
    reason: str | None = None


class Report(BaseModel):
    """A path's calibration: `passed` unless a row failed, or the probes themselves did (`fault`)."""

    model_config = ConfigDict(extra="forbid")

    passed: bool
    seed: int
    seconds: float
    false_alarm: float = FALSE_ALARM
    rows: list[Row] = []
    fault: str | None = None

    @property
    def failed(self) -> list[Row]:
        """The rows that failed."""
        return [row for row in self.rows if row.verdict == "fail"]


def judge(
    direction: Direction,
    quantity: str,
    unit: Unit,
    *,
    asked: float,
    measured: float,
    low: float,
    high: float,
    reason: str | None = None,
) -> Row:
    """A row that passes where `measured` lies within `low` and `high`."""
    passes = low <= measured <= high
    return Row(
        direction=direction,
        quantity=quantity,
        unit=unit,
        asked=asked,
        measured=measured,
        low=low if math.isfinite(low) else None,
        high=high if math.isfinite(high) else None,
        verdict="pass" if passes else "fail",
        reason=reason,
    )


def unchecked(direction: Direction, quantity: str, reason: str) -> Row:
    """A row of what could not be checked, and why."""
    return Row(direction=direction, quantity=quantity, verdict="not checked", reason=reason)

"""What a cell's arms ran with, as the report shows it: settings down, arms across."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pronghorn.fairness.values import all_words
from pronghorn.model.trial import Cell

FAIRNESS = "fairness"
"""The manifest's key."""


class SettingRow(NamedTuple):
    """One setting: a text for each arm, whether they are as good as the same (None: as far as is known, which
    isn't of all), what a difference may do and what removes it."""

    setting: str
    values: tuple[str, ...]
    equal: bool | None
    effect: str
    remedy: str

    @property
    def mark(self) -> str:
        """The sign before its name."""
        return {True: "", False: "≠ ", None: "? "}[self.equal]


class FairnessView(NamedTuple):
    """A cell's table, and in sentences what can't be made equal."""

    arms: tuple[str, ...]
    rows: tuple[SettingRow, ...]
    unequalled: tuple[str, ...]

    @property
    def differing(self) -> tuple[SettingRow, ...]:
        """The rows in which the arms differ."""
        return tuple(row for row in self.rows if row.equal is False)

    @property
    def unsure(self) -> tuple[SettingRow, ...]:
        """The rows in which they don't as far as is known."""
        return tuple(row for row in self.rows if row.equal is None)


def fairness_view(manifest: Mapping[str, Any], cell: Cell) -> FairnessView | None:
    """The table of a cell; None where the run's manifest has none, as those of earlier versions."""
    for entry in manifest.get(FAIRNESS) or []:
        if entry["cell"] == cell.model_dump() and entry["rows"]:
            arms = tuple(entry["rows"][0]["by_arm"])
            return FairnessView(
                arms, tuple(_row(row, arms) for row in entry["rows"]), tuple(entry["unequalled"])
            )
    return None


def _row(row: Mapping[str, Any], arms: Sequence[str]) -> SettingRow:
    told = [row["by_arm"].get(arm) for arm in arms]
    return SettingRow(
        row["setting"],
        tuple(_words(value, row["unit"]) for value in told),
        row["equal"],
        row["effect"],
        row["remedy"] or "",
    )


def _words(value: Any, unit: str | None) -> str:
    if value is None:
        return "–"
    return all_words(value if isinstance(value, list) else [value], unit)

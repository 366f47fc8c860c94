"""The figures behind a chart: a table to read, and a CSV file to take along, both within the page."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

Value = str | int | float | None

MOST_ROWS = 100
"""The most rows of a table that are shown; the file has all."""

_PLAIN = ",.:;/+()@~=*!_-"
"""The characters that a data URI may hold unescaped (RFC 3986, section 3), besides letters and digits."""


@dataclass(frozen=True)
class ChartData:
    """`name` is the file's without its ending, `about` what its rows are; columns' names have their units.

    A number that isn't finite, and a value that can't be had, is an empty field or says why in words.
    """

    name: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    @property
    def shown(self) -> list[tuple[str, ...]]:
        """The rows that the page's table has, as text."""
        return [tuple(map(_words, row)) for row in self.rows[:MOST_ROWS]]

    @property
    def left_out(self) -> int:
        """How many rows the table lacks."""
        return max(0, len(self.rows) - MOST_ROWS)

    @property
    def csv(self) -> str:
        """All rows, by RFC 4180 but for its line ends."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_field(value) for value in row] for row in self.rows)
        return text.getvalue()

    @property
    def uri(self) -> str:
        """The CSV file as a data URI (RFC 2397)."""
        return f"data:text/csv;charset=utf-8,{quote(self.csv, safe=_PLAIN)}"


def named(*parts: str) -> str:
    """A file's name of what tells a chart from others: `load-times-small-lte-poor`."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-")[:80] or "chart"


def distinct(names: Sequence[str]) -> list[str]:
    """The names, those that another has already with a number behind."""
    taken: set[str] = set()
    found: list[str] = []
    for name in names:
        number, candidate = 2, name
        while candidate in taken:
            candidate, number = f"{name}-{number}", number + 1
        taken.add(candidate)
        found.append(candidate)
    return found


def _field(value: Value) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _words(value: Value) -> str:
    if value is None:
        return "–"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if abs(value) < 9999.5 else f"{value:.0f}"

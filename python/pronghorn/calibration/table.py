"""Calibrations in words: a table for people, and a row as half a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rich.table import Table

from pronghorn.calibration.rows import Report


def table(report: Report) -> Table:
    """Asked against measured, with what would have passed."""
    shown = Table(box=None, pad_edge=False)
    for heading in ("link", "quantity", "asked", "measured", "allowed", ""):
        justify: Literal["right", "left"] = "right" if heading in _FIGURES else "left"
        shown.add_column(heading, justify=justify, no_wrap=True)
    shown.add_column("", overflow="fold")
    for row in report.rows:
        figures = [_figure(value, row.unit) for value in (row.asked, row.measured)]
        bounds = " to ".join(_figure(value, row.unit) for value in (row.low, row.high))
        allowed = bounds if row.low is not None or row.high is not None else ""
        shown.add_row(row.direction, row.quantity, *figures, allowed, row.verdict, row.reason or "")
    return shown


def failed(reports: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of each path the latest report, where it didn't pass."""
    latest = {report["path"]: report for report in reports}
    return [report for report in latest.values() if not report["passed"]]


def row_text(row: Mapping[str, Any]) -> str:
    """A row as it stands in a manifest: `down rate: 8.1 Mbit/s measured, 10 Mbit/s asked`."""
    measured, asked = (_figure(row.get(key), row["unit"]) for key in ("measured", "asked"))
    return f"{row['direction']} {row['quantity']}: {measured} measured, {asked} asked"


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "s":
        return f"{value * 1e3:.3f} ms"
    if unit == "share":
        return f"{value * 100:.3g} %"
    if unit == "bit/s":
        scale, name = next((pair for pair in _RATES if value >= pair[0]), _RATES[-1])
        return f"{value / scale:.5g} {name}"
    if unit == "distance":
        return f"{value:.3f}"
    return f"{value:.1f}".removesuffix(".0")


_FIGURES = ("asked", "measured", "allowed")
_RATES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))

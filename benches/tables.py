"""Tables of measured times on stdout."""

import statistics
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table


def print_times(title: str, measured: Mapping[str, Sequence[float]], *, unit: str = "ms") -> None:
    """Prints a row for each series of times (seconds): median, 90th percentile, maximum, and the median as a
    multiple of the first row's."""
    scale = {"ms": 1e3, "µs": 1e6}[unit]
    baseline = statistics.median(next(iter(measured.values())))
    table = Table(title=title, title_justify="left")
    for heading in ("", f"median {unit}", f"p90 {unit}", f"max {unit}", "n", "× first row"):
        table.add_column(heading, justify="right" if heading else "left")
    for what, times in measured.items():
        ordered = sorted(times)
        figures = (
            statistics.median(ordered),
            ordered[min(len(ordered) * 9 // 10, len(ordered) - 1)],
            ordered[-1],
        )
        cells = [f"{figure * scale:.4g}" for figure in figures]
        table.add_row(what, *cells, str(len(ordered)), f"{figures[0] / baseline:.2f}")
    Console(width=100).print(table)

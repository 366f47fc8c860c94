"""A cell of loads as a table of text: the same columns on the terminal and in the report."""

from dataclasses import dataclass

from pronghorn.analysis.numbers import rate, seconds
from pronghorn.model.summary import ArmSummary, CellSummary, Figures, Metric

HEADINGS = ("requests/s", "min", "max", "total", "first byte p50", "p50", "p90", "p99", "p99.9")
LOAD_NOTE = (
    "Medians over the trials. p50 to p99.9 are of the total time of responses. Requests that failed or "
    "were cut count as never answered."
)

_LATENCIES: tuple[Metric, ...] = ("first_byte_p50", "total_p50", "total_p90", "total_p99", "total_p999")


@dataclass(frozen=True)
class LoadRow:
    """One arm: `figures` in the order of `HEADINGS`."""

    arm: str
    figures: tuple[str, ...]
    n: str
    failed: int


def load_rows(cell: CellSummary, limit_s: float | None) -> list[LoadRow]:
    """The arms of a cell of loads: medians over their trials. A time into which loads that were cut at
    `limit_s` reach is said to be over that."""
    return [
        LoadRow(
            name,
            (
                *(rate(getattr(arm.of("requests_per_second"), key)) for key in ("median", "min", "max")),
                total(arm, limit_s),
                *(_latency(arm, arm.of(metric)) for metric in _LATENCIES),
            ),
            str(arm.n),
            arm.failed,
        )
        for name, arm in cell.arms.items()
    ]


def total(arm: ArmSummary, limit_s: float | None) -> str:
    """The median time until the last response."""
    if arm.median is None and arm.n:
        return f"over {limit_s:g} s" if limit_s is not None else "never"
    return seconds(arm.median)


def _latency(arm: ArmSummary, figures: Figures) -> str:
    return "never" if figures.median is None and arm.n else seconds(figures.median)

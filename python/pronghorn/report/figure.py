"""A chart as the page's template shows it."""

from dataclasses import dataclass

from pronghorn.report.chart_data import ChartData


@dataclass(frozen=True)
class Chart:
    """A drawing at both widths, what it shows in words for those who don't see it, and, where no table beside
    it has them, the figures behind it."""

    wide: str
    narrow: str
    label: str
    data: ChartData | None = None

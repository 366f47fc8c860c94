"""All cells of one site on one scale: their violins and distributions one beneath the other."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pronghorn.analysis.numbers import seconds
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Cell
from pronghorn.report.chart_data import ChartData, named
from pronghorn.report.ecdf import Strip, ecdf
from pronghorn.report.figure import Chart
from pronghorn.report.load_charts import Times, curves
from pronghorn.report.ranks import ranked
from pronghorn.report.svg import NARROW, WIDE
from pronghorn.report.time_scale import time_scale
from pronghorn.report.violins import Lane, colour, draw

_LANE_PX, _STRIP_PX = 34, 84
_SHARES = {"p25_s": 0.25, "p50_s": 0.5, "p75_s": 0.75, "p90_s": 0.9}


class SiteView(NamedTuple):
    """One site: its anchor in the page, the heading, and its charts."""

    anchor: str
    heading: str
    violins: Chart
    distributions: Chart


def site_views(cells: Sequence[CellSummary], times: Mapping[Cell, Times]) -> list[SiteView]:
    """A view of each site that has several cells whose loads ended, page loads and loads of many requests
    apart."""
    kinds = dict.fromkeys((cell.site, cell.makes_loads) for cell in cells)
    found: list[SiteView] = []
    for site, makes_loads in kinds:
        mine = [
            cell
            for cell in cells
            if (cell.site, cell.makes_loads) == (site, makes_loads) and _ended(times[cell.cell])
        ]
        if len(mine) > 1:
            found.append(_view(f"site-{len(found) + 1}", site, mine, times, makes_loads=makes_loads))
    return found


def _view(
    anchor: str, site: str, cells: Sequence[CellSummary], times: Mapping[Cell, Times], *, makes_loads: bool
) -> SiteView:
    scale = time_scale([time for cell in cells for time in _ended(times[cell.cell])])
    lanes = [
        Lane(arm, colour(place), loads, cell.arms[arm].median, None if place else cell.title)
        for cell in cells
        for place, (arm, loads) in enumerate(times[cell.cell].items())
    ]
    strips = [Strip(cell.title, curves(times[cell.cell])) for cell in cells]
    medians = "; ".join(
        f"{cell.title}: {', '.join(f'{name} {seconds(arm.median)}' for name, arm in cell.arms.items())}"
        for cell in cells
    )
    what = "Total times of loads" if makes_loads else "Load times"
    wide, narrow = (draw(lanes, scale, width, lane_px=_LANE_PX) for width in (WIDE, NARROW))
    broad, slim = (ecdf(strips, scale, width, strip_px=_STRIP_PX) for width in (WIDE, NARROW))
    return SiteView(
        anchor=anchor,
        heading=f"{what} of the site {site}, all on one scale",
        violins=Chart(wide, narrow, f"Violin plots of load times of {site}. Medians: {medians}."),
        distributions=Chart(
            broad,
            slim,
            f"Empirical distributions of load times of {site}. Medians: {medians}.",
            _quantiles(site, cells, times),
        ),
    )


def _quantiles(site: str, cells: Sequence[CellSummary], times: Mapping[Cell, Times]) -> ChartData:
    return ChartData(
        name=named("load-time-quantiles", site),
        about="Nearest-rank quantiles of the load time in seconds; each cell has its own trials",
        columns=("cell", "arm", "n", "failed", *_SHARES),
        rows=tuple(
            (
                cell.title,
                arm,
                len(loads),
                sum(1 for time in loads if time is None),
                *(_quantile(loads, share) for share in _SHARES.values()),
            )
            for cell in cells
            for arm, loads in times[cell.cell].items()
        ),
    )


def _quantile(loads: Sequence[float | None], share: float) -> float | str:
    found = ranked(loads, share)
    return "failed" if found is None else found


def _ended(times: Times) -> list[float]:
    return [time for loads in times.values() for time in loads if time is not None]

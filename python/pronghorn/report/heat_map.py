"""HTTP/3 over another arm on every path and origin as a map: colour for the ratio, a mark where undecided."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.analysis.contrasts import of_pair
from pronghorn.analysis.numbers import interval, ratio
from pronghorn.model.cell import DIMENSIONS
from pronghorn.model.summary import Contrast, Summary, Verdict
from pronghorn.report.chart_data import ChartData

UNDECIDED = "?"
"""The mark of an undecided ratio."""

_FULL = math.log(4)
"""A ratio of four, or of one fourth, has the full colour."""

_LEAST, _MOST = 0.12, 0.45
"""Of the colour: of a ratio of one, and of a full one, on which the text still has a contrast of 4.5 : 1, by
day and by night (WCAG 2.2, 1.4.3)."""


class HeatCell(NamedTuple):
    """One ratio: its text with its interval, its mark, its colour (`faster` or `slower`) and how much of it,
    in per cent. A cell that wasn't measured has neither."""

    ratio: str
    interval: str
    mark: str
    colour: str
    strength: int
    verdict: Verdict


class HeatRow(NamedTuple):
    """One path."""

    path: str
    cells: tuple[HeatCell, ...]


class HeatMap(NamedTuple):
    """All paths against all pairs of arms and origins; `columns` names these. `data` are the ratios."""

    columns: tuple[str, ...]
    rows: tuple[HeatRow, ...]
    data: ChartData


def heat_map(summary: Summary) -> HeatMap | None:
    """The map of a run's contrasts; None where it has none."""
    found = summary.contrasts
    if not found:
        return None
    pairs = list(dict.fromkeys((one.arm, one.against) for one in found))
    places = list(dict.fromkeys((one.site, one.origin, one.kernel) for one in found))
    several_sites = len({site for site, *_ in places}) > 1
    columns, by_column = [], []
    for arm, against in pairs:
        for place in places:
            mine = [
                one for one in of_pair(found, arm, against) if (one.site, one.origin, one.kernel) == place
            ]
            cell = mine[0].cell
            where = ", ".join(filter(None, [cell.site if several_sites else "", cell.origin, cell.place]))
            columns.append(f"{arm} ÷ {against}, {where}")
            by_column.append({one.path: one for one in mine})
    paths = dict.fromkeys(one.path for one in found)
    rows = [HeatRow(path, tuple(_cell(column.get(path)) for column in by_column)) for path in paths]
    return HeatMap(tuple(columns), tuple(rows), _data(found))


def _data(found: Sequence[Contrast]) -> ChartData:
    return ChartData(
        name="http3-against-the-others",
        about="Ratios of requests per second; an end that isn't finite is empty",
        columns=(
            *DIMENSIONS, "arm", "against", "ratio", "ci95_low", "ci95_high", "verdict",
        ),
        rows=tuple(
            (
                *(getattr(one, name) for name in DIMENSIONS), one.arm, one.against, one.ratio, *one.ci95,
                one.verdict,
            )
            for one in found
        ),
    )  # fmt: skip


def _cell(found: Contrast | None) -> HeatCell:
    if found is None or (found.ratio is None and found.reason is not None):
        return HeatCell("–", "", UNDECIDED if found else "", "undecided", 0, "undecided")
    value = math.inf if found.ratio is None else found.ratio
    away = abs(math.log(value)) if 0 < value < math.inf else _FULL
    share = _LEAST + (_MOST - _LEAST) * min(1.0, away / _FULL)
    return HeatCell(
        ratio="∞" if math.isinf(value) else ratio(value, *found.ci95),
        interval=interval(*found.ci95),
        mark=UNDECIDED if found.verdict == "undecided" else "",
        colour="faster" if value >= 1 else "slower",
        strength=round(100 * share),
        verdict=found.verdict,
    )

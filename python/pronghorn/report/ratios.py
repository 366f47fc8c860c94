"""The chart of all verdicts: each arm's ratio to the baseline with its interval, against the equivalence
margin.
"""

import math

from pronghorn.analysis.numbers import ratio
from pronghorn.model.summary import Comparison, Summary
from pronghorn.report.ratio_axis import LEAST, MOST, interval_bar, ratio_ticks, within
from pronghorn.report.svg import WIDE, Rows, lane_axis, layer, own, quantity, svg, words

_ROOM = 0.09
"""How much of the ratios' span an axis has to spare at each end, for the half of a value above its point."""


def ratios(summary: Summary, width: int) -> str | None:
    """Each arm's ratio of median load times to the baseline's, with its interval and the equivalence margin.

    An end that isn't finite runs to the chart's edge; a ratio without an interval is a point. None where
    there is no ratio to show.
    """
    found = [
        (cell.title, comparison)
        for cell in summary.cells
        for comparison in cell.led()
        if _place(comparison) is not None
    ]
    if not found:
        return None
    ends = [end for _, one in found for end in (*one.ci95, one.ratio) if end and math.isfinite(end)]
    first, last = min([1 - 2 * summary.margin, *ends]), max([1 + 2 * summary.margin, *ends])
    spare = max(1.08, (last / first) ** _ROOM)
    low, high = max(LEAST, first / spare), min(MOST, last * spare)
    several = len(summary.arms) > 2
    rows: Rows = [
        {
            "lane": lane,
            "ratio": within(_place(one) or 0.0, low, high),
            "from": bar[0],
            "to": bar[1],
            "shown": ratio(one.ratio, *one.ci95) if one.ratio else "0" if one.ratio == 0 else "∞",
            "colour": f"var(--{one.verdict})",
        }
        for lane, (_, one) in enumerate(found)
        for bar in [interval_bar(one.ratio, one.ci95, low, high)]
    ]
    labels = [f"{title}\n{one.arm}" if several else title for title, one in found]
    ticks = ratio_ticks(low, high, width, labels)
    of_loads = all(cell.makes_loads for cell in summary.cells)
    mixed = any(cell.makes_loads for cell in summary.cells) and not of_loads
    left, right = ("less", "more") if mixed else ("slower", "faster")
    what = "requests per second" if of_loads else "load time"
    if mixed:
        what = "load time, or requests per second,"
    # As everywhere else, faster is right.
    scale = {"type": "log", "domain": [low, high], "nice": False, "reverse": not of_loads and not mixed}
    caption = f"← {left} · median {what} as a ratio to {summary.baseline}'s · {right} →"
    if width < WIDE:
        caption = f"← {left} · ratio to {summary.baseline} · {right} →"
    axis = {"title": caption, "values": ticks, "format": "~g", "labelOverlap": False}
    x, start = (quantity(field, scale=scale, axis=axis) for field in ("ratio", "from"))
    domain = {"domain": [len(rows) - 0.4, -0.6], "nice": False, "zero": False}
    y = quantity("lane", scale=domain, axis=lane_axis(labels, width))
    to = {"field": "to"}
    band = [{"ratio": 1 - summary.margin, "to": 1 + summary.margin}]
    bar = {"strokeWidth": 4, "strokeCap": "round", "strokeOpacity": 0.55}
    value = {"dy": -11, "fontSize": 12, "fontWeight": 600, "color": "var(--ink)"}
    layers = [
        layer(band, "rect", {"fill": "var(--band)"}, x=x, x2=to),
        layer([{"ratio": 1}], "rule", {"stroke": "var(--axis)"}, x=x),
        layer(rows, "rule", bar, x=start, x2=to, y=y, stroke=own("colour")),
        layer(rows, "point", {"filled": True, "size": 90, "opacity": 1}, x=x, y=y, color=own("colour")),
        layer(rows, "text", value, x=x, y=y, text=words("shown")),
    ]
    return svg(layers, width, (42 if several else 34) * len(rows) + 10)


def _place(comparison: Comparison) -> float | None:
    """Where the ratio stands: infinite where half of the arm's loads failed. None where there is no ratio."""
    if comparison.ratio is None and comparison.verdict == "slower":
        return math.inf
    return comparison.ratio

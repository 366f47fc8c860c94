"""The chart of an explanation: in each cell the steps' ratios one after the other, from no difference to the
whole one."""

from collections.abc import Sequence
from itertools import accumulate
from operator import mul

from pronghorn.analysis.numbers import ratio
from pronghorn.model.summary import Explained
from pronghorn.report.ratio_axis import LEAST, MOST, interval_bar, ratio_ticks
from pronghorn.report.svg import WIDE, Rows, lane_axis, layer, own, quantity, svg, words

LANE = 58
COLOURS = 8
"""The stylesheet's number of colours for steps, which are those of the arms; more steps start over."""


def steps(explained: Sequence[Explained], width: int) -> str | None:
    """A lane a cell: a bar a step, each beginning where the one before ends, and the whole ratio with its
    interval beneath them; on a logarithmic axis, on which the bars' lengths add up. Cells without a ratio are
    left out; None where that leaves none."""
    known = [one for one in explained if all(change.ratio for change in (one.total, *one.steps))]
    if not known:
        return None
    bars: Rows = []
    totals: Rows = []
    for lane, one in enumerate(known):
        height = 0.5 / len(one.steps)
        places = list(accumulate((step.ratio or 1.0 for step in one.steps), mul, initial=1.0))
        bars.extend(
            {
                "ratio": places[number],
                "to": places[number + 1],
                "top": lane - 0.4 + height * number,
                "bottom": lane - 0.4 + height * (number + 0.85),
                "colour": f"var(--arm-{number % COLOURS})",
            }
            for number in range(len(one.steps))
        )
        whole = one.total.ratio or 1.0
        totals.append({"ratio": whole, "lane": lane + 0.22, "shown": ratio(whole, *one.total.ci95)})
    ends = [row[key] for row in (*bars, *totals) for key in ("ratio", "to") if key in row]
    ends += [end for one in known for end in one.total.ci95 if end]
    low_end, high_end = max(LEAST, min(0.95, *ends) / 1.05), min(MOST, max(1.05, *ends) * 1.12)
    for row, one in zip(totals, known, strict=True):
        row["from"], row["to"] = interval_bar(one.total.ratio, one.total.ci95, low_end, high_end)
    first = known[0].total
    caption = f"← less time · ratio of {first.to_arm} to {first.from_arm}, step by step · more time →"
    if width < WIDE:
        caption = "← less · ratio · more →"
    axis = {
        "title": caption,
        "values": ratio_ticks(low_end, high_end, width, [one.title for one in known]),
        "format": "~g",
        "labelOverlap": False,
    }
    scale = {"type": "log", "domain": [low_end, high_end], "nice": False, "clamp": True}
    domain = {"domain": [len(known) - 0.4, -0.6], "nice": False, "zero": False}
    lanes = lane_axis([one.title for one in known], width)
    x, start, end = (quantity(field, scale=scale, axis=axis) for field in ("ratio", "from", "to"))
    y, top = (quantity(field, scale=domain, axis=lanes) for field in ("lane", "top"))
    to = {"field": "to"}
    ink = {"color": "var(--ink)"}
    whole_bar = {"strokeWidth": 3, "strokeCap": "round", "strokeOpacity": 0.6, "stroke": "var(--ink)"}
    value = {"dx": 6, "align": "left", "fontSize": 12, "fontWeight": 600, **ink}
    layers = [
        layer([{"ratio": 1}], "rule", {"stroke": "var(--axis)"}, x=x),
        layer(bars, "rect", {"opacity": 0.85}, x=x, x2=to, y=top, y2={"field": "bottom"}, fill=own("colour")),
        layer(totals, "rule", whole_bar, x=start, x2=to, y=y),
        layer(totals, "point", {"filled": True, "size": 60, "opacity": 1, **ink}, x=x, y=y),
        layer(totals, "text", value, x=end, y=y, text=words("shown")),
    ]
    return svg(layers, width, LANE * len(known) + 10)

"""The chart of a cell: a violin of load times for each arm, with the trials as points."""

from collections.abc import Mapping, Sequence

import altair as alt

from pronghorn.analysis.numbers import seconds
from pronghorn.model.summary import CellSummary
from pronghorn.report.density import jitter, outline, spread_is_large
from pronghorn.report.svg import Rows, lane_axis, own, svg
from pronghorn.report.units import unit_for

LANE = 64
COLOURS = 8
"""How many arm colours the stylesheet has; more arms begin again."""


def violins(cell: CellSummary, times: Mapping[str, Sequence[float | None]], width: int) -> str | None:
    """A violin an arm, with each trial as a point and the median as a bar; None where no trial ended.

    `times` holds each arm's load times in seconds, None for a failed trial; those stand as crosses at the
    right edge.
    """
    ended = [time for loads in times.values() for time in loads if time is not None]
    if not ended:
        return None
    logarithmic = spread_is_large(ended)
    unit = unit_for(ended)
    low, high = min(ended) * unit.per_second, max(ended) * unit.per_second
    any_failed = any(time is None for loads in times.values() for time in loads)
    edge = high * (high / low) ** 0.12 if logarithmic else high + 0.12 * (high - low or high)
    shapes: Rows = []
    points: Rows = []
    medians: Rows = []
    failures: Rows = []
    for lane, (arm, loads) in enumerate(times.items()):
        colour = f"var(--arm-{lane % COLOURS})"
        mine = [time * unit.per_second for time in loads if time is not None]
        shapes.extend(
            {
                "time": time,
                "from": lane - 0.36 * height,
                "to": lane + 0.36 * height,
                "arm": arm,
                "colour": colour,
            }
            for time, height in outline(mine, logarithmic=logarithmic)
        )
        for time, offset in zip(loads, jitter(len(loads)), strict=True):
            points.append(
                {
                    "time": edge if time is None else time * unit.per_second,
                    "lane": lane + 0.3 * offset,
                    "colour": "var(--bad)" if time is None else colour,
                    "failed": time is None,
                }
            )
        if len(mine) < len(loads):
            failures.append({"time": edge, "from": lane - 0.38, "shown": f"{len(loads) - len(mine)} failed"})
        median = cell.arms[arm].median
        if median is not None:
            medians.append(
                {
                    "time": median * unit.per_second,
                    "from": lane - 0.38,
                    "to": lane + 0.38,
                    "colour": colour,
                    "shown": seconds(median),
                }
            )
    scale = alt.Scale(
        type="log" if logarithmic else "linear", zero=False, nice=not (any_failed or logarithmic), padding=8
    )
    title = f"load time in {unit.symbol}{', logarithmic' if logarithmic else ''}"
    ticks = alt.Axis(title=title, tickCount=max(3, width // 110), labelOverlap=True, format=".4~r")
    x = alt.X("time:Q", scale=scale, axis=ticks)
    lanes = lane_axis(list(times))
    domain = alt.Scale(domain=[len(times) - 0.45, -0.6], nice=False, zero=False)
    layers = [
        alt.Chart(alt.InlineData(values=shapes))
        .mark_area(fillOpacity=0.22, strokeOpacity=0.7, strokeWidth=1, line=False)
        .encode(
            x=x,
            y=alt.Y("from:Q", scale=domain, axis=lanes),
            y2="to:Q",
            detail="arm:N",
            fill=own("colour"),
            stroke=own("colour"),
        ),
        alt.Chart(alt.InlineData(values=[point for point in points if not point["failed"]]))
        .mark_point(filled=True, size=26, opacity=0.8)
        .encode(x=x, y=alt.Y("lane:Q", scale=domain, axis=lanes), color=own("colour")),
        alt.Chart(alt.InlineData(values=[point for point in points if point["failed"]]))
        .mark_point(shape="M-.6,-.6L.6,.6M.6,-.6L-.6,.6", size=60, strokeWidth=2)
        .encode(x=x, y=alt.Y("lane:Q", scale=domain, axis=lanes), stroke=own("colour")),
        alt.Chart(alt.InlineData(values=medians))
        .mark_rule(strokeWidth=3, strokeCap="round")
        .encode(x=x, y=alt.Y("from:Q", scale=domain, axis=lanes), y2="to:Q", color=own("colour")),
        alt.Chart(alt.InlineData(values=medians))
        .mark_text(dy=-7, fontSize=12, fontWeight=600, color="var(--ink)")
        .encode(x=x, y=alt.Y("from:Q", scale=domain, axis=lanes), text="shown:N"),
    ]
    if failures:
        layers.append(
            alt.Chart(alt.InlineData(values=failures))
            .mark_text(dy=-7, dx=6, align="right", fontSize=12, fontWeight=600, color="var(--bad)")
            .encode(x=x, y=alt.Y("from:Q", scale=domain, axis=lanes), text="shown:N")
        )
    return svg(layers, width, LANE * len(times))

"""A drawing of how a path fared over time: throughput, queueing delay and drops, in both directions."""

from typing import Any

import altair as alt
import vl_convert

from pronghorn.command import LinkSample, Series

_WIDTH, _HEIGHT = 720, 130
_COLOURS = {"down": "#1f6fb4", "up": "#d0661b"}
_PANELS = (
    ("mbit_per_s", "throughput (Mbit/s)"),
    ("queue_ms", "at the bottleneck (ms)"),
    ("dropped", "packets dropped"),
)


def draw(series: Series, title: str) -> str:
    """The SVG, one panel a quantity. Each point is the mean over the interval before it; `at the bottleneck`
    is what a packet spent there on average, waiting and being sent; drops are of the interval."""
    rows = intervals(series)
    panels = [
        alt.Chart(alt.InlineData(values=[row for row in rows if row[key] is not None]))
        .mark_line(interpolate="step-before", strokeWidth=1.2)
        .encode(
            x=alt.X("time_s:Q", title="time (s)" if key == _PANELS[-1][0] else None),
            y=alt.Y(f"{key}:Q", title=name, scale=alt.Scale(zero=True)),
            color=alt.Color(
                "direction:N",
                title=None,
                scale=alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values())),
            ),
        )
        .properties(width=_WIDTH, height=_HEIGHT)
        for key, name in _PANELS
    ]
    chart = alt.vconcat(*panels).properties(title=title).resolve_scale(x="shared")
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))


def intervals(series: Series) -> list[dict[str, Any]]:
    """A row an interval and direction. `queue_ms` is None where no packet left in it."""
    rows = []
    for before, after in zip(series.samples, series.samples[1:], strict=False):
        span = after.time_s - before.time_s
        if span <= 0:
            continue
        for direction in _COLOURS:
            past: LinkSample = getattr(before, direction)
            now: LinkSample = getattr(after, direction)
            packets = now.packets_out - past.packets_out
            spent = now.bottleneck_s - past.bottleneck_s
            rows.append(
                {
                    "time_s": after.time_s,
                    "direction": direction,
                    "mbit_per_s": (now.bytes_out - past.bytes_out) * 8 / span / 1e6,
                    "queue_ms": spent / packets * 1e3 if packets else None,
                    "dropped": now.dropped - past.dropped,
                }
            )
    return rows

"""A drawing of how a path fared over time: throughput, queueing delay and drops, in both directions."""

from itertools import pairwise
from typing import Any

import vl_convert

from pronghorn.command import LinkSample, Series
from pronghorn.foreign import visible

_WIDTH, _HEIGHT = 720, 130
_COLOURS = {"down": "#1f6fb4", "up": "#d0661b"}
_PANELS = (
    ("mbit_per_s", "throughput (Mbit/s)"),
    ("queue_ms", "at the bottleneck (ms)"),
    ("dropped", "packets dropped"),
)


def draw(series: Series, title: str) -> str:
    """The SVG, one panel a quantity. A level stands for an interval and is the mean over it; `at the
    bottleneck` is what a packet spent there on average, waiting and being sent, with a gap where none left;
    drops are of the interval."""
    rows = intervals(series)
    panels = [_panel(steps(rows, key), key, name) for key, name in _PANELS]
    chart = {"title": title, "vconcat": panels, "resolve": {"scale": {"x": "shared"}}}
    return visible(vl_convert.vegalite_to_svg(chart))


def _panel(points: list[dict[str, Any]], key: str, name: str) -> dict[str, Any]:
    colours = {"domain": list(_COLOURS), "range": list(_COLOURS.values())}
    last = key == _PANELS[-1][0]
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": points},
        "mark": {"type": "line", "strokeWidth": 1.2},
        "encoding": {
            "detail": {"field": "run", "type": "nominal"},
            "x": {"field": "time_s", "type": "quantitative", "title": "time (s)" if last else None},
            "y": {"field": key, "type": "quantitative", "title": name, "scale": {"zero": True}},
            "color": {"field": "direction", "type": "nominal", "title": None, "scale": colours},
        },
    }


def steps(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Both ends of each interval's level of `key`; levels without a gap between them share a `run`."""
    points = []
    for direction in _COLOURS:
        run = 0
        for row in rows:
            if row["direction"] != direction:
                continue
            if row[key] is None:
                run += 1
                continue
            points += [
                {"time_s": row[end], "direction": direction, "run": run, key: row[key]}
                for end in ("from_s", "time_s")
            ]
    return points


def intervals(series: Series) -> list[dict[str, Any]]:
    """A row an interval and direction. `queue_ms` is None where no packet left in it.

    What the command's end has cut to less than half an interval counts with the one before: a single packet
    in it would look like a rate that no link had."""
    rows = []
    samples = list(series.samples)
    if len(samples) > 2 and samples[-1].time_s - samples[-2].time_s < series.interval_s / 2:
        del samples[-2]
    for before, after in pairwise(samples):
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
                    "from_s": before.time_s,
                    "time_s": after.time_s,
                    "direction": direction,
                    "mbit_per_s": (now.bytes_out - past.bytes_out) * 8 / span / 1e6,
                    "queue_ms": spent / packets * 1e3 if packets else None,
                    "dropped": now.dropped - past.dropped,
                }
            )
    return rows

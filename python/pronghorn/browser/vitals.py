"""The figures by which browsers tell how a load felt, as observers saw them whom the page can't reach.

They live in a world of their own (the DevTools protocol's isolated world, as extensions have): the page's
objects are theirs, its scripts' changes to them are not."""

import asyncio
import json
import math
from typing import Any

from playwright.async_api import CDPSession

WORLD = "pronghorn"

_MOST_ENTRIES = 10_000
"""Of layout shifts, and of long tasks: more are not kept."""

_OBSERVE = """
(() => {
  if (self !== top) return;
  const seen = {lcp: null, shifts: [], longtasks: []};
  const keep = (list, entry) => { if (list.length < MOST_ENTRIES) list.push(entry); };
  globalThis.seen = seen;
  const observe = (type, take) => new PerformanceObserver(list => list.getEntries().forEach(take))
    .observe({type, buffered: true});
  observe('largest-contentful-paint', entry => { seen.lcp = entry.startTime; });
  observe('layout-shift', entry => {
    if (!entry.hadRecentInput) keep(seen.shifts, [entry.startTime, entry.value]);
  });
  observe('longtask', entry => { keep(seen.longtasks, [entry.startTime, entry.duration]); });
})();
""".replace("MOST_ENTRIES", str(_MOST_ENTRIES))

_READ = """
(() => {
  const navigation = performance.getEntriesByType('navigation')[0];
  const paint = performance.getEntriesByName('first-contentful-paint', 'paint')[0];
  return JSON.stringify({
    navigation: navigation ? {
      name: navigation.name,
      domContentLoadedEventStart: navigation.domContentLoadedEventStart,
      loadEventStart: navigation.loadEventStart,
    } : null,
    fcp: paint ? paint.startTime : null,
    ...(globalThis.seen || {lcp: null, shifts: [], longtasks: []}),
  });
})()
"""

NOTHING: dict[str, Any] = {
    "navigation": None,
    "fcp": None,
    "lcp": None,
    "shifts": None,
    "longtasks": [],
}
"""What is seen of a document that did not come: what the browser shows instead is no part of the load."""

_WINDOW_GAP_MS, _WINDOW_MS = 1000.0, 5000.0

_LONG_MS = 50.0
"""A task that lasts longer blocks a page for what is beyond (Web Vitals: total blocking time)."""

_MOST_MS = 1e9
"""No load lasts eleven days: a greater number is none."""

_PAINT_TRIES, _PAINT_STEP_S = 16, 0.02
"""How often a page that has painted nothing is asked again, and how soon."""


async def observe(session: CDPSession) -> None:
    """Puts the observers into every document to come."""
    await session.send("Page.addScriptToEvaluateOnNewDocument", {"source": _OBSERVE, "worldName": WORLD})


async def read(session: CDPSession, frame: str) -> dict[str, Any]:
    """What the observers have seen of the document in `frame`, with its Navigation Timing; times in
    milliseconds since the navigation's start. Whatever is no number that it could be is null."""
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
    asked = {"expression": _READ, "contextId": world["executionContextId"], "returnByValue": True}
    for _ in range(_PAINT_TRIES):
        answer = await session.send("Runtime.evaluate", asked)
        seen = _sane(json.loads(answer["result"]["value"]))
        if seen["fcp"] is not None:
            break
        await asyncio.sleep(_PAINT_STEP_S)
    return seen


def later(seen: dict[str, Any], by_s: float) -> dict[str, Any]:
    """The same with all times counted from `by_s` seconds earlier: from the start of a navigation before."""
    if not by_s:
        return seen
    ms = by_s * 1e3

    def moved(value: Any) -> Any:
        return value + ms if value else value

    navigation = seen["navigation"]
    return {
        "navigation": navigation
        and {name: value if name == "name" else moved(value) for name, value in navigation.items()},
        "fcp": moved(seen["fcp"]),
        "lcp": moved(seen["lcp"]),
        "shifts": seen["shifts"] and [[time + ms, score] for time, score in seen["shifts"]],
        "longtasks": [[start + ms, duration] for start, duration in seen["longtasks"]],
    }


def figures(seen: dict[str, Any]) -> dict[str, float | None]:
    """The record's `vitals`: seconds but for `cls`, which has no unit; null where none is known.

    `tbt_s` is of the long tasks between the first contentful paint and the load event."""
    navigation = seen["navigation"] or {}
    return {
        "fcp_s": seconds(seen["fcp"]),
        "lcp_s": seconds(seen["lcp"]),
        "cls": layout_shift(seen["shifts"]) if seen["shifts"] is not None else None,
        "tbt_s": _blocking_s(seen, navigation.get("loadEventStart") or None),
        "speed_index_s": None,
        "dom_content_loaded_s": seconds(navigation.get("domContentLoadedEventStart")),
    }


def layout_shift(shifts: list[tuple[float, float]]) -> float:
    """Cumulative layout shift of shifts, each its time in milliseconds and its score: the largest sum within
    a session window, which ends a second after its last shift and lasts five seconds at most (Web Vitals)."""
    most = total = 0.0
    first = last = float("-inf")
    for time, score in sorted(shifts):
        if time - last >= _WINDOW_GAP_MS or time - first >= _WINDOW_MS:
            first, total = time, 0.0
        last, total = time, total + score
        most = max(most, total)
    return most


def seconds(milliseconds: float | None) -> float | None:
    """Of a time in milliseconds; zero means that it was not reached."""
    return milliseconds / 1e3 if milliseconds else None


def _sane(seen: dict[str, Any]) -> dict[str, Any]:
    navigation = seen["navigation"]
    return {
        "navigation": navigation
        and {name: value if name == "name" else _number(value) for name, value in navigation.items()},
        "fcp": _number(seen["fcp"]),
        "lcp": _number(seen["lcp"]),
        **{name: [pair for pair in seen[name] if None not in map(_number, pair)] for name in _LISTS},
    }


_LISTS = ("shifts", "longtasks")


def _number(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and math.isfinite(value) and 0 <= value <= _MOST_MS else None


def _blocking_s(seen: dict[str, Any], until_ms: float | None) -> float | None:
    if seen["fcp"] is None or until_ms is None:
        return None
    blocked = 0.0
    for start, duration in seen["longtasks"]:
        begin, end = max(start, seen["fcp"]), min(start + duration, until_ms)
        blocked += max(0.0, end - begin - _LONG_MS)
    return blocked / 1e3

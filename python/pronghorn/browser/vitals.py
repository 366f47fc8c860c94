"""The figures by which browsers tell how a load felt, as the page's own observers saw them."""

import json
from typing import Any

from playwright.async_api import CDPSession

_OBSERVE = """
(() => {
  const seen = {lcp: null, shifts: [], longtasks: []};
  Object.defineProperty(window, '__pronghorn', {value: seen, enumerable: false});
  const observe = (type, take) => new PerformanceObserver(list => list.getEntries().forEach(take))
    .observe({type, buffered: true});
  observe('largest-contentful-paint', entry => { seen.lcp = entry.startTime; });
  observe('layout-shift', entry => {
    if (!entry.hadRecentInput) seen.shifts.push([entry.startTime, entry.value]);
  });
  observe('longtask', entry => { seen.longtasks.push([entry.startTime, entry.duration]); });
})();
"""

_READ = """
(async () => {
  const painted = () => performance.getEntriesByName('first-contentful-paint').length > 0;
  const pause = ms => new Promise(done => setTimeout(done, ms));
  for (let waited = 0; !painted() && waited < 300; waited += 20) await pause(20);
  const navigation = performance.getEntriesByType('navigation')[0];
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  return JSON.stringify({
    navigation: navigation ? navigation.toJSON() : null,
    fcp: paint ? paint.startTime : null,
    ...(window.__pronghorn || {lcp: null, shifts: [], longtasks: []}),
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


async def observe(session: CDPSession) -> None:
    """Puts the observers into every document to come."""
    await session.send("Page.addScriptToEvaluateOnNewDocument", {"source": _OBSERVE})


async def read(session: CDPSession) -> dict[str, Any]:
    """What the current document's observers have seen, with its Navigation Timing; times in milliseconds
    since the navigation's start."""
    answer = await session.send(
        "Runtime.evaluate", {"expression": _READ, "returnByValue": True, "awaitPromise": True}
    )
    table: dict[str, Any] = json.loads(answer["result"]["value"])
    return table


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


def _blocking_s(seen: dict[str, Any], until_ms: float | None) -> float | None:
    if seen["fcp"] is None or until_ms is None:
        return None
    blocked = 0.0
    for start, duration in seen["longtasks"]:
        begin, end = max(start, seen["fcp"]), min(start + duration, until_ms)
        blocked += max(0.0, end - begin - _LONG_MS)
    return blocked / 1e3

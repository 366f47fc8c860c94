"""The figures by which browsers tell how a load felt, as the page's own observers saw them."""

import json
from typing import Any

from playwright.async_api import CDPSession

_OBSERVE = """
(() => {
  const seen = {lcp: null, cls: 0, longtasks: []};
  Object.defineProperty(window, '__pronghorn', {value: seen, enumerable: false});
  const observe = (type, take) => new PerformanceObserver(list => list.getEntries().forEach(take))
    .observe({type, buffered: true});
  observe('largest-contentful-paint', entry => { seen.lcp = entry.startTime; });
  observe('layout-shift', entry => { if (!entry.hadRecentInput) seen.cls += entry.value; });
  observe('longtask', entry => { seen.longtasks.push([entry.startTime, entry.duration]); });
})();
"""

_READ = """
(() => {
  const navigation = performance.getEntriesByType('navigation')[0];
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  return JSON.stringify({
    navigation: navigation ? navigation.toJSON() : null,
    fcp: paint ? paint.startTime : null,
    ...(window.__pronghorn || {lcp: null, cls: null, longtasks: []}),
  });
})()
"""

_LONG_MS = 50.0
"""A task that lasts longer blocks a page for what is beyond (Web Vitals: total blocking time)."""


async def observe(session: CDPSession) -> None:
    """Puts the observers into every document to come."""
    await session.send("Page.addScriptToEvaluateOnNewDocument", {"source": _OBSERVE})


async def read(session: CDPSession) -> dict[str, Any]:
    """What the current document's observers have seen, with its Navigation Timing; times in milliseconds
    since the navigation's start."""
    answer = await session.send("Runtime.evaluate", {"expression": _READ, "returnByValue": True})
    table: dict[str, Any] = json.loads(answer["result"]["value"])
    return table


def figures(seen: dict[str, Any]) -> dict[str, float | None]:
    """The record's `vitals`: seconds but for `cls`, which has no unit; null where none is known.

    `tbt_s` is of the long tasks between the first contentful paint and the load event."""
    navigation = seen["navigation"] or {}
    return {
        "fcp_s": seconds(seen["fcp"]),
        "lcp_s": seconds(seen["lcp"]),
        "cls": seen["cls"],
        "tbt_s": _blocking_s(seen, navigation.get("loadEventStart") or None),
        "speed_index_s": None,
        "dom_content_loaded_s": seconds(navigation.get("domContentLoadedEventStart")),
    }


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

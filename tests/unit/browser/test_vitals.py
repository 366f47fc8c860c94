"""Figures of how a load felt: nothing that is no number gets through, and times count from the first
navigation."""

import asyncio
import json
from typing import Any, cast

from playwright.async_api import CDPSession

from pronghorn.browser import vitals

SEEN: dict[str, Any] = {
    "navigation": {"name": "x", "domContentLoadedEventStart": 80.0, "loadEventStart": 100.0},
    "fcp": 50.0,
    "lcp": 60.0,
    "shifts": [[70.0, 0.1]],
    "longtasks": [[55.0, 100.0]],
}


class Page:
    """A session whose page has seen what a test says."""

    def __init__(self, seen: dict[str, Any]) -> None:
        self._seen = seen

    async def send(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """As playwright's."""
        del parameters
        if method == "Page.createIsolatedWorld":
            return {"executionContextId": 1}
        return {"result": {"value": json.dumps(self._seen)}}


def read(**changes: Any) -> dict[str, Any]:
    """What is read of a page."""
    return asyncio.run(vitals.read(cast("CDPSession", Page(SEEN | changes)), "page"))


def test_what_is_no_number_is_not_taken_for_one() -> None:
    assert read() == SEEN
    assert read(lcp=-1.0)["lcp"] is None
    assert read(lcp=1e300)["lcp"] is None
    assert read(lcp=float("nan"))["lcp"] is None
    assert read(lcp="soon")["lcp"] is None
    assert read(lcp=True)["lcp"] is None
    assert read(shifts=[[1.0, float("inf")], [2.0, 0.5], [-3.0, 0.5]])["shifts"] == [[2.0, 0.5]]
    assert read(navigation={"name": "x", "loadEventStart": -5.0})["navigation"]["loadEventStart"] is None


def test_times_count_from_the_first_navigation() -> None:
    first, second = vitals.figures(SEEN), vitals.figures(vitals.later(SEEN, 2.0))
    for name in ("fcp_s", "lcp_s", "dom_content_loaded_s"):
        assert round((second[name] or 0) - (first[name] or 0), 9) == 2.0
    for name in ("cls", "tbt_s"):
        assert second[name] == first[name]
    assert vitals.later(vitals.NOTHING, 2.0) == vitals.NOTHING

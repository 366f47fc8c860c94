"""When a load is over: after its load event the page is scrolled to its end, and then no request has been
under way for `QUIET_S`, or `SETTLE_S` have passed since."""

import asyncio
import contextlib
import time

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from pronghorn.browser.events import Events

QUIET_S = 1.0
SETTLE_S = 15.0
"""A page that never falls silent, such as one that polls, is over then. What is still under way is left
out, and counted."""

MOST_STEPS = 50
STEP_S = 0.1
_POLL_S = 0.05
_ANSWER_S = 5.0

_DOWN = "() => { const at = scrollY; scrollBy(0, innerHeight); return scrollY > at; }"


async def loaded(events: Events, limit_s: float) -> bool:
    """Waits for the load event for at most `limit_s`; whether it came."""
    until = time.monotonic() + limit_s
    while not events.loaded and not events.too_large and time.monotonic() < until:
        await asyncio.sleep(_POLL_S)
    return events.loaded


async def scrolled(page: Page) -> None:
    """Scrolls to the page's end, a viewport a step, at most `MOST_STEPS`; then back to its beginning."""
    with contextlib.suppress(PlaywrightError, TimeoutError):
        for _ in range(MOST_STEPS):
            async with asyncio.timeout(_ANSWER_S):
                if not await page.evaluate(_DOWN):
                    break
            await asyncio.sleep(STEP_S)
        async with asyncio.timeout(_ANSWER_S):
            await page.evaluate("() => scrollTo(0, 0)")


async def quiet(events: Events) -> None:
    """Waits until nothing has been under way for `QUIET_S`, for at most `SETTLE_S`."""
    until = time.monotonic() + SETTLE_S
    since = time.monotonic()
    known = len(events.exchanges)
    while time.monotonic() < until and not events.too_large:
        await asyncio.sleep(_POLL_S)
        if not events.complete or len(events.exchanges) != known:
            known, since = len(events.exchanges), time.monotonic()
        elif time.monotonic() - since >= QUIET_S:
            return

"""A browser of its own profile: started, warmed up, visited with, and ended."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal, Self

from playwright.async_api import BrowserContext, async_playwright
from playwright.async_api import Error as PlaywrightError

from pronghorn.browser import state
from pronghorn.browser.job import PROFILE, Failed, Job
from pronghorn.browser.tab import BLANK, GRACE_S, Tab, answering

_WARM_PAGE = (
    "data:text/html,<!doctype html><title>warm</title><style>p{font:16px sans-serif}i{font-family:serif}"
    "</style><p>Warm <b>up</b> <i>the</i> <code>fonts</code><script>document.title='warm'</script>"
)
"""Needs no network; what it does is what a first page would otherwise pay for: renderer, fonts, script,
drawing."""

_DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Browser:
    """A browser with one page, which is at an empty one between loads."""

    def __init__(self, job: Job, context: BrowserContext, tab: Tab) -> None:
        self._job = job
        self._context = context
        self._tab = tab

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, job: Job, folder: Path) -> AsyncIterator[Self]:
        """Starts it; Failed where it does not come up."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                playwright = await stack.enter_async_context(async_playwright())
                context = await playwright.chromium.launch_persistent_context(
                    folder / PROFILE,
                    executable_path=job.executable,
                    headless=True,
                    chromium_sandbox=sandboxed(),
                    args=job.switches,
                    viewport={"width": job.width, "height": job.height},
                    service_workers=service_workers(job),
                )
                stack.push_async_callback(_close, context)
                page = context.pages[0]
                await page.goto(_WARM_PAGE)
                await page.evaluate(_DRAWN)
                await page.goto(BLANK)
                tab = await Tab.open(job, context, page)
            except PlaywrightError as error:
                raise Failed("browser", f"the browser did not start: {error.message}") from error
            yield cls(job, context, tab)

    async def about(self) -> dict[str, Any]:
        """What runs: `version`, and whether the browser's own sandbox is on."""
        version = await self._tab.session.send("Browser.getVersion")
        return {"version": version["product"], "sandbox": sandboxed()}

    async def prepare(self) -> None:
        """Visits the page once and closes all connections; tickets, what was learnt of HTTP/3 and the HTTP
        cache stay. Failed where the visit fails.

        The visit has a page of its own, whose process takes along what it holds in memory."""
        async with answering("before the unmeasured visit"):
            page = await self._context.new_page()
            visitor = await Tab.open(self._job._replace(artifacts={}), self._context, page)
        load = await visitor.load()
        if load["outcome"] != "ok":
            raise Failed("prepare", f"the unmeasured visit failed: {load['reason']}: {load['detail']}")
        async with answering("after the unmeasured visit"):
            await page.close()
            await state.close_connections(self._context)

    async def load(self) -> dict[str, Any]:
        """One measured navigation: a PageLoad. A page that no longer answers is replaced for it."""
        if self._tab.stuck:
            async with answering("while a busy page was closed"):
                page = await self._context.new_page()
                await self._tab.page.close()
                self._tab = await Tab.open(self._job, self._context, page)
        return await self._tab.load()

    async def close(self) -> None:
        """Ends it; what the browser itself was asked to leave is written then."""
        await _close(self._context)


def service_workers(job: Job) -> Literal["allow", "block"]:
    """Whether pages may have service workers: a replayed one had none when it was recorded."""
    return "block" if job.recorded else "allow"


def sandboxed() -> bool:
    """Whether the browser's own sandbox is on: Chromium has none for root."""
    return os.geteuid() != 0


async def _close(context: BrowserContext) -> None:
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(GRACE_S):
            await context.close()

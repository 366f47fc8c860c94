"""One page of the browser: what its navigations do is heard, and made into records."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Self

from playwright.async_api import BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pronghorn import cpu_time
from pronghorn.browser import record, vitals
from pronghorn.browser.artifacts import Keeper
from pronghorn.browser.events import Events
from pronghorn.browser.job import Failed, Job

BLANK = "about:blank"
GRACE_S = 5.0
"""How long a browser that lives may take for an answer."""
_ARTIFACTS_S = 15.0


class Tab:
    """A page that is ready to navigate."""

    def __init__(self, job: Job, context: BrowserContext, page: Page, session: CDPSession) -> None:
        self.page = page
        self.session = session
        self.events = Events(session)
        self._job = job
        self._keeper = Keeper(job, context, page, session)
        self._asked = 0.0
        self._committed = False
        self._gone = asyncio.Event()
        self._changed = asyncio.Event()
        self.events.changed = self._changed.set
        page.on("crash", lambda _: self._gone.set())
        page.on("close", lambda _: self._gone.set())
        context.on("close", lambda _: self._gone.set())

    @classmethod
    async def open(cls, job: Job, context: BrowserContext, page: Page) -> Self:
        """Listens to a page, with what is to hold for its documents."""
        session = await context.new_cdp_session(page)
        tab = cls(job, context, page, session)
        for domain, parameters in (
            ("Network", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
            ("Page", {}),
            ("Performance", {}),
        ):
            await session.send(f"{domain}.enable", parameters)
        await vitals.observe(session)
        if not job.cache:
            await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        if job.cpu_slowdown != 1:
            await session.send("Emulation.setCPUThrottlingRate", {"rate": job.cpu_slowdown})
        return tab

    async def load(self) -> dict[str, Any]:
        """One navigation from an empty page: a PageLoad. Failed where the browser crashes or hangs."""
        async with answering("before a load"):
            if self.page.url != BLANK:
                await self.page.goto(BLANK)
            self.events.clear()
            await self._keeper.before()
        before_s = _browsers_cpu_s()
        try:
            async with asyncio.timeout(self._job.limit_s):
                fault = await self._until_gone(self._navigate())
        except TimeoutError:
            fault = "timeout"
        self.events.ended = True
        after_s = _browsers_cpu_s()
        async with answering("after a load"):
            if self._committed:
                started, seen = await self._started(), await vitals.read(self.session)
            else:
                started, seen = self._asked, vitals.NOTHING
                await self.session.send("Page.stopLoading")
        page = record.make(self.events, started, seen, self._job, fault)
        page["ahead_s"] = max(0.0, started - self._asked)
        if before_s is not None and after_s is not None:
            page["processes_cpu_s"] = max(0.0, after_s - before_s)
        async with answering("while artifacts were made", _ARTIFACTS_S):
            page["vitals"]["speed_index_s"] = await self._keeper.after(self.events, started, seen)
        return page

    async def _started(self) -> float:
        """When the current document's navigation began, in seconds of the browser's clock, which is Python's
        monotonic one."""
        answer = await self.session.send("Performance.getMetrics")
        return next(float(one["value"]) for one in answer["metrics"] if one["name"] == "NavigationStart")

    async def _navigate(self) -> str | None:
        """Until the load event has come and all requests have ended; why it did not get there, or None.

        Before the browser has committed to a document, the server's or an error page, the page answers
        nothing: the browser holds back what is asked of it."""
        self._asked, self._committed = time.monotonic(), False
        answer = await self.session.send("Page.navigate", {"url": self._job.url})
        self._committed = True
        if error := answer.get("errorText"):
            return str(error)
        while not self.events.complete:
            self._changed.clear()
            await self._changed.wait()
        return None

    async def _until_gone(self, work: Coroutine[Any, Any, str | None]) -> str | None:
        """The result of `work`; Failed where the page crashes or the browser ends meanwhile."""
        task, gone = asyncio.create_task(work), asyncio.create_task(self._gone.wait())
        try:
            await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
            if self._gone.is_set():
                raise Failed("browser", "the browser crashed or was ended in mid-load")
            return task.result()
        except PlaywrightError as error:
            raise Failed("browser", f"the browser broke off in mid-load: {error.message}") from error
        finally:
            for waiting in (task, gone):
                waiting.cancel()
            await asyncio.gather(task, gone, return_exceptions=True)


def _browsers_cpu_s() -> float | None:
    """CPU time that the browser's processes have used, which Playwright's driver has started, our one
    child."""
    return cpu_time.used_s(
        lambda seen: [browser for driver in seen.children(os.getpid()) for browser in seen.children(driver)]
    )


@contextlib.asynccontextmanager
async def answering(when: str, patience_s: float = GRACE_S) -> AsyncIterator[None]:
    """What a browser has to answer soon; Failed where it doesn't."""
    try:
        async with asyncio.timeout(patience_s):
            yield
    except TimeoutError:
        raise Failed(
            "browser", f"the browser hung: it gave no answer within {patience_s:.0f} s {when}"
        ) from None
    except PlaywrightError as error:
        raise Failed("browser", f"the browser broke off {when}: {error.message}") from error

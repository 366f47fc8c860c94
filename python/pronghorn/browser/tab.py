"""One page of the browser: what its navigations do is heard, and made into records."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Self, TypeVar

from playwright.async_api import BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pronghorn.browser import faults, record, vitals
from pronghorn.browser.artifacts import Keeper
from pronghorn.browser.events import Events
from pronghorn.browser.job import Failed, Job
from pronghorn.browser.targets import Targets
from pronghorn.host import cpu_time

T = TypeVar("T")

BLANK = "about:blank"
SETTLE_S = 1.5
"""How long a load may last after its load event while the page still asks for something."""
QUIET_S = 0.1
"""A load is over when for so long after its load event no request has been under way."""
GRACE_S = 5.0
"""How long a browser that lives may take for an answer."""
_ARTIFACTS_S = 15.0


class Busy(Exception):
    """The page's main thread did not answer before the load's limit, though the browser did."""


class Tab:
    """A page that is ready to navigate. `stuck`: it does not answer any more."""

    def __init__(self, job: Job, context: BrowserContext, page: Page, session: CDPSession) -> None:
        self.page = page
        self.session = session
        self.events = Events(session)
        self.stuck = False
        self._targets = Targets(session, self.events)
        self._job = job
        self._keeper = Keeper(job, context, page, session)
        self._asked = 0.0
        self._frame: str | None = None
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
        await tab._targets.listen()
        await vitals.observe(session)
        if not job.cache:
            await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        if job.cpu_slowdown != 1:
            await session.send("Emulation.setCPUThrottlingRate", {"rate": job.cpu_slowdown})
        return tab

    async def load(self) -> dict[str, Any]:
        """One navigation from an empty page: a PageLoad. Failed where the browser crashes or hangs."""
        async with answering("before a load"):
            await self._empty()
            self.events.clear()
            await self._keeper.before()
        before_s = _browsers_cpu_s()
        self._asked, self._frame = time.monotonic(), None
        fault = await self._within_limit(self._navigate())
        while True:
            after_s = _browsers_cpu_s()
            # What a load that was cut still had under way is aborted from here on by nobody but us.
            self.events.ended = fault is not None
            at, started, seen = self.events.navigations.at, self._asked, vitals.NOTHING
            try:
                if self._frame is None:
                    await self._patiently(self.session.send("Page.stopLoading"))
                elif fault not in (faults.TOO_LARGE, faults.STRAYED):
                    started, seen = await self._patiently(self._seen(self._frame, at))
            except Busy:
                fault = faults.BUSY if fault in (None, faults.TIMEOUT) else fault
                self.stuck = True
            if fault is not None or self._stays(at):
                break
            if time.monotonic() >= self._asked + self._job.limit_s:
                # A page that goes on and on to another document is never over.
                fault, self.events.ended = faults.TIMEOUT, True
                break
            fault = await self._within_limit(self._over())
        self.events.ended = True
        if self.events.too_large:
            fault, self.stuck = faults.TOO_LARGE, True
        page = record.make(self.events, started, seen, self._job, fault)
        page["ahead_s"] = max(0.0, started - self._asked)
        if before_s is not None and after_s is not None:
            page["processes_cpu_s"] = max(0.0, after_s - before_s)
        if not self.stuck:
            async with answering("while artifacts were written", _ARTIFACTS_S):
                page["vitals"]["speed_index_s"] = await self._keeper.after(self.events, started, seen)
            await self._leave()
        return page

    async def _empty(self) -> None:
        if self.page.url != BLANK:
            await self.page.goto(BLANK)

    async def _leave(self) -> None:
        """Ends what the page goes on with, such as polls, which would be on the path of what comes next."""
        try:
            async with asyncio.timeout(GRACE_S):
                await self._empty()
        except (PlaywrightError, TimeoutError):
            self.stuck = True

    async def _within_limit(self, work: Coroutine[Any, Any, str | None]) -> str | None:
        """The fault that `work` finds, or that the limit ended it before the page was loaded."""
        try:
            async with asyncio.timeout_at(self._asked + self._job.limit_s):
                return await self._until_gone(work)
        except TimeoutError:
            return None if self.events.loaded else faults.TIMEOUT

    def _stays(self, at: str | None) -> bool:
        """Whether the page is still at the document `at`, and not about to leave it."""
        return self.events.loaded and self.events.navigations.at == at

    async def _seen(self, frame: str, at: str | None) -> tuple[float, dict[str, Any]]:
        """When the load began, in seconds of the browser's clock, which is Python's monotonic one, and what
        the observers have seen since.

        Where the page has gone on to another document by itself, the browser knows the last navigation's
        start; the first one's is, within some milliseconds, when its document was asked for. What is seen of
        a document that the page leaves meanwhile is nothing."""
        try:
            answer = await self.session.send("Performance.getMetrics")
            last = next(float(one["value"]) for one in answer["metrics"] if one["name"] == "NavigationStart")
            seen = await vitals.read(self.session, frame)
        except PlaywrightError:
            await asyncio.sleep(QUIET_S)
            if self._stays(at) or self._gone.is_set():
                raise
            return self._asked, vitals.NOTHING
        asked = [one.sent["timestamp"] for one in self.events.documents if not one.redirected]
        first = min(last, float(asked[0])) if len(asked) > 1 else last
        return first, vitals.later(seen, last - first)

    async def _patiently(self, answering_it: Coroutine[Any, Any, T]) -> T:
        """What the page's main thread answers, until the load's limit and for `GRACE_S` at least: it may be
        busy. Busy where it is so for longer; Failed where the browser itself gives no answer either."""
        deadline = max(self._asked + self._job.limit_s, time.monotonic() + GRACE_S)
        task = asyncio.create_task(answering_it)
        try:
            while True:
                left = deadline - time.monotonic()
                done, _ = await asyncio.wait({task}, timeout=min(GRACE_S, max(left, 0.0)))
                if done:
                    async with answering("after a load"):
                        return task.result()
                if self._gone.is_set():
                    raise Failed("browser", "the browser crashed or was ended after a load")
                await self._alive()
                if left <= 0:
                    raise Busy
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _alive(self) -> None:
        """Failed where the browser itself gives no answer, and says nothing of the page meanwhile either."""
        self._changed.clear()
        try:
            async with answering("after a load"):
                await self.session.send("Browser.getVersion")
        except Failed:
            if not self._changed.is_set():
                raise

    async def _navigate(self) -> str | None:
        """Until the load is over; why it did not get there, or None.

        Before the browser has committed to a document, the server's or an error page, the page answers
        nothing: the browser holds back what is asked of it."""
        answer = await self.session.send("Page.navigate", {"url": self._job.url})
        self._frame = answer["frameId"]
        if error := answer.get("errorText"):
            return str(error)
        return await self._over()

    async def _over(self) -> str | None:
        """Until the page is loaded and at rest, or has had `SETTLE_S` to come to it; what cut it, or None."""
        while True:
            while not (self.events.loaded or self._cut):
                await self._change()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._settling_s):
                    await self._quiet()
            if self._cut or self.events.loaded:
                return self._cut

    @property
    def _cut(self) -> str | None:
        if self.events.too_large:
            return faults.TOO_LARGE
        return faults.STRAYED if self.events.navigations.strayed is not None else None

    @property
    def _settling_s(self) -> float:
        """How much longer the page may take to come to rest."""
        loaded_at = self.events.navigations.loaded_at or time.monotonic()
        return max(0.0, loaded_at + SETTLE_S - time.monotonic())

    async def _quiet(self) -> None:
        """Until no request has been under way for `QUIET_S`, or the page goes on to another document."""
        while self.events.loaded and not self._cut:
            if not self.events.complete:
                await self._change()
                continue
            try:
                async with asyncio.timeout(QUIET_S):
                    await self._change()
            except TimeoutError:
                return

    async def _change(self) -> None:
        """Until something is heard of the page."""
        self._changed.clear()
        await self._changed.wait()

    async def _until_gone(self, work: Coroutine[Any, Any, str | None]) -> str | None:
        """The result of `work`; Failed where the page crashes or the browser ends meanwhile."""
        task, gone = asyncio.create_task(work), asyncio.create_task(self._gone.wait())
        try:
            await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
            if self._gone.is_set():
                raise Failed("browser", "the browser crashed or was ended during a load")
            return task.result()
        except PlaywrightError as error:
            raise Failed(
                "browser", f"the connection to the browser broke during a load: {error.message}"
            ) from error
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
        raise Failed("browser", f"the browser hung: no answer within {patience_s:.0f} s {when}") from None
    except PlaywrightError as error:
        raise Failed("browser", f"the connection to the browser broke {when}: {error.message}") from error

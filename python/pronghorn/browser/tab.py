"""A browser with one page: started, warmed up, navigated, and ended."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self

from playwright.async_api import BrowserContext, CDPSession, Page, async_playwright
from playwright.async_api import Error as PlaywrightError

from pronghorn.browser import record, state, vitals
from pronghorn.browser.events import Events
from pronghorn.browser.job import PROFILE, Failed, Job

_WARM_PAGE = (
    "data:text/html,<!doctype html><title>warm</title><style>p{font:16px sans-serif}i{font-family:serif}"
    "</style><p>Warm <b>up</b> <i>the</i> <code>fonts</code><script>document.title='warm'</script>"
)
"""Needs no network; what it does is what a first page would otherwise pay for: renderer, fonts, script,
drawing."""

_BLANK = "about:blank"
_GRACE_S = 5.0
"""How long a browser that lives may take for an answer."""


class Tab:
    """One page in a persistent context of its own profile."""

    def __init__(self, job: Job, context: BrowserContext, page: Page, session: CDPSession) -> None:
        self._job = job
        self._context = context
        self._page = page
        self._session = session
        self._events = Events(session)
        self._gone = asyncio.Event()
        self._changed = asyncio.Event()
        self._events.changed = self._changed.set
        self._version = ""
        for happening in ("crash", "close"):
            page.on(happening, lambda _: self._gone.set())
        context.on("close", lambda _: self._gone.set())

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, job: Job, folder: Path) -> AsyncIterator[Self]:
        """Starts the browser; Failed where it does not come up."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                playwright = await stack.enter_async_context(async_playwright())
                context = await playwright.chromium.launch_persistent_context(
                    folder / PROFILE,
                    executable_path=job.executable,
                    headless=True,
                    chromium_sandbox=os.geteuid() != 0,
                    args=job.switches,
                    viewport={"width": job.width, "height": job.height},
                )
                stack.push_async_callback(_close, context)
                page = context.pages[0]
                tab = cls(job, context, page, await context.new_cdp_session(page))
                await tab._warm_up()
            except PlaywrightError as error:
                raise Failed("browser", f"the browser did not start: {error.message}") from error
            yield tab

    def about(self) -> dict[str, Any]:
        """What runs: `version`, and whether the browser's own sandbox is on."""
        return {"version": self._version, "sandbox": os.geteuid() != 0}

    async def prepare(self) -> None:
        """Visits the page once and closes its connections; tickets and what was learnt of HTTP/3 stay, and
        the cache where it is to. Failed where the visit fails."""
        page = await self.load()
        if page["outcome"] != "ok":
            raise Failed("prepare", f"the unmeasured visit failed: {page['reason']}: {page['detail']}")
        with self._failing("between two visits"):
            await self._goto_blank()
            await state.close_connections(self._context)

    async def load(self) -> dict[str, Any]:
        """One navigation: a PageLoad. Failed where the browser crashes or hangs."""
        with self._failing("before a load"):
            if self._page.url != _BLANK:
                await self._goto_blank()
            self._events.clear()
        try:
            async with asyncio.timeout(self._job.limit_s):
                fault = await self._until_gone(self._navigate())
        except TimeoutError:
            fault = "timeout"
        async with self._alive():
            return await record.page_load(self._session, self._events, self._job, fault)

    async def close(self) -> None:
        """Ends the browser; what it was asked to leave as artifacts is written then."""
        await _close(self._context)

    async def _warm_up(self) -> None:
        self._version = (await self._session.send("Browser.getVersion"))["product"]
        for domain, parameters in (
            ("Network", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
            ("Page", {}),
            ("Performance", {}),
        ):
            await self._session.send(f"{domain}.enable", parameters)
        await self._page.goto(_WARM_PAGE)
        await self._page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        await self._goto_blank()
        await vitals.observe(self._session)
        if self._job.cpu_slowdown != 1:
            await self._session.send("Emulation.setCPUThrottlingRate", {"rate": self._job.cpu_slowdown})

    async def _goto_blank(self) -> None:
        await self._page.goto(_BLANK)

    async def _navigate(self) -> str | None:
        """Until the load event has come and all requests have ended; why it did not get there, or None."""
        answer = await self._session.send("Page.navigate", {"url": self._job.url})
        if error := answer.get("errorText"):
            return str(error)
        while not self._events.complete:
            self._changed.clear()
            await self._changed.wait()
        return None

    async def _until_gone(self, work: Any) -> Any:
        """The result of `work`; Failed where the page crashes or the browser ends meanwhile."""
        task, gone = asyncio.ensure_future(work), asyncio.ensure_future(self._gone.wait())
        try:
            await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
            if self._gone.is_set():
                raise Failed("browser", "the browser crashed or was ended in mid-load")
            return task.result()
        except PlaywrightError as error:
            raise Failed("browser", f"the browser broke off: {error.message}") from error
        finally:
            for waiting in (task, gone):
                waiting.cancel()
            await asyncio.gather(task, gone, return_exceptions=True)

    @contextlib.asynccontextmanager
    async def _alive(self) -> AsyncIterator[None]:
        """What the browser has to answer soon; Failed where it doesn't."""
        try:
            async with asyncio.timeout(_GRACE_S):
                yield
        except TimeoutError:
            raise Failed("browser", f"the browser hung: no answer within {_GRACE_S:.0f} s") from None
        except PlaywrightError as error:
            raise Failed("browser", f"the browser broke off: {error.message}") from error

    @contextlib.contextmanager
    def _failing(self, when: str) -> Any:
        try:
            yield
        except PlaywrightError as error:
            raise Failed("browser", f"the browser broke off {when}: {error.message}") from error


async def _close(context: BrowserContext) -> None:
    with contextlib.suppress(PlaywrightError, TimeoutError):
        async with asyncio.timeout(_GRACE_S):
            await context.close()

"""One load of a page in a browser of its own."""

import asyncio
import base64
import binascii
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, Page, async_playwright
from playwright.async_api import Error as PlaywrightError

from pronghorn.browser.browser import sandboxed
from pronghorn.browser.events import Events
from pronghorn.browser.targets import Targets
from pronghorn.clients.chromium import program
from pronghorn.errors import HostError, NothingMeasured
from pronghorn.recording import quiet
from pronghorn.recording.settings import Settings, devices

_MOST_LIMIT_S = 3600.0
"""The longest `--limit`."""

_PATIENCE_S = 10.0

_MOST_POSTED = 2**16
"""Bytes of what a request posts that come with the event of its sending; longer ones are asked for."""


Posted = tuple[str, str, str]
"""The browser's number of a request, its method and its URL: the steps of redirects share the number."""


@dataclass
class Seen:
    """What was seen of a load. `context` are the options of the browser's context. `hints` are by the
    browser's number of the request, `posted` by `Posted`; `load_s` is when the load event came, from the
    first request on."""

    events: Events
    version: str
    context: Mapping[str, Any]
    hints: dict[str, dict[str, str]] = field(default_factory=dict)
    posted: dict[Posted, bytes] = field(default_factory=dict)

    def posted_by(self, sent: Mapping[str, Any]) -> bytes | None:
        """What the request of an event posted."""
        return self.posted.get(_key(sent))

    load_s: float | None = None


async def visit(url: str, settings: Settings, log: Path) -> Seen:
    """Loads `url` and leaves the NetLog in `log`. HostError where the browser doesn't start, NothingMeasured
    where the page doesn't load."""
    switches = [*settings.switches(), f"--log-net-log={log}", "--net-log-capture-mode=Everything"]
    async with contextlib.AsyncExitStack() as stack:
        try:
            playwright = await stack.enter_async_context(async_playwright())
            options = settings.context(devices(playwright))
            browser = await playwright.chromium.launch(
                executable_path=str(program.locate()),
                headless=True,
                chromium_sandbox=sandboxed(),
                args=switches,
            )
            stack.push_async_callback(browser.close)
            if "user_agent" not in options:
                options["user_agent"] = await _agent(browser)
            context = await browser.new_context(**options, service_workers="block")
            page = await context.new_page()
            session = await context.new_cdp_session(page)
            seen = await _listening(session, Seen(Events(session), browser.version, options))
        except PlaywrightError as error:
            raise HostError(f"the browser did not start: {error.message}") from error
        try:
            await _load(url, page, session, seen, settings)
            await _fetch_posted(session, seen)
        except PlaywrightError as error:
            raise NothingMeasured(f"{url}: the browser ended during the load: {error.message}.") from error
        seen.events.ended = True
    return seen


async def _agent(browser: Browser) -> str:
    """The browser's own name, without the word by which sites tell that nobody is looking."""
    session = await browser.new_browser_cdp_session()
    told = await session.send("Browser.getVersion")
    return str(told["userAgent"]).replace("HeadlessChrome", "Chrome")


async def _listening(session: CDPSession, seen: Seen) -> Seen:
    def hinted(event: dict[str, Any]) -> None:
        seen.hints.setdefault(str(event["requestId"]), {}).update(event.get("headers", {}))

    def sent(event: dict[str, Any]) -> None:
        if (posted := _posted(event["request"])) is not None:
            seen.posted[_key(event)] = posted

    session.on("Network.responseReceivedEarlyHints", hinted)
    session.on("Network.requestWillBeSent", sent)
    # Bodies are the NetLog's: the browser needs to keep none.
    kept = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": _MOST_POSTED}
    await session.send("Network.enable", kept)
    await session.send("Page.enable", {})
    await Targets(session, seen.events).listen()
    return seen


async def _load(url: str, page: Page, session: CDPSession, seen: Seen, settings: Settings) -> None:
    answer = await session.send("Page.navigate", {"url": url})
    if error := answer.get("errorText"):
        raise NothingMeasured(f"{url}: the page can't be loaded: {error}.")
    if not await quiet.loaded(seen.events, settings.limit_s):
        if seen.events.too_large:
            raise NothingMeasured(f"{url}: the page was not loaded: it asks for too much.")
        raise NothingMeasured(
            f"{url}: the page was not loaded: no load event within {settings.limit_s:g} s.",
            hint=f"Allow more: --limit {min(2 * settings.limit_s, _MOST_LIMIT_S):g}",
        )
    first = float(seen.events.exchanges[0].sent["timestamp"])
    # The browser's clock is Python's monotonic one.
    seen.load_s = max(0.0, (seen.events.navigations.loaded_at or first) - first)
    if settings.scroll:
        await quiet.scrolled(page)
    await quiet.quiet(seen.events)


async def _fetch_posted(session: CDPSession, seen: Seen) -> None:
    """What requests posted where it was too long to come with their events."""
    for one in seen.events.exchanges:
        bodiless = one.sent["request"]["method"] in ("GET", "HEAD", "OPTIONS")
        if bodiless or one.by_worker or _key(one.sent) in seen.posted:
            continue
        number = str(one.sent["requestId"])
        with contextlib.suppress(PlaywrightError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                answer = await session.send("Network.getRequestPostData", {"requestId": number})
            seen.posted[_key(one.sent)] = str(answer["postData"]).encode("utf-8", "replace")


def _posted(request: Mapping[str, Any]) -> bytes | None:
    """What a request's event says that it posts; None where it doesn't."""
    entries = request.get("postDataEntries") or []
    if entries and all("bytes" in one for one in entries):
        with contextlib.suppress(binascii.Error):
            return b"".join(base64.b64decode(one["bytes"]) for one in entries)
    posted = request.get("postData")
    return str(posted).encode("utf-8", "replace") if posted else None


def _key(sent: Mapping[str, Any]) -> Posted:
    return str(sent["requestId"]), str(sent["request"]["method"]), str(sent["request"]["url"])

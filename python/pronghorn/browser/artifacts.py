"""What a measured load leaves beside its record, each where the job says."""

import json
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Page

from pronghorn.browser import har
from pronghorn.browser.events import Events
from pronghorn.browser.filmstrip import Filmstrip
from pronghorn.browser.job import FILMSTRIP, HAR, SCREENSHOT, Job

_PROGRAM = "pronghorn/1"


class Keeper:
    """Writes the artifacts of one tab's loads."""

    def __init__(self, job: Job, context: BrowserContext, page: Page, session: CDPSession) -> None:
        self._files = {name: Path(file) for name, file in job.artifacts.items()}
        self._context = context
        self._page = page
        self._session = session
        self._film = Filmstrip(session) if FILMSTRIP in self._files else None

    async def before(self) -> None:
        """Starts what has to see the load."""
        if self._film is not None:
            await self._film.start()

    async def after(self, events: Events, started: float, seen: dict[str, Any]) -> float | None:
        """Writes what was asked for of a load that began at `started` of the browser's clock; its Speed Index
        in seconds, where a filmstrip was."""
        index = None
        if self._film is not None and events.exchanges:
            first = events.exchanges[0].sent
            wall = float(first["wallTime"]) - (float(first["timestamp"]) - started)
            index = await self._film.finish(self._context, wall, self._files[FILMSTRIP])
        if HAR in self._files:
            version = await self._session.send("Browser.getVersion")
            archive = har.archive(events.exchanges, seen, version["product"], _PROGRAM)
            self._files[HAR].write_text(json.dumps(archive), encoding="utf-8")
        if SCREENSHOT in self._files:
            await self._page.screenshot(path=self._files[SCREENSHOT])
        return index

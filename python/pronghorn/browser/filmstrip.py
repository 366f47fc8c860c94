"""Frames of a load as they appeared, and how complete each was."""

import asyncio
import json
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, CDPSession

from pronghorn.browser import speed_index

_WIDTH, _HEIGHT, _QUALITY = 480, 480, 70
_LAST_FRAMES_S = 0.3
"""How long after a load what it drew may still be on its way."""

_HISTOGRAMS = """
async frames => {
  const found = [];
  for (const frame of frames) {
    const picture = await createImageBitmap(await (await fetch('data:image/jpeg;base64,' + frame)).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const drawing = canvas.getContext('2d', {willReadFrequently: true});
    drawing.drawImage(picture, 0, 0);
    const pixels = drawing.getImageData(0, 0, picture.width, picture.height).data;
    const channels = [0, 1, 2].map(() => new Array(256).fill(0));
    for (let at = 0; at < pixels.length; at += 4)
      for (let channel = 0; channel < 3; channel++) channels[channel][pixels[at + channel]]++;
    found.push(channels);
  }
  return found;
}
"""


class Filmstrip:
    """A recording of one load by the browser's screencast."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._frames: list[tuple[float, str]] = []
        self._acknowledging: set[asyncio.Task[Any]] = set()
        session.on("Page.screencastFrame", self._frame)

    async def start(self) -> None:
        """Begins, with what is seen now as the first frame."""
        self._frames.clear()
        await self._session.send(
            "Page.startScreencast",
            {"format": "jpeg", "quality": _QUALITY, "maxWidth": _WIDTH, "maxHeight": _HEIGHT},
        )

    async def finish(self, context: BrowserContext, started_wall_s: float, file: Path) -> float | None:
        """Ends, writes `file` and tells the Speed Index in seconds, None where nothing was seen.
        `started_wall_s` is the navigation's start in seconds since 1970."""
        await asyncio.sleep(_LAST_FRAMES_S)
        await self._session.send("Page.stopScreencast")
        await asyncio.gather(*self._acknowledging, return_exceptions=True)
        frames = sorted(self._frames)
        page = await context.new_page()
        histograms = await page.evaluate(_HISTOGRAMS, [picture for _, picture in frames])
        await page.close()
        shares = speed_index.completeness(histograms)
        times = [time - started_wall_s for time, _ in frames]
        index = speed_index.speed_index_s(times, shares) if frames else None
        strip = [
            {"time_s": time, "completeness": share, "image": f"data:image/jpeg;base64,{picture}"}
            for time, share, (_, picture) in zip(times, shares, frames, strict=True)
        ]
        file.write_text(json.dumps({"speed_index_s": index, "frames": strip}), encoding="utf-8")
        return index

    def _frame(self, event: dict[str, Any]) -> None:
        self._frames.append((float(event["metadata"]["timestamp"]), event["data"]))
        task = asyncio.ensure_future(
            self._session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})
        )
        self._acknowledging.add(task)
        task.add_done_callback(self._acknowledging.discard)

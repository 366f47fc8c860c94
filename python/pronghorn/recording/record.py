"""A page into a folder."""

import asyncio
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pronghorn import __version__
from pronghorn.archiving import Making, Source, Told, addresses
from pronghorn.errors import InputError
from pronghorn.importing.har.timing import written
from pronghorn.recording.drafts import drafts
from pronghorn.recording.netlog import Log
from pronghorn.recording.settings import Settings
from pronghorn.recording.visit import visit
from pronghorn.sites.archive import Device

_NETLOG = "netlog.json"


def record(url: str, target: Path, settings: Settings, *, keep_secrets: bool = False) -> Told:
    """Loads the page at `url` and makes the archive `target` of the load. InputError where `url` is none or
    `target` is there already, HostError where there is no browser, NothingMeasured where the page doesn't
    load."""
    if addresses.clean(url) is None:
        raise InputError(
            f"{url}: this is not the address of a page.",
            hint="Write the full address: pronghorn record https://shop.example/ -o shop",
        )
    source = Source(written(time.time()), "", url, cold=True)
    with (
        Making(target, source, keep_secrets=keep_secrets) as making,
        tempfile.TemporaryDirectory(prefix="pronghorn-record-") as folder,
    ):
        file = Path(folder) / _NETLOG
        seen = asyncio.run(visit(url, settings, file))
        source.by = f"pronghorn {__version__}, Chromium {seen.version}"
        source.load_s = seen.load_s
        source.device = _device(settings, seen.context)
        log = Log(file)
        for draft in drafts(seen, log, source):
            making.take(draft)
        return making.finish()


def _device(settings: Settings, context: Mapping[str, Any]) -> Device:
    """What the page was loaded as, of Playwright's options of a browser context."""
    viewport = context.get("viewport") or {}
    return Device(
        name=settings.device,
        width=viewport.get("width"),
        height=viewport.get("height"),
        scale=context.get("device_scale_factor"),
        mobile=bool(context.get("is_mobile", False)),
        user_agent=str(context["user_agent"])[:1000],
    )

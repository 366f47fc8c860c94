"""A page, loaded by a real Chromium and made into a site archive.

    settings.py   what to load, as which device, and the browser's switches
    visit.py      one load: the browser, the page, the scrolling
    quiet.py      when a load is over
    netlog.py     bodies and headers as sent, out of Chromium's NetLog
    drafts.py     what the browser said of a request, as a draft
    record.py     all of it, into a folder

Requests, initiators, priorities and times come from the DevTools protocol (`pronghorn.browser.events`).
Bodies come from the NetLog, since the protocol gives them decoded only."""

from pronghorn.recording.record import record
from pronghorn.recording.settings import Settings

__all__ = ["Settings", "record"]

"""At which document the page stands, and whether it is about to go to another one by itself."""

import time
from collections.abc import Callable
from typing import Any

DOCUMENT = "Document"
"""What Chromium calls a request of a page's or a frame's own."""

SOON_S = 1.0
"""The longest delay of a page's forwarding of itself (`meta refresh`) that is waited for."""

Event = dict[str, Any]


class Navigations:
    """Follows the page itself, not the frames within it.

    `at` names the document at which the page stands; `loaded_at` is when its load event was heard, in seconds
    of Python's monotonic clock, None before. `due`: the page is about to forward itself. `strayed` is where
    it went that is no document of a server's, such as about:blank; `later` where it means to forward itself
    to after more than `SOON_S`."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[[Event], None]] = {
            "Page.frameScheduledNavigation": self._scheduled,
            "Page.frameClearedScheduledNavigation": self._cleared,
            "Page.frameNavigated": self._committed,
            "Page.loadEventFired": self._load_event,
        }
        self.clear()

    def clear(self) -> None:
        """Forgets what was before."""
        self.frame: str | None = None
        self.loaded_at: float | None = None
        self.strayed: str | None = None
        self.later: list[str] = []
        self.due = False
        self._asked: set[str] = set()
        self._begun: set[str] = set()
        self.at: str | None = None

    @property
    def arrived(self) -> bool:
        """Whether the load event has come of the document at which the page stays."""
        return self.loaded_at is not None and not self._begun

    def is_own(self, sent: Event) -> bool:
        """Whether a request is for a document of the page's own."""
        return sent.get("type") == DOCUMENT and sent.get("frameId") == self.frame

    def went_past(self, sent: Event) -> bool:
        """Whether the page stands at another document than the one of a request."""
        return self.at is not None and sent["requestId"] != self.at

    def asked(self, sent: Event) -> None:
        """A request of the page's; the first one for a document tells which frame the page itself is."""
        if self.frame is None and sent.get("type") == DOCUMENT:
            self.frame = sent.get("frameId")
        if self.is_own(sent):
            self._asked.add(sent["requestId"])
            if self.at is not None and sent["requestId"] != self.at:
                self._begun.add(sent["requestId"])

    def failed(self, request: str) -> None:
        """A request has failed: if it was for a document, the page stays where it is, as it does where the
        document is a download. Where the network failed, an error page follows."""
        self._begun.discard(request)

    def _scheduled(self, event: Event) -> None:
        if self.at is None or event["frameId"] != self.frame:
            return
        if event["delay"] <= SOON_S:
            self.due = True
        else:
            self.later.append(str(event["url"]))

    def _cleared(self, event: Event) -> None:
        if event["frameId"] == self.frame:
            self.due = False

    def _committed(self, event: Event) -> None:
        frame = event["frame"]
        if "parentId" in frame:
            return
        if frame["loaderId"] in self._asked:
            self.at = frame["loaderId"]
            self.frame = frame["id"]
            self._begun.clear()
            self.due = False
            self.loaded_at = None
        elif self.at is not None:
            self.strayed = str(frame["url"])

    def _load_event(self, event: Event) -> None:
        """The load event, unless it is that of the page before, told late."""
        del event
        if self.at is not None:
            self.loaded_at = time.monotonic()

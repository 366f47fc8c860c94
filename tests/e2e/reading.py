"""A report as a person meets it: opened from its file in Chromium, without a network, by mouse or keyboard.

Screenshots are written where the environment variable PRONGHORN_SCREENSHOTS names a folder.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from pronghorn.browser.browser import sandboxed
from pronghorn.clients.chromium import program

PHONE, DESKTOP, SCREEN = 390, 1280, 1920
"""Widths of windows, in CSS pixels."""

SCREENSHOTS = "PRONGHORN_SCREENSHOTS"
"""The variable that names the folder for screenshots."""

Scheme = Literal["light", "dark"]
Media = Literal["screen", "print"]

HEIGHT = 900
"""Of each window, in CSS pixels."""

_PATIENCE_S = 120
_STRIP = 4000
"""How high a screenshot is at most, in CSS pixels."""

_LOOK = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").strip().removesuffix(";")
"""An object of functions."""

_WITHIN_REACH = "summary, a[href], button, input, select, textarea, [tabindex]:not([tabindex='-1'])"
"""What takes part in the order of focus."""

_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
"""The rules of axe-core that must hold: WCAG 2.1, levels A and AA, and what else axe-core holds for good."""

_MORE_OF_THE_SAME = "tbody tr:nth-child(n+3)"
"""What is not looked at for the time that it takes: rows are built alike."""

LEAST_CONTRAST = 4.5
"""Of text that isn't large (WCAG 2.1, 1.4.3)."""


class Reader:
    """A browser without a network."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    @contextmanager
    def opened(
        self, file: Path, *, width: int = DESKTOP, scheme: Scheme = "light", media: Media = "screen"
    ) -> Iterator[Page]:
        """`file` in a window of this width. Afterwards it must have asked for nothing but itself, and neither
        the console nor an exception have said a word."""
        address = file.resolve().as_uri()
        told: list[str] = []
        context = self._browser.new_context(
            offline=True, viewport={"width": width, "height": HEIGHT}, color_scheme=scheme
        )
        context.set_default_timeout(_PATIENCE_S * 1000)
        try:
            page = context.new_page()
            page.on("request", lambda request: told.append(f"request {request.url[:200]}"))
            page.on("console", lambda message: told.append(f"console {message.type}: {message.text}"))
            page.on("pageerror", lambda error: told.append(f"error {error}"))
            page.emulate_media(media=media)
            page.goto(address)
            yield page
            assert [each for each in told if each not in (f"request {address}", *_downloads(told))] == []
        finally:
            context.close()


@contextmanager
def reader() -> Iterator[Reader]:
    """Chromium, from its start to its end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(program.locate()), chromium_sandbox=sandboxed()
        )
        try:
            yield Reader(browser)
        finally:
            browser.close()


def unfold(page: Page) -> None:
    """Opens every disclosure."""
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")


def faults(page: Page) -> list[str]:
    """All that is against the page as it stands, for whoever looks at it or has it read aloud."""
    wider = sideways(page)
    too_wide = [f"{wider} px wider than its window"] if wider > 0 else []
    return [*too_wide, *faint(page), *crossing(page), *violations(page)]


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds against the page as it stands, all rules or those named: rule, element, why."""
    run_only = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": _TAGS}
    options = {"runOnly": run_only, "resultTypes": ["violations"]}
    found: dict[str, Any] = (
        Axe().run(page, context={"exclude": [[_MORE_OF_THE_SAME]]}, options=options).response
    )
    return [
        f"{broken['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for broken in found["violations"]
        for node in broken["nodes"]
    ]


def faint(page: Page) -> list[str]:
    """Texts of drawings, which axe-core leaves undecided, with less than the least contrast to what lies
    beneath their middle."""
    found: list[str] = _looked(page, "faint", LEAST_CONTRAST)
    return found


def crossing(page: Page) -> list[str]:
    """Texts of one drawing that lie on each other."""
    found: list[str] = _looked(page, "crossing")
    return found


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    wider: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wider


def bottom(page: Page, selector: str) -> float:
    """How far beneath the page's top the first such element ends, in CSS pixels."""
    found: float = page.locator(selector).first.evaluate("each => each.getBoundingClientRect().bottom")
    return found


def walked(page: Page) -> tuple[list[int], list[str]]:
    """The order in which Tab reaches what can be reached, by places in the document, until it begins anew;
    and what showed no focus while it had it."""
    steps = len(reachable(page)) + 2
    order: list[int] = []
    unseen: list[str] = []
    page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    for _ in range(steps):
        page.keyboard.press("Tab")
        at, seen = _looked(page, "focused")
        if at is None or at in order:
            break
        order.append(at)
        if not seen:
            unseen.append(page.evaluate("document.activeElement.outerHTML.slice(0, 200)"))
    return order, unseen


def reachable(page: Page) -> list[int]:
    """The places in the document of all that Tab should reach, in their order."""
    return list(range(_looked(page, "marked", _WITHIN_REACH)))


def photograph(page: Page, name: str) -> None:
    """Screenshots of the whole page, where they are asked for."""
    folder = os.environ.get(SCREENSHOTS)
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    width, height = page.evaluate("[innerWidth, document.documentElement.scrollHeight]")
    for number, top in enumerate(range(0, height, _STRIP), 1):
        clip = {"x": 0, "y": top, "width": width, "height": min(_STRIP, height - top)}
        page.screenshot(path=Path(folder) / f"{name}-{number}.png", full_page=True, clip=clip)  # type: ignore[arg-type]


def _downloads(told: list[str]) -> list[str]:
    """A file that lies within the page is no request to anywhere."""
    return [each for each in told if each.startswith("request data:")]


def _looked(page: Page, function: str, argument: object = None) -> Any:
    """What a function of reading.js finds in the page."""
    return page.evaluate(f"argument => ({_LOOK}).{function}(argument)", argument)

"""Closing a browser's connections while it keeps its session tickets, its Alt-Svc entries and its cache."""

from playwright.async_api import BrowserContext

_SOCKETS_PAGE = "chrome://net-internals/#sockets"
_FLUSH = "#sockets-view-flush-button"


async def close_connections(context: BrowserContext) -> None:
    """All connections of TCP and QUIC, by the button that Chromium has for that."""
    page = await context.new_page()
    await page.goto(_SOCKETS_PAGE)
    await page.click(_FLUSH)
    await page.close()

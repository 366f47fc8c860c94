"""A page that forges its own vitals: they are read where its scripts don't reach."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import async_playwright

from pronghorn.browser import vitals
from pronghorn.browser.browser import sandboxed
from pronghorn.clients.chromium import program

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.beside]

FORGING = """
performance.mark('first-contentful-paint');
for (const name of ['getEntries', 'getEntriesByName', 'getEntriesByType'])
  Performance.prototype[name] = performance[name] = () => [{startTime: -1e300, toJSON: () => ({})}];
JSON.stringify = () => '{"fcp":-1e300}';
Number.prototype.toJSON = () => -1e300;
window.setTimeout = Promise.prototype.then = () => {};
const forged = {lcp: NaN, shifts: [[0, -1e300]], longtasks: [[0, 1e300]]};
Object.defineProperty(window, "__pronghorn", {value: forged});
"""
PAGE = f"<!doctype html><script>{FORGING}</script><p style='font:40px sans-serif'>What is painted"


def test_a_page_cannot_forge_its_vitals(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")

    async def seen() -> dict[str, Any]:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=program.locate(), chromium_sandbox=sandboxed()
            )
            tab = await browser.new_page()
            session = await tab.context.new_cdp_session(tab)
            await session.send("Page.enable")
            await vitals.observe(session)
            await tab.goto(page.as_uri())
            tree = await session.send("Page.getFrameTree")
            found = await vitals.read(session, tree["frameTree"]["frame"]["id"])
            await browser.close()
            return found

    found = asyncio.run(seen())
    assert found["navigation"]["name"] == page.as_uri()
    assert found["fcp"] > 0
    assert found["lcp"] > 0
    assert all(score >= 0 for _, score in found["shifts"])
    assert vitals.figures(found)["fcp_s"] == found["fcp"] / 1e3

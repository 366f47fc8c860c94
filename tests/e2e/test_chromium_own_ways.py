"""Pages that go elsewhere by themselves, keep their main thread busy, or lie about their own figures."""

import math
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from .made_pages import FAVICON, measured

pytestmark = [pytest.mark.needs("namespaces", "chromium"), pytest.mark.beside]

FINAL = f"{FAVICON}<p>The page that is meant</p><img src='/dot.png'>"

STUBS = {
    "replaces itself": "<script>location.replace('/final.html')</script><p>stub",
    "leaves soon after": "<script>onload = () => setTimeout(() => location.assign('/final.html'))</script>",
    "forwards at once": '<meta http-equiv="refresh" content="0; url=/final.html">stub',
}


@pytest.mark.parametrize("stub", STUBS.values(), ids=STUBS.keys())
def test_a_page_that_goes_on_by_itself_is_followed(stub: str, identity: Certificates, tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {
        "index.html": FAVICON + stub,
        "final.html": FINAL,
        "dot.png": b"no picture",
    }
    page = measured(pages, "h2", identity, tmp_path).page

    assert (page.outcome, page.detail) == ("ok", None)
    *_, final, picture = page.resources
    assert [final.path, picture.path] == ["/final.html", "/dot.png"]
    assert final.start_s is not None and final.start_s > 0
    # What a page leaves before it has read all of it may count as aborted.
    assert len(page.resources) + len(page.left_out) == 3
    assert page.ttfb_s == final.first_byte_s
    assert page.load_s is not None and picture.last_byte_s is not None
    assert page.load_s >= picture.last_byte_s
    assert page.lcp_s is not None and page.lcp_s > final.start_s


def test_a_page_that_goes_to_another_host_fails_with_its_name(identity: Certificates, tmp_path: Path) -> None:
    page = measured(
        {"index.html": f"{FAVICON}<script>location.replace('https://elsewhere.test/')</script>"},
        "h2", identity, tmp_path,
    ).page  # fmt: skip
    assert (page.outcome, page.reason) == ("failed", "resolve")
    assert "https://elsewhere.test/ (another host than the page's)" in str(page.detail)


BUSY = """{icon}<script>
onload = () => setTimeout(() => {{ const end = Date.now() + {ms}; while (Date.now() < end); }}, 50);
</script><p>busy"""


def test_a_page_whose_main_thread_is_busy_is_waited_for(identity: Certificates, tmp_path: Path) -> None:
    page = measured({"index.html": BUSY.format(icon=FAVICON, ms=6500)}, "h2", identity, tmp_path).page
    assert (page.outcome, page.detail) == ("ok", None)
    assert page.load_s is not None and page.load_s < 6


def test_a_page_that_is_busy_beyond_the_limit_is_no_browser_that_hung(
    identity: Certificates, tmp_path: Path
) -> None:
    page = measured(
        {"index.html": BUSY.format(icon=FAVICON, ms=60_000)}, "h2", identity, tmp_path, limit="4s"
    ).page
    assert (page.outcome, page.reason) == ("failed", "timeout")
    assert page.detail == "the page's main thread was still busy after the limit of 4 s"


FORGER = """{icon}<script>
const lie = () => [{{
  startTime: -1e300, duration: 1e300, value: -7, loadEventStart: -5, domContentLoadedEventStart: NaN,
  toJSON() {{ return {{loadEventStart: -5}}; }},
}}];
for (const name of ['getEntries', 'getEntriesByType', 'getEntriesByName', 'now', 'toJSON'])
  Performance.prototype[name] = lie;
PerformanceObserver.prototype.observe = () => undefined;
window.PerformanceObserver = class {{ observe() {{}} }};
Object.defineProperty(window, 'performance', {{value: {{}}}});
Object.defineProperty(window, '__pronghorn', {{value: {{lcp: -1, shifts: [[0, -9]], longtasks: []}}}});
JSON.stringify = () => '{{"fcp": -1}}';
Array.prototype.forEach = Array.prototype.push = Function.prototype.call = window.Promise = null;
for (let timer = 0; timer < 10000; timer++) clearTimeout(timer);
</script><p>{text}</p>"""


def test_a_page_can_forge_none_of_its_figures(identity: Certificates, tmp_path: Path) -> None:
    text = "A page that lies about itself. " * 20
    page = measured({"index.html": FORGER.format(icon=FAVICON, text=text)}, "h2", identity, tmp_path).page

    assert (page.outcome, page.detail) == ("ok", None)
    vitals = page.model_dump()["vitals"]
    for name in ("fcp_s", "lcp_s", "dom_content_loaded_s"):
        assert math.isfinite(vitals[name]) and vitals[name] > 0
    assert vitals["fcp_s"] <= vitals["lcp_s"]
    assert 0 <= vitals["cls"] < 1
    assert page.load_s is not None and page.load_s >= vitals["dom_content_loaded_s"]


def test_a_pixel_that_is_missing_fails_the_load_unless_it_may(identity: Certificates, tmp_path: Path) -> None:
    pages = {"index.html": f"{FAVICON}<img src='/pixel.gif'><script>navigator.sendBeacon('/beacon')</script>"}
    page = measured(pages, "h3", identity, tmp_path / "strict").page
    assert (page.outcome, page.reason) == ("failed", "status")
    assert 'to accept its failure, write tolerate = ["/' in str(page.detail)

    page = measured(pages, "h3", identity, tmp_path / "lenient", tolerate=("/pixel.gif", "/bea*")).page
    assert (page.outcome, page.detail, page.failures) == ("ok", None, 2)
    assert {one.path: one.status for one in page.resources} == {"/": 200, "/pixel.gif": 404, "/beacon": 405}
    assert page.left_out == []

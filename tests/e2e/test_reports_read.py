"""Reports and maps are read in Chromium without a network: by phone, in the dark, on paper, by keyboard."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page

from . import reading, specimens
from .reading import DESKTOP, PHONE, SCREEN, Reader

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.beside]

SPECIMENS = {
    "pages": specimens.of_pages,
    "arrivals": specimens.of_arrivals,
    "loads": specimens.of_loads,
    "map": specimens.of_a_map,
}


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with reading.reader() as found:
        yield found


WRONG = """<!doctype html><html lang="en"><title>Wrong</title><main><h1>Wrong</h1>
<svg width="500" height="40"><text x="5" y="20" fill="#aaa">faint</text>
<text x="200" y="20">one</text><text x="205" y="20">on another</text></svg>
<p style="color: #bbb">pale</p><input type="range">
<a href="#" style="outline: none">without a sign of its focus</a></main>"""
"""A page with one fault of each kind that is looked for."""


@pytest.fixture(scope="module", params=SPECIMENS)
def specimen(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return SPECIMENS[request.param](tmp_path_factory.mktemp(request.param))


def test_what_is_wrong_is_found(tmp_path: Path, reader: Reader) -> None:
    file = tmp_path / "wrong.html"
    file.write_text(WRONG, encoding="utf-8")
    with reader.opened(file, width=PHONE) as page:
        assert reading.sideways(page) > 0
        assert [each.partition(":")[0] for each in reading.faint(page)] == ["2.32"]
        assert [each.partition(",")[0] for each in reading.crossing(page)] == ["one on on another"]
        assert {each.partition(":")[0] for each in reading.violations(page)} == {"color-contrast", "label"}
        order, unseen = reading.walked(page)
        assert (order, len(unseen)) == ([0, 1], 1)


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (DESKTOP, "dark"), (SCREEN, "light")])
def test_it_can_be_read_by_everybody(
    specimen: Path, width: int, scheme: reading.Scheme, reader: Reader
) -> None:
    with reader.opened(specimen, width=width, scheme=scheme) as page:
        reading.photograph(page, f"{specimen.stem}-{width}-{scheme}-folded")
        reading.unfold(page)
        reading.photograph(page, f"{specimen.stem}-{width}-{scheme}")
        assert reading.faults(page) == []


@pytest.mark.parametrize("width", [PHONE, SCREEN])
def test_the_first_screen_has_the_answer(specimen: Path, width: int, reader: Reader) -> None:
    with reader.opened(specimen, width=width) as page:
        if specimen.stem != "map":
            assert reading.bottom(page, ".answer") <= reading.HEIGHT


def test_of_many_cells_the_first_screen_has_the_verdicts_in_a_table(tmp_path: Path, reader: Reader) -> None:
    file = specimens.of_many_cells(tmp_path)
    with reader.opened(file) as page:
        reading.photograph(page, "many")
        assert reading.bottom(page, ".matrix") <= reading.HEIGHT
    with reader.opened(file, width=PHONE, scheme="dark") as page:
        assert reading.bottom(page, ".matrix") <= reading.HEIGHT
        assert reading.faults(page) == []


def test_on_paper_it_is_dark_on_white_though_the_screen_is_dark(specimen: Path, reader: Reader) -> None:
    with reader.opened(specimen, scheme="dark", media="print") as page:
        reading.unfold(page)
        reading.photograph(page, f"{specimen.stem}-paper")
        assert reading.violations(page, "color-contrast") == []
        assert reading.faint(page) == []
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_the_keyboard_reaches_everything_in_its_order_and_leaves_it(specimen: Path, reader: Reader) -> None:
    with reader.opened(specimen, width=PHONE) as page:
        reading.unfold(page)
        order, unseen = reading.walked(page)
        assert order == reading.reachable(page)
        assert len(order) > 5
        assert unseen == []


def test_every_control_does_something_by_mouse_and_by_keyboard(specimen: Path, reader: Reader) -> None:
    with reader.opened(specimen) as page:
        for summary in page.locator("summary").all():
            open_ = "each => each.parentElement.open"
            summary.click()
            assert summary.evaluate(open_)
        for summary in reversed(page.locator("summary").all()):
            summary.press("Enter")
            assert not summary.evaluate(open_)
        reading.unfold(page)
        _operate(page)
        _take_along(page)


def _take_along(page: Page) -> None:
    """Saves the first file as a person does; the others are read where they are, for Chromium asks before it
    saves many."""
    links = page.locator("a[download]")
    if links.count() == 0:
        return
    with page.expect_download() as begun:
        links.first.click()
    assert begun.value.suggested_filename == links.first.get_attribute("download")
    contents = links.evaluate_all("all => all.map(each => each.getAttribute('href'))")
    texts = [unquote(each.partition(",")[2]) for each in contents]
    assert begun.value.path().read_text(encoding="utf-8") == texts[0]
    for text in texts:
        rows = list(csv.reader(io.StringIO(text)))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}


def _operate(page: Page) -> None:
    """Uses every field; an exception or a word on the console would be told when the page is closed."""
    for slider in page.locator("input[type=range]:visible").all():
        slider.press("End")
        at_the_end = slider.input_value(), slider.get_attribute("aria-valuetext")
        slider.press("Home")
        at_the_beginning = slider.input_value(), slider.get_attribute("aria-valuetext")
        assert all(one != other for one, other in zip(at_the_beginning, at_the_end, strict=True))
    for choice in page.locator("input[type=radio]:visible, input[type=checkbox]:visible").all():
        choice.check()
    for button in page.locator("button:visible:enabled").all():
        button.click()
        button.press("Enter")
    for menu in page.locator("select:visible").all():
        for value in menu.locator("option").evaluate_all("all => all.map(each => each.value)"):
            menu.select_option(value)

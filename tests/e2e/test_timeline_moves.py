"""The slider of a timeline tells what the bytes' times say, by keyboard, and `Play` moves it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from pronghorn.report import html

from ..made_arrivals import single_loss
from ..unit.analysis.reported import summary
from ..unit.report.arrived_loads import left
from . import reading
from .reading import Reader

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.beside]

LOAD_S = 0.2


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with reading.reader() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("timeline")
    arms = (("h2", "tcp"), ("h3", "quic"))
    trials = [left(folder, arm, 0, LOAD_S, single_loss(transport)) for arm, transport in arms]
    html.write(summary(trials), trials, {}, folder / "report.html", folder)
    return folder / "report.html"


def _moved_to(page: Page, at_s: float) -> None:
    slider = page.get_by_label("Time since the start of the loads")
    slider.press("Home")
    steps = round(at_s / float(page.locator(".scrub").get_attribute("data-end") or 0) * 500)
    for key, each in (("PageUp", 50), ("ArrowRight", 1)):
        for _ in range(steps // each):
            slider.press(key)
        steps %= each


def _told(page: Page) -> list[list[list[str]]]:
    """The columns beside the streams of h2, and of h3."""
    return [
        [line.split() for line in lines.splitlines()[1:]]
        for lines in page.locator(".told").all_text_contents()
    ]


def test_at_a_time_each_stream_tells_what_was_usable_and_what_waited(report: Path, reader: Reader) -> None:
    with reader.opened(report) as page:
        reading.unfold(page)
        whole = _told(page)
        assert whole == [
            [["2.0", "0", "88.0"], ["2.0", "89.0", "0"]],
            [["2.0", "0", "88.0"], ["2.0", "0", "0"]],
        ]
        _moved_to(page, 0.1)
        waiting_own, waiting, usable = ["0.0", "0.0", "1.0"], ["0.0", "2.0", "0.0"], ["2.0", "0.0", "0.0"]
        assert _told(page) == [[waiting_own, waiting], [waiting_own, usable]]
        said = "h2: 0.0 kB usable, 2.0 kB wait for other streams, 1.0 kB for their own"
        assert said in page.locator(".scrub output").inner_text()
        assert said in (page.locator(".scrub input").get_attribute("aria-valuetext") or "")
        page.locator(".scrub input").press("End")
        assert _told(page) == whole


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_play_moves_it_and_for_those_who_want_less_motion_by_jumps(
    report: Path, reader: Reader, motion: str
) -> None:
    with reader.opened(report) as page:
        page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        page.clock.install(time=0)
        page.reload()
        reading.unfold(page)
        page.clock.pause_at(3600)
        button, slider = page.locator(".scrub button"), page.locator(".scrub input")
        button.click()
        places = []
        for _ in range(6):
            page.clock.run_for(200)
            places.append(int(slider.input_value()))
        assert places == sorted(places)
        assert len(set(places)) == (3 if motion == "reduce" else 6)
        assert button.inner_text() == "Pause"
        page.clock.run_for(20_000)
        assert (slider.input_value(), button.inner_text()) == ("500", "Play")


def test_on_paper_there_is_nothing_to_move(report: Path, reader: Reader) -> None:
    with reader.opened(report, media="print") as page:
        reading.unfold(page)
        assert not page.locator(".scrub").is_visible()
        assert page.locator(".lanes svg").count() == 2

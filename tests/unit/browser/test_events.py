"""What is heard of one navigation is not taken for another's."""

import pytest

from pronghorn.browser import events as events_module
from pronghorn.browser.events import MOST_TEXT

from .told import URL, Told


def test_what_comes_after_a_loads_end_is_none_of_it() -> None:
    told = Told()
    key = told.ask(URL, "Document")
    told.events.ended = True
    told.fail(key, "net::ERR_ABORTED")
    assert [(one.ended, one.error) for one in told.events.exchanges] == [(None, None)]


def test_a_load_event_of_the_page_before_that_is_told_late_completes_nothing() -> None:
    told = Told()
    told.load()
    assert told.events.complete
    told.events.clear()
    told.tell("Page.loadEventFired")
    key = told.serve(URL, "Document")
    told.tell("Page.loadEventFired")
    told.commit(key)
    assert not told.events.complete
    told.tell("Page.loadEventFired")
    assert told.events.complete


def test_the_icon_that_the_browser_itself_asks_for_is_none_of_the_load() -> None:
    told = Told()
    told.load()
    told.ask(f"{URL}favicon.ico", "Other", initiator={"type": "other"})
    assert told.events.complete
    assert [one.url for one in told.events.exchanges if one.counted] == [URL]


def test_a_compressed_body_counts_by_what_came_and_not_by_what_it_became() -> None:
    for headers, expected in (({"Content-Encoding": "gzip"}, 3_100), ({}, 10_000)):
        told = Told()
        key = told.ask(URL, "Document")
        told.respond(key, headers=headers)
        told.tell("Network.dataReceived", requestId=key, dataLength=10_000)
        told.finish(key, encodedDataLength=3_100)
        assert [one.body_bytes for one in told.events.exchanges] == [expected]


def test_a_page_that_goes_on_by_itself_is_loaded_when_it_has_arrived() -> None:
    told = Told()
    told.load()
    told.tell("Page.frameScheduledNavigation", frameId="page", delay=0, url=f"{URL}next")
    assert told.events.loaded and not told.events.complete
    key = told.ask(f"{URL}next", "Document")
    told.tell("Page.frameClearedScheduledNavigation", frameId="page")
    told.tell("Page.loadEventFired")
    assert not told.events.loaded
    told.respond(key)
    told.commit(key, f"{URL}next")
    told.finish(key)
    assert not told.events.loaded
    told.tell("Page.loadEventFired")
    assert told.events.complete
    assert [one.url for one in told.events.documents] == [URL, f"{URL}next"]


def test_a_frame_or_a_download_takes_a_page_nowhere() -> None:
    told = Told()
    told.load()
    told.tell("Page.frameScheduledNavigation", frameId="frame", delay=0, url=f"{URL}frame")
    frame = told.ask(f"{URL}frame", "Document", "frame")
    assert told.events.loaded
    told.finish(frame)
    download = told.ask(f"{URL}file", "Document")
    assert not told.events.loaded
    told.fail(download, "net::ERR_ABORTED", canceled=True)
    assert told.events.complete
    assert [one.url for one in told.events.documents] == [URL, f"{URL}file"]


def test_a_page_that_forwards_itself_late_is_loaded_and_the_rest_is_told() -> None:
    told = Told()
    told.load()
    told.tell("Page.frameScheduledNavigation", frameId="page", delay=600, url=f"{URL}later")
    assert told.events.complete
    assert told.events.navigations.later == [f"{URL}later"]


def test_a_page_that_leaves_for_no_servers_document_has_strayed() -> None:
    told = Told()
    told.load()
    told.tell("Page.frameNavigated", frame={"id": "page", "loaderId": "x", "url": "about:blank"})
    assert told.events.navigations.strayed == "about:blank"


def test_a_workers_script_and_its_requests_end_where_its_own_session_says_so() -> None:
    told = Told()
    told.load()
    script = told.ask(f"{URL}worker.js", "Script", loaderId="")
    assert not told.events.complete
    told.events.of_worker("Inspector.workerScriptLoaded", {}, script)
    assert told.events.complete
    response = {"url": f"{URL}early", "status": 200, "protocol": "h2", "timing": {"requestTime": 7.0}}
    told.events.of_worker(
        "Network.responseReceived", {"requestId": "w", "timestamp": 8.0, "response": response}, script
    )
    assert not told.events.complete
    told.events.of_worker("Network.loadingFinished", {"requestId": "w", "timestamp": 9.0}, script)
    assert told.events.complete
    early = told.events.exchanges[-1]
    assert (early.url, early.sent["timestamp"], early.ended) == (f"{URL}early", 7.0, 9.0)


def test_what_a_service_worker_answers_has_not_travelled() -> None:
    told = Told()
    told.load()
    key = told.ask(f"{URL}kept")
    told.respond(key, fromServiceWorker=True)
    assert told.events.exchanges[-1].from_cache


def test_a_page_may_not_ask_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "MOST_REQUESTS", 50)
    told = Told()
    told.load()
    for _ in range(1000):
        told.serve(f"{URL}poll")
    assert told.events.too_large
    assert len(told.events.exchanges) <= 51


def test_a_page_may_not_ask_with_text_without_end() -> None:
    told = Told()
    told.load()
    for _ in range(40):
        told.serve(f"{URL}{'x' * (MOST_TEXT // 32)}")
    assert told.events.too_large
    assert sum(len(one.url) for one in told.events.exchanges) < 1.1 * MOST_TEXT


def test_data_urls_are_not_kept() -> None:
    told = Told()
    told.load()
    told.ask(f"data:image/png;base64,{'A' * 1000}", "Image")
    told.ask("blob:https://origin.test/1", "Script")
    assert told.events.complete
    assert len(told.events.exchanges) == 1

"""What a load leaves out, what it bears, and what fails it."""

from typing import Any

import pytest

from pronghorn.browser import record, vitals
from pronghorn.browser.asked import MOST_NAMED, matches
from pronghorn.browser.job import Job
from pronghorn.model.trial import MOST_LEFT_OUT, PageLoad

from .told import URL, Told

SEEN: dict[str, Any] = {**vitals.NOTHING, "navigation": {"loadEventStart": 100.0}}


def made(
    told: Told,
    fault: str | None = None,
    *,
    alone: bool = True,
    tolerate: tuple[str, ...] = (),
    recorded: tuple[str, ...] = (),
) -> PageLoad:
    """The record of what was told."""
    job = Job("", [], URL, 30.0, 1, 1, 1.0, True, {}, alone, tolerate, recorded)
    return PageLoad.model_validate(record.make(told.events, 0.0, SEEN, job, fault))


def left_out(page: PageLoad) -> list[tuple[str, str]]:
    """What a record leaves out, and why."""
    return [(one.url, one.why) for one in page.left_out]


def test_what_the_page_did_itself_is_left_out_and_told() -> None:
    told = Told()
    told.load()
    told.tell("Network.webSocketCreated", requestId="s", url="wss://origin.test/socket")
    told.tell("Network.webTransportCreated", transportId="t", url="https://origin.test/transport")
    told.fail(told.ask("https://other.test/a"), "net::ERR_NAME_NOT_RESOLVED")
    told.fail(told.ask("https://origin.test:8443/a"), "net::ERR_NAME_NOT_RESOLVED")
    told.fail(told.ask("http://origin.test/a"), "net::ERR_NAME_NOT_RESOLVED")
    told.fail(told.ask(f"{URL}aborted"), "net::ERR_ABORTED", canceled=True)
    told.fail(told.ask(f"{URL}download", "Document", "frame"), "net::ERR_ABORTED", canceled=True)
    told.fail(told.ask(f"{URL}csp"), "", blockedReason="csp")
    told.fail(told.ask(f"{URL}cors"), "net::ERR_FAILED", corsErrorStatus={"corsError": "MissingAllowOrigin"})
    told.fail(told.ask(f"{URL}orb"), "net::ERR_BLOCKED_BY_ORB")
    told.ask(f"{URL}poll")
    page = made(told)
    assert (page.outcome, page.detail, page.load_s) == ("ok", None, 0.1)
    assert [one.path for one in page.resources] == ["/"]
    assert left_out(page) == [
        ("wss://origin.test/socket", "socket"),
        ("https://origin.test/transport", "socket"),
        ("https://other.test/a", "other-host"),
        ("https://origin.test:8443/a", "other-host"),
        ("http://origin.test/a", "other-host"),
        (f"{URL}aborted", "aborted"),
        (f"{URL}download", "aborted"),
        (f"{URL}csp", "blocked"),
        (f"{URL}cors", "blocked"),
        (f"{URL}orb", "blocked"),
        (f"{URL}poll", "open"),
    ]
    assert page.left_out_count == len(page.left_out)


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("net::ERR_CONNECTION_RESET", "reset"),
        ("net::ERR_TIMED_OUT", "timeout"),
        ("net::ERR_CONTENT_LENGTH_MISMATCH", "incomplete"),
        ("net::ERR_HTTP2_PROTOCOL_ERROR", "reset"),
        ("net::ERR_QUIC_PROTOCOL_ERROR", "reset"),
    ],
)
def test_what_the_server_or_the_path_did_fails_the_load(error: str, word: str) -> None:
    told = Told()
    told.load()
    told.fail(told.ask(f"{URL}a"), error)
    page = made(told)
    assert (page.outcome, page.reason, page.detail) == (
        "failed",
        word,
        f"/a: {error}",
    )
    assert left_out(page) == []


def test_a_document_that_is_a_download_is_a_failure() -> None:
    told = Told()
    told.fail(told.ask(URL, "Document"), "net::ERR_ABORTED", canceled=True)
    page = made(told, "net::ERR_ABORTED")
    assert (page.outcome, page.reason) == ("failed", "incomplete")


def test_a_load_that_was_cut_leaves_out_nothing_that_was_open() -> None:
    told = Told()
    told.load()
    told.ask(f"{URL}slow.png")
    page = made(told, "timeout")
    assert page.reason == "timeout"
    assert page.detail == "not loaded within 30 s; 1 requests had not ended, such as /slow.png"
    assert [one.path for one in page.resources] == ["/", "/slow.png"]


def test_a_failure_names_the_resource_and_the_line_that_allows_it() -> None:
    told = Told()
    told.load()
    told.serve(f"{URL}pixel.gif?visitor=17", status=404)
    page = made(told)
    assert (page.outcome, page.reason, page.failures) == ("failed", "status", 1)
    assert page.detail == (
        '/pixel.gif?visitor=17: status 404; to accept its failure, write tolerate = ["/pixel.gif*"] '
        "in the experiment"
    )
    assert made(told, tolerate=("/pixel.gif*",)).outcome == "ok"


def test_what_is_tolerated_is_an_outcome_of_its_request() -> None:
    told = Told()
    told.load()
    told.serve(f"{URL}collect?a=1", status=405)
    told.fail(told.ask(f"{URL}collect?a=2"))
    page = made(told, tolerate=("/collect*",))
    assert (page.outcome, page.failures, page.left_out) == ("ok", 2, [])
    assert [(one.path, one.status, one.error) for one in page.resources[1:]] == [
        ("/collect?a=1", 405, None),
        ("/collect?a=2", None, "net::ERR_CONNECTION_RESET"),
    ]
    assert made(told, tolerate=("/collect?a=1",)).outcome == "failed"


def test_the_document_itself_may_not_fail() -> None:
    told = Told()
    told.load(status=404)
    page = made(told, tolerate=("*",))
    assert (page.outcome, page.detail) == ("failed", "/: status 404")


@pytest.mark.parametrize(
    ("pattern", "asked", "fits"),
    [
        ("/a", "/a", True),
        ("/a", "/ab", False),
        ("/a*", "/a/b?c=1", True),
        ("*.gif", "/x/y.gif", True),
        ("/a.gif", "/axgif", False),
        ("/a?b", "/acb", False),
        ("/a?b", "/a?b", True),
        ("/[x]*", "/[x]1", True),
    ],
)
def test_only_an_asterisk_is_special(pattern: str, asked: str, fits: bool) -> None:
    assert matches(pattern, asked) is fits


def test_on_the_network_as_it_is_others_are_loaded_and_their_failures_are_theirs() -> None:
    told = Told()
    told.load()
    told.serve("https://other.test/a", status=500)
    told.fail(told.ask("https://gone.test/b"), "net::ERR_NAME_NOT_RESOLVED")
    page = made(told, alone=False)
    assert (page.outcome, page.failures, page.left_out) == ("ok", 2, [])
    assert [one.path for one in page.resources] == ["/", "/a", "/b"]


def test_a_page_that_goes_to_another_host_fails_with_its_name() -> None:
    told = Told()
    told.load()
    told.fail(told.ask("https://other.test/", "Document"), "net::ERR_NAME_NOT_RESOLVED")
    page = made(told)
    assert (page.reason, page.detail) == (
        "resolve", "https://other.test/ (another host than the page's): net::ERR_NAME_NOT_RESOLVED"
    )  # fmt: skip


def test_the_first_byte_is_that_of_the_document_at_which_the_page_stays() -> None:
    told = Told()
    stub = told.load()
    told.tell("Network.responseReceived", requestId=stub, response=answered(1.0))
    key = told.serve(f"{URL}next", "Document")
    told.tell("Network.responseReceived", requestId=key, response=answered(3.0))
    told.commit(key, f"{URL}next")
    frame = told.ask(f"{URL}frame", "Document", "frame")
    told.tell("Network.responseReceived", requestId=frame, response=answered(5.0))
    told.finish(frame)
    assert made(told).ttfb_s == 3.2


def answered(requested: float) -> dict[str, Any]:
    """The head of a response to a request of that time."""
    timing = {
        "requestTime": requested,
        "sendStart": 100.0,
        "receiveHeadersStart": 150.0,
        "receiveHeadersEnd": 200.0,
    }
    return {"status": 200, "protocol": "h2", "connectionId": 7, "timing": timing}


def test_everything_is_counted_and_as_much_is_named_as_the_model_has_room_for() -> None:
    told = Told()
    told.load()
    for number in range(2 * MOST_NAMED):
        told.ask(f"{URL}poll/{number}")
    told.tell("Network.webSocketCreated", requestId="s", url="wss://origin.test/socket")
    page = made(told)
    assert (len(page.left_out), page.left_out_count) == (MOST_LEFT_OUT, 2 * MOST_NAMED + 1)
    assert page.left_out[0].why == "socket"


def test_a_page_that_asks_too_much_or_leaves_or_hangs_says_so() -> None:
    told = Told()
    told.load()
    assert made(told, "too-large").reason == "too-large"
    busy = made(told, "busy")
    assert (busy.reason, busy.detail) == (
        "timeout", "the page's main thread was still busy after the limit of 30 s"
    )  # fmt: skip
    told.tell("Page.frameNavigated", frame={"id": "page", "loaderId": "x", "url": "about:blank"})
    assert made(told, "strayed").detail == "the page navigated to about:blank, which no server has"


def test_a_request_keeps_its_name_and_tells_the_script_that_made_it() -> None:
    told = Told()
    told.load()
    told.serve(f"{URL}empty?")
    called = [{"url": ""}, {"url": f"{URL}app.js?v=1"}, {"url": URL}]
    key = told.ask(f"{URL}data?a=1#part", initiator={"type": "script", "stack": {"callFrames": called}})
    told.respond(key)
    told.finish(key)

    page = made(told)

    assert [one.path for one in page.resources] == ["/", "/empty?", "/data?a=1"]
    assert page.resources[-1].initiator == "/app.js"


@pytest.mark.parametrize(
    ("length", "came", "counted"),
    [
        # In all 350 bytes came, 150 of them in the head.
        ("200", 350, 200),
        # Framing, such as that of chunks, is no part of a body whose length is told.
        ("190", 350, 190),
        # A server that tells another length than it sends, as some do of what they compress.
        ("5000000", 350, 200),
        (None, 350, 200),
        ("170, 170", 350, 200),
        ("9" * 5000, 350, 200),
        # A response to HEAD has no body, whatever length it tells.
        ("5000000", 150, 0),
    ],
)
def test_a_coded_body_counts_as_it_came_and_at_most_as_long_as_its_server_says(
    length: str | None, came: int, counted: int
) -> None:
    told = Told()
    told.load()
    key = told.ask(f"{URL}style.css", "Stylesheet")
    headers = {"Content-Encoding": "br", **({} if length is None else {"content-length": length})}
    told.respond(key, headers=headers, encodedDataLength=150)
    if came > 150:
        told.tell("Network.dataReceived", requestId=key, dataLength=1000, encodedDataLength=0)
    told.finish(key, encodedDataLength=came)

    style = made(told).resources[-1]

    assert (style.content_coding, style.bytes) == ("br", counted)


@pytest.mark.parametrize(("length", "counted"), [("64000", 64_000), (None, 64_110)])
def test_a_coded_body_whose_beginning_came_with_its_head_counts_whole(
    length: str | None, counted: int
) -> None:
    told = Told()
    told.load()
    key = told.ask(f"{URL}app.js", "Script")
    headers = {"Content-Encoding": "br", **({} if length is None else {"content-length": length})}
    # The head has 128 bytes, of which its headers have 18; the browser told of it when 40 kB had come.
    told.respond(key, headers=headers, encodedDataLength=40_128)
    told.tell("Network.dataReceived", requestId=key, dataLength=190_000, encodedDataLength=24_000)
    told.finish(key, encodedDataLength=64_128)

    assert made(told).resources[-1].bytes == counted


@pytest.mark.parametrize("recorded", [(), ("origin.test",)])
def test_an_event_stream_is_left_out_of_a_replay(recorded: tuple[str, ...]) -> None:
    told = Told()
    told.load()
    key = told.ask(f"{URL}events", "EventSource")
    told.respond(key, 404)
    told.finish(key)

    page = made(told, recorded=recorded, tolerate=("/events",))

    assert left_out(page) == ([(f"{URL}events", "stream")] if recorded else [])


def test_a_coded_body_that_was_cut_counts_as_far_as_it_came() -> None:
    told = Told()
    told.load()
    key = told.ask(f"{URL}style.css", "Stylesheet")
    told.respond(key, headers={"content-encoding": "br", "content-length": "500"}, encodedDataLength=150)
    told.tell("Network.dataReceived", requestId=key, dataLength=1000, encodedDataLength=120)
    told.fail(key, "net::ERR_CONTENT_LENGTH_MISMATCH")

    assert made(told).resources[-1].bytes == 120


@pytest.mark.parametrize("named", ["turbopack://[project]/app.js", "http://[", "webpack://[a]/b"])
def test_a_script_that_names_itself_by_what_is_no_url_is_nobody(named: str) -> None:
    told = Told()
    told.load()
    key = told.ask(f"{URL}data", initiator={"type": "script", "stack": {"callFrames": [{"url": named}]}})
    told.respond(key)
    told.finish(key)

    assert made(told).resources[-1].initiator is None


def test_of_a_request_s_event_only_what_is_used_is_kept() -> None:
    told = Told()
    told.load()
    long = "x" * 100_000
    stack = {"type": "script", "stack": {"callFrames": [{"url": f"{URL}{long}", "functionName": long}] * 50}}
    told.ask(f"{URL}data", documentURL=f"{URL}{long}", initiator=stack)

    assert len(str(told.events.exchanges[-1].sent)) < 5000


def test_a_pattern_is_held_against_long_names_in_one_pass() -> None:
    """With a way back for each part this would take hours."""
    assert not matches("/api/*/x/*.json", "/api/" + "/x/" * 700_000)


def test_what_a_policy_blocks_is_blocked_wherever_it_lies() -> None:
    told = Told()
    told.load()
    told.fail(told.ask("https://other.test/a.js", "Script"), "", blockedReason="csp")

    assert left_out(made(told)) == [("https://other.test/a.js", "blocked")]

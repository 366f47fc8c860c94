"""What proves a load of a recorded site: the protocol of each host, and that nothing was asked for that
wasn't recorded."""

from pathlib import Path

import pytest

from pronghorn.model import arm as arms
from pronghorn.model.trial import LeftOut, OriginRequest, PageLoad, Resource
from pronghorn.origins import OriginLog
from pronghorn.sites.hosts import Face, Host, Replay
from pronghorn.trust import misses, proof

REPLAY = Replay(
    "a.test",
    {
        "a.test": Host("a.test", True, "h3", 0, frozenset({443})),
        "b.test": Host("b.test", False, "h2", 1, frozenset({443})),
    },
    (Face(("a.test",), True, True), Face(("b.test",), True, False)),
    Path(),
)


def fault(arm: str, *came: tuple[str, str]) -> str | None:
    """What isn't proved of a load whose resources came so."""
    page = PageLoad(
        outcome="ok",
        load_s=1.0,
        resources=[Resource(path=path, protocol=protocol, status=200) for path, protocol in came],
    )
    log = OriginLog([OriginRequest(path=path, protocol=protocol, status=200) for path, protocol in came], [])
    found = proof.mismatch(arms.parse(arm), page, log, replay=REPLAY)
    return found.detail if found else None


@pytest.mark.parametrize(
    ("arm", "own", "other"),
    [("h1", "h1", "h1"), ("h2", "h2", "h2"), ("h3", "h3", "h2"), ("h3~altsvc", "h2", "h2")],
)
def test_each_host_may_come_over_what_it_speaks(arm: str, own: str, other: str) -> None:
    assert fault(arm, ("/", own), ("https://b.test/x", other)) is None


def test_another_protocol_of_a_host_is_a_fault() -> None:
    wrong = fault("h3", ("/", "h3"), ("https://b.test/x", "h3"))
    assert wrong is not None
    assert "of a host that doesn't speak it, h2" in wrong
    assert "https://b.test/x over h3" in wrong
    assert fault("h3", ("/", "h2"), ("https://b.test/x", "h2")) is not None
    assert fault("h2", ("/", "h2"), ("https://b.test/x", "h1")) is not None


def loaded(*paths: str, left_out: tuple[tuple[str, str], ...] = ()) -> PageLoad:
    """A load of these resources that leaves out URLs for reasons."""
    return PageLoad(
        outcome="ok",
        load_s=1.0,
        resources=[Resource(path=path, protocol="h2", status=200) for path in paths],
        left_out=[LeftOut(url=url, why=why) for url, why in left_out],
    )


@pytest.mark.parametrize(
    ("url", "path"), [("wss://b.test/live?a=1", "https://b.test/live?a=1"), ("wss://a.test/live", "/live")]
)
def test_a_socket_to_a_recorded_host_may_be_served_over_http_1_and_is_no_miss(url: str, path: str) -> None:
    page = loaded("/", left_out=((url, "socket"),))
    asked = OriginRequest(method="GET", path=path, protocol="h1", status=404, matched="missed")
    log = OriginLog([OriginRequest(path="/", protocol="h2", status=200), asked], [])
    assert proof.mismatch(arms.parse("h2"), page, log, replay=REPLAY) is None
    assert misses.fault(REPLAY, page, [asked], ()) is None


@pytest.mark.parametrize(
    ("page", "fails"),
    [
        (loaded("/"), False),
        (loaded("/", "/icon"), True),
        (loaded("/", left_out=(("https://a.test/icon", "aborted"),)), True),
        (loaded("/", left_out=(("https://b.test/icon", "aborted"),)), False),
        (loaded("/", left_out=(("https://a.test/icon", "stream"),)), False),
    ],
)
def test_what_the_page_did_not_ask_for_fails_no_load(page: PageLoad, fails: bool) -> None:
    icon = OriginRequest(method="GET", path="/icon", status=404, matched="missed")
    assert (misses.fault(REPLAY, page, [icon], ()) is not None) == fails


def test_a_miss_on_an_own_host_fails_the_load_unless_it_is_tolerated() -> None:
    requests = [
        OriginRequest(path="/x", status=200, matched="varied"),
        OriginRequest(method="GET", path="https://b.test/lost", status=404, matched="missed"),
    ]
    page = loaded("/x", "https://b.test/lost", "/lost?a=1")
    assert misses.fault(REPLAY, page, requests, ()) is None
    requests.append(OriginRequest(method="GET", path="/lost?a=1", status=404, matched="missed"))
    found = misses.fault(REPLAY, page, requests, ())
    assert found is not None
    assert found.reason == "miss"
    assert "GET /lost?a=1" in found.detail
    assert misses.fault(REPLAY, page, requests, ("/lost*",)) is None
    assert len(misses.of(requests)) == 2

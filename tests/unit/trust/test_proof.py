"""Proof by both ends: with a discovery two protocols may appear, but each request's must be the same at
both."""

import pytest

from pronghorn.analysis.protocols import protocols
from pronghorn.model import arm as arms
from pronghorn.model.trial import Connection, LeftOut, OriginConnection, OriginRequest, PageLoad, Resource
from pronghorn.origins import OriginLog
from pronghorn.trust import proof

NATURAL = arms.parse("h3~altsvc")


def page(*seen: tuple[str, str | None], cached: str = "") -> PageLoad:
    resources = [
        Resource(path=path, protocol=protocol, status=200, from_cache=path == cached)
        for path, protocol in seen
    ]
    return PageLoad(outcome="ok", load_s=1.0, resources=resources)


def log(*served: tuple[str, str], kept: bool = True) -> OriginLog:
    return OriginLog([OriginRequest(path=path, protocol=protocol) for path, protocol in served], [], kept)


def wrong(arm: str, page: PageLoad, log: OriginLog) -> str:
    fault = proof.mismatch(arms.parse(arm), page, log)
    assert fault is not None and fault.reason == "protocol"
    return fault.detail


def test_a_discovery_may_go_over_two_protocols_that_both_ends_agree_on() -> None:
    both = (("/", "h2"), ("/a.js", "h3"))
    assert proof.mismatch(NATURAL, page(*both), log(*reversed(both))) is None
    assert protocols(page(*both)) == {"h2": 1, "h3": 1}


def test_ends_that_disagree_on_a_request_fail_the_trial() -> None:
    said = wrong("h3~altsvc", page(("/", "h2"), ("/a.js", "h3")), log(("/", "h2"), ("/a.js", "h2")))
    assert said == "the client got /a.js over h3, but the origin served it over h2"


def test_a_discovery_does_not_lead_to_http_1() -> None:
    said = wrong("h3~altsvc", page(("/", "h1")), log(("/", "h1")))
    assert said == "asked h3, found by altsvc, but the client got / over h1"


def test_a_request_that_the_log_lacks_fails_the_trial() -> None:
    said = wrong("h2", page(("/", "h2"), ("/a.js", "h2")), log(("/", "h2")))
    assert said == "the origin's log lacks 1 of the client's requests, such as /a.js"


@pytest.mark.parametrize("seen", ["h1", None])
def test_without_a_log_the_client_must_still_have_seen_the_protocol(seen: str | None) -> None:
    assert proof.mismatch(arms.parse("h2"), page(("/", "h2")), log(kept=False)) is None
    assert wrong("h2", page(("/", seen)), log(kept=False))


def test_what_came_from_the_cache_was_asked_of_nobody() -> None:
    repeat = page(("/", "h2"), ("/a.js", None), cached="/a.js")
    assert proof.mismatch(arms.parse("h2"), repeat, log(("/", "h2"))) is None
    assert protocols(repeat) == {"h2": 1}


@pytest.mark.parametrize("arm", ["h2", "h3"])
def test_what_a_client_names_as_a_socket_may_be_served_over_http_1(arm: str) -> None:
    loaded = page(("/", arm))
    loaded.left_out = [LeftOut(url="wss://origin.test/socket?room=1", why="socket")]
    served = log(("/", arm), ("/socket?room=1", "h1"))
    assert proof.mismatch(arms.parse(arm), loaded, served) is None


def test_a_socket_s_name_that_is_no_url_excuses_nothing() -> None:
    loaded = page(("/", "h2"))
    loaded.left_out = [LeftOut(url="ws://[x/", why="socket")]
    assert proof.otherwise(arms.parse("h2"), loaded, log(("/", "h2"))) is None
    assert proof.otherwise(arms.parse("h2"), loaded, log(("/", "h2"), ("/socket", "h1"))) is not None


@pytest.mark.parametrize("path", ["/socket?room=2", "/socket", "/"])
def test_a_socket_excuses_no_other_request(path: str) -> None:
    loaded = page(("/", "h3"))
    loaded.left_out = [
        LeftOut(url="wss://origin.test/socket?room=1", why="socket"),
        LeftOut(url=f"https://origin.test{path}", why="aborted"),
    ]
    assert wrong("h3", loaded, log(("/", "h3"), (path, "h1"))).endswith(f"served {path} over h1")


def test_a_request_that_the_client_saw_over_http_1_is_no_socket() -> None:
    loaded = page(("/", "h3"), ("/socket", "h1"))
    loaded.left_out = [LeftOut(url="wss://origin.test/socket", why="socket")]
    assert (
        wrong("h3", loaded, log(("/", "h3"), ("/socket", "h1")))
        == "asked h3, but the client got /socket over h1"
    )


@pytest.mark.parametrize(
    ("client", "origin", "said"),
    [
        ("s2n", "s2n", None),
        ("quinn", "s2n", "asked s2n, but the client's QUIC was quinn"),
        ("s2n", "quinn", "asked s2n, but the origin's QUIC was quinn"),
        (None, "s2n", "asked s2n, but the client's QUIC was of no known stack"),
    ],
)
def test_a_stack_that_an_arm_names_must_be_both_ends(
    client: str | None, origin: str, said: str | None
) -> None:
    page = PageLoad(
        outcome="ok",
        load_s=1.0,
        resources=[Resource(path="/", protocol="h3", status=200)],
        connections=[Connection(settings={"stack": client}), Connection()],
    )
    served = OriginLog(
        [OriginRequest(path="/", protocol="h3")],
        [OriginConnection(protocol="h3", settings={"stack": origin})],
        True,
    )
    fault = proof.mismatch(arms.parse("h3:s2n"), page, served)
    assert (fault and (fault.reason, fault.detail)) == (said and ("stack", said))
    assert proof.mismatch(arms.parse("h3"), page, served) is None

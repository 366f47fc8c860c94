"""What proves a load of a recorded site: the protocol of each host, and that nothing was asked for that
wasn't recorded."""

from pathlib import Path

import pytest

from pronghorn.model import arm as arms
from pronghorn.model.trial import OriginRequest, PageLoad, Resource
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


def test_a_miss_on_an_own_host_fails_the_load_unless_it_is_tolerated() -> None:
    requests = [
        OriginRequest(path="/x", status=200, matched="varied"),
        OriginRequest(method="GET", path="https://b.test/lost", status=404, matched="missed"),
    ]
    assert misses.fault(REPLAY, requests, ()) is None
    requests.append(OriginRequest(method="GET", path="/lost?a=1", status=404, matched="missed"))
    found = misses.fault(REPLAY, requests, ())
    assert found is not None
    assert found.reason == "miss"
    assert "GET /lost?a=1" in found.detail
    assert misses.fault(REPLAY, requests, ("/lost*",)) is None
    assert len(misses.of(requests)) == 2

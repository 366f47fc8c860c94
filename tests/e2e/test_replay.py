"""A recorded page of several hosts, served and loaded again: the same requests, statuses and sizes, over the
protocols that its hosts speak."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from pronghorn.execute.stage import Measurement
from pronghorn.model import arm as arms
from pronghorn.sites.archive import Exchange
from pronghorn.trust import misses, proof

from .. import recorded_page
from . import stages
from .replayed import ARMS, Replayed

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.beside]

SHOP = "https://shop.example"


class Recorded(Replayed):
    """The page of `recorded_page`. `delay` is an extra round trip of its host."""

    def __init__(self, folder: Path, *, delay: str | None = None, rewritings: str = "") -> None:
        self.exchanges = recorded_page.make(folder / "archive", delay=delay)
        super().__init__(folder / "archive", folder, rewritings=rewritings)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The page of `recorded_page`."""
    return Recorded(tmp_path_factory.mktemp("recorded"))


def without_varying(url: str) -> str:
    """A URL without the values that differ from load to load."""
    for name in ("_=", "ts="):
        before, found, _ = url.partition(name)
        if found:
            return before + name
    return url


def expected(exchanges: Sequence[Exchange], *, in_turn: bool) -> Counter[tuple[str, int, int]]:
    """What was recorded: URLs, statuses, sizes of bodies. Equal requests are answered `in_turn`, or like the
    first of them."""
    first = {one.url: one for one in reversed(exchanges)}
    answers = [one if in_turn else first[one.url] for one in exchanges]
    return Counter((without_varying(one.url), one.status, one.body_bytes) for one in answers)


def loaded(measured: Measurement) -> Counter[tuple[str, int | None, int]]:
    """What was loaded, without what differs."""
    return Counter(
        (without_varying(SHOP + one.path if one.path.startswith("/") else one.path), one.status, one.bytes)
        for one in measured.page.resources
    )


@pytest.mark.parametrize("origin", ["nginx", "haproxy", "caddy"])
def test_other_servers_answer_what_was_recorded(recorded: Recorded, tmp_path: Path, origin: str) -> None:
    scenes = [recorded.scene(arm, "native", origin) for arm in ARMS]
    for arm, measured in zip(ARMS, asyncio.run(stages.trials(scenes, tmp_path)), strict=True):
        assert_as_recorded(recorded, arm, measured, in_turn=False)


def assert_as_recorded(recorded: Recorded, arm: str, measured: Measurement, *, in_turn: bool = True) -> None:
    """Asserts that a load was the recorded one, by both ends."""
    page, log = measured.page, measured.log
    assert page.outcome == "ok", page.detail
    left = [(one.url, one.why) for one in page.left_out]
    assert loaded(measured) == expected(recorded.exchanges, in_turn=in_turn), left
    spoken = recorded_page.SPOKEN[arm]
    for resource in page.resources:
        assert resource.protocol == spoken[recorded.replay.host_of(resource.path)], resource.path
    assert proof.mismatch(arms.parse(arm), page, log, replay=recorded.replay) is None
    assert misses.fault(recorded.replay, page, log.requests, ()) is None
    # Chromium looks for an icon by itself.
    missed = misses.of(log.requests)
    assert {one.path for one in missed} <= {"/favicon.ico"}
    assert len(log.requests) - len(missed) == len(page.resources)


def test_the_native_client_loads_what_was_recorded(recorded: Recorded, tmp_path: Path) -> None:
    scenes = [recorded.scene(arm, "native", "builtin") for arm in ARMS]
    for arm, measured in zip(ARMS, asyncio.run(stages.trials(scenes, tmp_path)), strict=True):
        assert_as_recorded(recorded, arm, measured)
        # Hosts that share an address share a connection, but for HTTP/1.1.
        opened = Counter(one.host for one in measured.page.connections)
        assert ("static.shop.example" in opened) == (arm == "h1")
        assert arm == "h1" or set(opened.values()) == {1}


@pytest.mark.needs("namespaces", "chromium")
def test_chromium_loads_what_was_recorded(recorded: Recorded, tmp_path: Path) -> None:
    scenes = [recorded.scene(arm, "chromium", "builtin") for arm in ARMS]
    for arm, measured in zip(ARMS, asyncio.run(stages.trials(scenes, tmp_path)), strict=True):
        assert_as_recorded(recorded, arm, measured)


def test_a_host_lies_farther_away_and_third_parties_can_be_left_out(tmp_path: Path) -> None:
    recorded = Recorded(tmp_path, delay="80ms", rewritings="+no-third-parties")
    scene = recorded.scene("h2", "native", "builtin")
    [measured] = asyncio.run(stages.trials([scene], tmp_path / "stages"))
    page = measured.page
    assert page.outcome == "ok", page.detail
    hosts = {recorded.replay.host_of(one.path) for one in page.resources}
    assert hosts == {"shop.example", "static.shop.example"}
    # TCP, TLS and the request each take a round trip of the path, 10 ms, and another one.
    assert page.ttfb_s is not None
    assert page.ttfb_s >= 3 * (0.010 + 0.080)


@pytest.mark.parametrize("client", ["native", pytest.param("chromium", marks=pytest.mark.needs("chromium"))])
def test_a_page_is_loaded_from_one_host(tmp_path: Path, client: str) -> None:
    recorded = Recorded(tmp_path, rewritings="+one-host")
    scenes = [recorded.scene(arm, client, "builtin") for arm in ARMS]
    for arm, measured in zip(ARMS, asyncio.run(stages.trials(scenes, tmp_path / "stages")), strict=True):
        assert_loaded_from_its_host(recorded, arm, measured)


def assert_loaded_from_its_host(recorded: Recorded, arm: str, measured: Measurement) -> None:
    """Asserts that every recorded request was made, each to the page's own host."""
    page = measured.page
    assert page.outcome == "ok", page.detail
    assert {(one.protocol, one.path.partition("/")[0]) for one in page.resources} == {(arm, "")}
    paths = Counter(without_varying(one.target.path) for one in recorded.exchanges)
    asked = Counter(without_varying(one.path) for one in page.resources)
    assert not asked - paths
    # What a script asks for in turn may come after the load event.
    assert set(paths - asked) <= {"/poll", "/collect"}
    assert misses.fault(recorded.replay, page, measured.log.requests, ()) is None


@pytest.mark.parametrize("client", ["native", pytest.param("chromium", marks=pytest.mark.needs("chromium"))])
def test_a_page_is_loaded_without_its_images(tmp_path: Path, client: str) -> None:
    recorded = Recorded(tmp_path, rewritings="+no-images")
    [measured] = asyncio.run(stages.trials([recorded.scene("h3", client, "builtin")], tmp_path / "stages"))
    assert measured.page.outcome == "ok", measured.page.detail
    left = [one for one in recorded.exchanges if one.kind != "image"]
    assert loaded(measured) == expected(left, in_turn=True)


def test_every_host_speaks_http_3_with_equal_priorities(tmp_path: Path) -> None:
    recorded = Recorded(tmp_path, rewritings="+all-h3+round-robin")
    [measured] = asyncio.run(stages.trials([recorded.scene("h3", "native", "builtin")], tmp_path / "stages"))
    assert measured.page.outcome == "ok", measured.page.detail
    told = {(one.protocol, one.urgency, one.incremental) for one in measured.page.resources}
    assert told == {("h3", 3, True)}

"""What a client does before the measured load meets the path's delay alone, uncounted and not captured."""

import asyncio
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.engine import EngineError
from pronghorn.model.trial import Counters, PageLoad

from . import links, pages
from .benches import LIMIT_S, Bench, bench
from .captures import Capture
from .links import link
from .pages import Named

pytestmark = pytest.mark.beside

NAMED = [Named("first", "image", 60_000)]
LOST = link(5, loss=1.0)
SLOW = link(20, rate_mbit=2, queue_bytes=60_000)
ATTEMPTS = 3


async def load_twice(
    folder: Path, identity: Certificates, path: links.Path
) -> tuple[list[PageLoad], Counters]:
    """A load in the warm-up and one after it, over h3."""
    pages.write(folder / "site", NAMED)
    async with bench(folder) as one:
        await one.open(path, capture=folder / "path.pcapng", warm_up=True)
        loads = [await one.load(folder / "site", identity, "h3")]
        before = await one.begin(7)
        # What 60 kB take, and three flights up; a busy host joins many acknowledgements to one.
        assert before["down"] > 40
        assert before["up"] > 2
        loads.append(await one.load(folder / "site", identity, "h3"))
        return loads, await one.close()


@pytest.mark.needs("namespaces", "tshark")
def test_only_what_comes_after_the_warm_up_is_limited_counted_and_captured(
    tmp_path: Path, identity: Certificates
) -> None:
    (warm, measured), counters = asyncio.run(load_twice(tmp_path, identity, links.both_ways(SLOW)))
    assert warm.outcome == measured.outcome == "ok"
    assert measured.load_s is not None
    assert measured.load_s > 0.24, "60 kB take 240 ms at 2 Mbit/s"
    assert counters.down is not None
    assert counters.up is not None
    home = tmp_path / "home"
    home.mkdir()
    capture = Capture(tmp_path / "path.pcapng", home)
    ends = [one.packets_in + one.packets_out for one in (counters.down, counters.up)]
    assert capture.count("frame") == sum(ends)
    assert capture.count("http3") > 0
    # Five secrets of each connection, the first one's among them (RFC 8446, section 7.1).
    assert counters.model_dump()["capture"]["secrets"] == 10


@pytest.mark.needs("namespaces")
def test_a_path_may_begin_again_and_again_each_time_as_new(tmp_path: Path) -> None:
    async def losses() -> list[int]:
        async with bench(tmp_path) as one:
            _, server = await one.open(links.both_ways(LOST), warm_up=True)
            lost = []
            for seed in (1, 2):
                await one.begin(seed)
                argv = ["bash", "-c", f"exec 3<>/dev/udp/{server}/9; echo 1 >&3; echo 2 >&3"]
                ok = await one.engine.request("spawn", host="client", argv=argv, stdout=None, stderr=None)
                await one.engine.request("wait", process=ok["process"], timeout_s=30)
                lost.append(await counted(one))
            return lost

    async def counted(one: Bench) -> int:
        async with asyncio.timeout(LIMIT_S):
            while (up := await one.link("up")).lost < 2:
                await asyncio.sleep(0.01)
        return up.lost

    assert asyncio.run(losses()) == [2, 2]


@pytest.mark.needs("namespaces")
def test_a_bench_without_a_warm_up_has_begun_already(tmp_path: Path) -> None:
    async def refused() -> EngineError:
        async with bench(tmp_path) as one:
            await one.open(links.both_ways(SLOW))
            with pytest.raises(EngineError) as caught:
                await one.begin(1)
            return caught.value

    error = asyncio.run(refused())
    assert error.kind == "input"
    assert "warm-up" in error.message


@pytest.mark.needs("namespaces")
@pytest.mark.parametrize("protocol", ["h1", "h2", "h3"])
def test_nothing_of_a_visit_comes_after_the_beginning(
    protocol: str, tiny: Path, tmp_path: Path, identity: Certificates
) -> None:
    """A visit's connections are closed and acknowledged; QUIC's server would else probe for seconds. Where a
    busy host stops one end for long enough the visit is made anew."""

    async def after_a_visit() -> tuple[PageLoad, list[int]]:
        async with bench(tmp_path) as one:
            await one.open(links.both_ways(link(50)), warm_up=True)
            port = await one.serve(tiny, identity)
            gained = await one.visit(identity, protocol, port, session="gain")
            await one.begin(7)
            await asyncio.sleep(1.0)
            return gained, [(await one.link(way)).packets_in for way in ("down", "up")]

    for _ in range(ATTEMPTS):
        gained, entered = asyncio.run(after_a_visit())
        assert gained.outcome == "ok", gained.detail
        if entered == [0, 0]:
            return
    pytest.fail(f"{ATTEMPTS} times packets came after the beginning, at last {entered}")

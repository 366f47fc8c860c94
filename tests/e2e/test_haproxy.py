"""HAProxy, in front of an nginx, serves a site over each protocol, and proves it by its log."""

import asyncio
from pathlib import Path

import pytest

from pronghorn import sites
from pronghorn.certificates import Certificates
from pronghorn.origins import OriginFailed
from pronghorn.origins.haproxy import HAProxy

from .foreign_origins import HEADERS, assert_proved, serving

pytestmark = [pytest.mark.needs("engine", "haproxy", "namespaces", "nginx"), pytest.mark.beside]

SMALL = 21


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    sites.build("small", 1, folder)
    return folder


@pytest.mark.parametrize("tuned", [False, True], ids=["shipped", "tuned"])
@pytest.mark.parametrize("arm", ["h1", "h2+tls12", "h3", "h3@newreno"])
def test_every_request_goes_over_the_asked_protocol_at_both_ends(
    arm: str, tuned: bool, small: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        async with serving(HAProxy(tuned=tuned), arm, small, identity, tmp_path) as served:
            page = await served.load()
            assert_proved(page, await served.log(SMALL), arm[:2], SMALL)

    asyncio.run(work())


def test_each_header_stands_once_and_tcp_runs_the_routes_congestion_control(
    small: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        async with serving(HAProxy(), "h1@reno", small, identity, tmp_path) as served:
            status, headers, size = await served.ask("/")
            assert (status, size) == (200, (small / "index.html").stat().st_size)
            for name, value in HEADERS.items():
                assert [there for key, there in headers if key == name] == [value]
            assert ("content-type", "text/html") in headers
            assert not [key for key, _ in headers if key == "content-encoding"]
            log = await served.log(1)
            assert [connection.congestion_control for connection in log.connections] == ["reno"]

    asyncio.run(work())


@pytest.mark.parametrize(("arm", "accepted"), [("h2+0rtt", "accepted"), ("h2+resumed", None)])
def test_early_data_is_taken_over_tcp_where_the_arm_asks_for_it_alone(
    arm: str, accepted: str | None, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        async with serving(HAProxy(), arm, tiny, identity, tmp_path) as served:
            assert (await served.load("gain")).outcome == "ok"
            page = await served.load("0rtt")
            assert (page.outcome, page.detail) == ("ok", None)
            connection = page.connections[0].model_dump()
            assert (connection["resumed"], connection["early_data"]) == (True, accepted)

    asyncio.run(work())


def test_an_nginx_that_does_not_start_is_told_in_its_own_words(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        (tmp_path / "origin").mkdir()
        (tmp_path / "origin" / "files.sock").mkdir()
        with pytest.raises(OriginFailed) as failure:
            async with serving(HAProxy(), "h3", tiny, identity, tmp_path):
                raise AssertionError("it started")
        assert "nginx ended with status 1 before it listened on files.sock" in str(failure.value)
        assert "bind() to unix:files.sock failed" in str(failure.value)

    asyncio.run(work())


def test_a_haproxy_that_does_not_start_is_told_in_its_own_words(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        broken = tmp_path / "broken.pem"
        broken.write_text("no certificate\n")
        with pytest.raises(OriginFailed) as failure:
            async with serving(
                HAProxy(), "h3", tiny, identity, tmp_path, certificates=identity._replace(chain=broken)
            ):
                raise AssertionError("it started")
        assert "haproxy ended with status 1 before it listened on port 443" in str(failure.value)
        assert "origin.pem" in str(failure.value)

    asyncio.run(work())

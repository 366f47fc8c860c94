"""Caddy serves a site over each protocol, and proves it by its log."""

import asyncio
import re
from pathlib import Path

import pytest

from pronghorn import sites
from pronghorn.certificates import Certificates
from pronghorn.origins import OriginFailed
from pronghorn.origins.caddy import Caddy

from .foreign_origins import HEADERS, assert_proved, serving

pytestmark = [pytest.mark.needs("caddy", "engine", "namespaces"), pytest.mark.beside]

SMALL = 21

OWN = """\
{
	admin off
	auto_https off
	storage file_system "${PRONGHORN_FOLDER}"
}
https://:${PRONGHORN_PORT} {
	bind ${PRONGHORN_ADDRESS}
	tls "${PRONGHORN_CERTIFICATE}" "${PRONGHORN_KEY}"
	log {
		output file "${PRONGHORN_LOG}"
	}
	header {
		${PRONGHORN_HEADERS}
		X-Own yes
	}
	root "${PRONGHORN_ROOT}"
	file_server
}
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    sites.build("small", 1, folder)
    return folder


@pytest.mark.parametrize("tuned", [False, True], ids=["shipped", "tuned"])
@pytest.mark.parametrize("arm", ["h1", "h2+tls12", "h3"])
def test_every_request_goes_over_the_asked_protocol_at_both_ends(
    arm: str, tuned: bool, small: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        async with serving(Caddy(tuned=tuned), arm, small, identity, tmp_path) as served:
            page = await served.load()
            assert_proved(page, await served.log(SMALL), arm[:2], SMALL)

    asyncio.run(work())


def test_each_header_stands_once_and_tcp_runs_the_routes_congestion_control(
    small: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        async with serving(Caddy(), "h1@reno", small, identity, tmp_path) as served:
            status, headers, size = await served.ask("/")
            assert (status, size) == (200, (small / "index.html").stat().st_size)
            for name, value in HEADERS.items():
                assert [there for key, there in headers if key == name] == [value]
            assert ("content-type", "text/html") in headers
            assert not [key for key, _ in headers if key == "content-encoding"]
            log = await served.log(1)
            assert [connection.congestion_control for connection in log.connections] == ["reno"]

    asyncio.run(work())


@pytest.mark.parametrize(("arm", "accepted"), [("h3+0rtt", "accepted"), ("h3+resumed", None)])
def test_early_data_is_taken_over_quic_where_the_arm_asks_for_it_alone(
    arm: str, accepted: str | None, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        async with serving(Caddy(), arm, tiny, identity, tmp_path) as served:
            assert (await served.load("gain")).outcome == "ok"
            page = await served.load("0rtt")
            assert (page.outcome, page.detail) == ("ok", None)
            connection = page.connections[0].model_dump()
            assert (connection["resumed"], connection["early_data"]) == (True, accepted)

    asyncio.run(work())


def test_a_configuration_of_ones_own_serves(small: Path, identity: Certificates, tmp_path: Path) -> None:
    async def work() -> None:
        async with serving(Caddy(configuration=OWN), "h3", small, identity, tmp_path) as served:
            page = await served.load()
            assert_proved(page, await served.log(SMALL), "h3", SMALL)
            _, headers, _ = await served.ask("/")
            assert ("x-own", "yes") in headers
            assert [value for name, value in headers if name == "alt-svc"] == [HEADERS["alt-svc"]]

    asyncio.run(work())


def test_a_configuration_without_a_log_proves_nothing_and_says_so(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        silent = Caddy(configuration=re.sub(r"\tlog \{.*?\}\n", "", OWN, flags=re.DOTALL))
        async with serving(silent, "h3", tiny, identity, tmp_path) as served:
            assert (await served.load()).outcome == "ok"
            log = await served.log(0)
            assert (log.requests, log.kept) == ([], False)

    asyncio.run(work())


def test_a_configuration_that_is_wrong_is_told_in_caddys_words(
    small: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        wrong = Caddy(configuration=OWN.replace("file_server", "fly_server"))
        with pytest.raises(OriginFailed) as failure:
            async with serving(wrong, "h3", small, identity, tmp_path):
                raise AssertionError("it started")
        assert "caddy ended with status 1" in str(failure.value)
        assert "unrecognized directive: fly_server" in str(failure.value)

    asyncio.run(work())

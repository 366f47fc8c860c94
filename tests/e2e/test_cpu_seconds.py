"""Every trial tells what client and origin had of the CPUs, whosever they are."""

import asyncio
from pathlib import Path

import pytest

from pronghorn import origins
from pronghorn.certificates import Certificates

from . import pages, stages
from .foreign_origins import FOREIGN, serving
from .pages import Named
from .stages import Scene

pytestmark = pytest.mark.needs("engine", "namespaces")

NAMED = [Named("large", "script", 600_000)]
"""No image: Chromium asks for no more of one than it needs to find out that it is none."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpu") / "site"
    pages.write(folder, NAMED)
    return folder


@pytest.mark.parametrize("protocol", ["h2", "h3"])
@pytest.mark.parametrize("origin", ["builtin", *FOREIGN])
def test_the_native_clients_and_each_origins_time_is_told(
    origin: str, protocol: str, site: Path, identity: Certificates, tmp_path: Path
) -> None:
    scene = Scene(protocol, site, identity, client="native", origin=origin)
    (found,), _ = asyncio.run(stages.load(scene, tmp_path))
    assert found.page.outcome == "ok", found.page.detail
    assert found.cpu.client_s is not None and found.cpu.client_s > 0
    assert found.cpu.origin_s is not None and found.cpu.origin_s > 0


@pytest.mark.parametrize("origin", FOREIGN)
def test_an_origins_time_grows_with_what_it_serves(
    origin: str, site: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def measured() -> list[float | None]:
        async with serving(origins.find(origin), "h2", site, identity, tmp_path) as served:
            told = [await served.running.cpu_s()]
            for _ in range(2):
                page = await served.load()
                assert page.outcome == "ok", page.detail
                told.append(await served.running.cpu_s())
            return told

    told = asyncio.run(measured())
    known = [time for time in told if time is not None]
    assert len(known) == 3
    assert 0 < known[0] < known[1] < known[2]


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("protocol", ["h2", "h3"])
def test_chromiums_time_and_the_builtin_origins_under_it_is_told(
    protocol: str, site: Path, identity: Certificates, tmp_path: Path
) -> None:
    scene = Scene(protocol, site, identity)
    (first, second), _ = asyncio.run(stages.load(scene, tmp_path, times=2))
    for found in (first, second):
        assert found.page.outcome == "ok", found.page.detail
        assert found.cpu.client_s == found.page.processes_cpu_s
        assert found.cpu.client_s is not None and found.cpu.client_s > 0
        assert found.cpu.origin_s is not None and found.cpu.origin_s > 0

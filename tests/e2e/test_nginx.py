"""nginx serves each protocol from a bench and proves it by its log; one that can't start says why."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pronghorn import origins, sites
from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.engine import Engine
from pronghorn.errors import InputError
from pronghorn.model.arm import Arm, parse
from pronghorn.model.trial import PageLoad
from pronghorn.origins import Origin, OriginFailed, OriginLog, OriginSetup, RunningOrigin
from pronghorn.trust import proof

from . import links
from .benches import LIMIT_S, bench, until

pytestmark = [pytest.mark.needs("engine", "namespaces", "nginx"), pytest.mark.beside]

PATH = links.both_ways(links.link(5, rate_mbit=50, queue_bytes=250_000))
HEADERS = {"cache-control": 'max-age=60, x="quoted \\ text"', "alt-svc": 'h3=":443"; ma=86400'}


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> sites.BuiltSite:
    return sites.build("small", 1, tmp_path_factory.mktemp("small"))


class Place:
    """Where the origins of one test stand: an open bench, and what they serve."""

    def __init__(self, engine: Engine, root: Path, certificates: Certificates, folder: Path) -> None:
        self.engine = engine
        self._root = root
        self._certificates = certificates
        self._folder = folder
        self._started = 0

    async def start(self, origin: Origin, arm: Arm) -> RunningOrigin:
        self._started += 1
        folder = self._folder / f"origin {self._started}"
        folder.mkdir()
        setup = OriginSetup(self._root, self._certificates, arm, HEADERS, folder, "198.18.0.2", 443)
        return await origin.start(self.engine, setup)

    async def load(self, arm: Arm) -> PageLoad:
        ok = await self.engine.request(
            "load",
            patience_s=LIMIT_S + 10,
            host_name=HOST_NAME,
            document="/",
            port=443,
            protocol=arm.protocol,
            ca=str(self._certificates.authority),
            congestion_control=arm.controls,
            limit_s=LIMIT_S,
            **({"tls": arm.tls_version} if arm.tls_version != "1.3" else {}),
        )
        return PageLoad.model_validate(ok)


@asynccontextmanager
async def place(root: Path, certificates: Certificates, folder: Path) -> AsyncIterator[Place]:
    async with bench(folder) as one:
        await one.open(PATH)
        yield Place(one.engine, root, certificates, folder)


async def logged(origin: RunningOrigin, page: PageLoad) -> OriginLog:
    """The origin's log, once it has all that the client got."""
    async with asyncio.timeout(LIMIT_S):
        while len((log := await origin.log()).requests) < len(page.resources):
            await asyncio.sleep(0.02)
    return log


@pytest.mark.parametrize("arm", ["h1", "h2", "h3", "h2+tls12"])
@pytest.mark.parametrize("variant", ["nginx", "nginx:patient", "nginx:tuned"])
def test_each_request_bears_the_asked_protocol_at_the_client_and_in_nginxs_log(
    variant: str, arm: str, small: sites.BuiltSite, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> tuple[PageLoad, OriginLog, str]:
        async with place(small.root, identity, tmp_path) as here:
            origin = await here.start(origins.find(variant), parse(arm))
            page = await here.load(parse(arm))
            return page, await logged(origin, page), origin.last_lines()

    page, log, said = asyncio.run(work())
    protocol = parse(arm).protocol
    assert (page.outcome, page.detail) == ("ok", None)
    assert {resource.protocol for resource in page.resources} == {protocol}
    assert {request.protocol for request in log.requests} == {protocol}
    assert sorted(request.path for request in log.requests) == sorted(each.path for each in page.resources)
    assert sum(request.bytes for request in log.requests) >= page.bytes == small.total_bytes
    assert {connection.tls_version for connection in page.connections} == {f"TLS {parse(arm).tls_version}"}
    assert proof.mismatch(parse(arm), page, log) is None
    assert said == ""


def test_the_folders_are_not_named_in_the_configuration_whatever_they_are_called(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    odd = tmp_path / 'a $folder; "quoted"'
    odd.mkdir()

    async def work() -> PageLoad:
        async with place(tiny, identity, odd) as here:
            await here.start(origins.find("nginx"), parse("h2"))
            return await here.load(parse("h2"))

    assert asyncio.run(work()).outcome == "ok"


def own(old: str, new: str) -> Origin:
    """An nginx with a configuration that is the shipped one with a change."""
    text = origins.find("nginx").identity()["configuration"]
    assert old in text
    return origins.CONFIGURABLE["nginx"](text.replace(old, new), None)


def test_a_persons_own_configuration_is_taken_and_without_the_log_it_proves_nothing(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    origin = own('access_log "${PRONGHORN_LOG}" pronghorn;', "access_log off;")
    assert "PRONGHORN_LOG" in origin.identity()["proof"]

    async def work() -> None:
        async with place(tiny, identity, tmp_path) as here:
            running = await here.start(origin, parse("h3"))
            page = await here.load(parse("h3"))
            log = await running.log()
            assert (page.outcome, log.kept, log.requests) == ("ok", False, [])
            assert proof.mismatch(parse("h3"), page, log) is None

    asyncio.run(work())


def test_a_log_in_another_form_is_bad_input(tiny: Path, identity: Certificates, tmp_path: Path) -> None:
    origin = own('" pronghorn;', '" combined;')

    async def work() -> None:
        async with place(tiny, identity, tmp_path) as here:
            running = await here.start(origin, parse("h2"))
            await here.load(parse("h2"))
            with pytest.raises(InputError, match="lacks the form that proves"):
                while True:
                    await running.log()
                    await asyncio.sleep(0.02)

    asyncio.run(work())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("http2 on;", "http2 perhaps;", 'invalid value "perhaps" in "http2" directive'),
        ("http2 on;", "brotli on;", 'unknown directive "brotli"'),
        ("events {", "load_module modules/none.so;\nevents {", "none.so"),
        ("sendfile on;", "sendfile on", "sendfile"),
    ],
)
def test_a_configuration_that_nginx_refuses_fails_with_its_last_lines(
    old: str, new: str, said: str, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    origin = own(old, new)

    async def work() -> None:
        async with place(tiny, identity, tmp_path) as here:
            with pytest.raises(OriginFailed) as failure:
                await here.start(origin, parse("h3"))
            assert "nginx ended with status 1 before it listened" in str(failure.value)
            assert said in str(failure.value)

    asyncio.run(work())


def test_a_port_that_is_taken_fails_the_start_and_nothing_of_nginx_is_left_behind(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def work() -> None:
        async with place(tiny, identity, tmp_path) as here:
            await here.start(origins.find("nginx"), parse("h2"))
            with pytest.raises(OriginFailed, match=r"another program on its host has port 443"):
                await here.start(origins.find("nginx"), parse("h2"))
            # It listens before it has workers.
            await until("there are master and workers", lambda: len(processes_in(tmp_path)) > 1)
        await until("all of nginx has ended", lambda: not processes_in(tmp_path))

    asyncio.run(work())


def processes_in(folder: Path) -> list[int]:
    """The processes whose working directory lies in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(folder):
                found.append(int(process.name))
        except OSError:
            continue
    return found

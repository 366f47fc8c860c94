"""The load generator counts the same statuses and bytes as h2load and curl, of the same requests to the same
nginx: a page of 612 bytes, 1 MB, one that is missing, one that fails."""

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from pronghorn import origins
from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.load.spec import Extent, LoadSpec, Target, Tls
from pronghorn.model.arm import parse
from pronghorn.model.load_report import LoadReport
from pronghorn.origins import OriginSetup

from .. import peers
from .benches import LIMIT_S, Bench, bench
from .links import both_ways, link

PATHS = ("/", "/megabyte.bin", "/missing", "/broken")
TIMES = 10
"""How often each is asked for."""

BROKEN = "        location = /broken { return 503; }\n"


class Seen(NamedTuple):
    """What a client got: responses by the first digit of their status, and the bytes of their bodies."""

    classes: dict[str, int]
    bytes: int

    @classmethod
    def of(cls, statuses: dict[str, int], bodies: int) -> Self:
        """By each status."""
        classes: Counter[str] = Counter()
        for status, count in statuses.items():
            classes[status[0]] += count
        return cls(dict(classes), bodies)


class Place:
    """An open bench with nginx, where each client asks for all paths."""

    def __init__(self, one: Bench, address: str, identity: Certificates, folder: Path) -> None:
        self._bench = one
        self._address = address
        self._identity = identity
        self._folder = folder

    async def ours(self, protocol: str) -> Seen:
        """Over two connections, as h2load."""
        spec = LoadSpec(
            targets=tuple(Target(url=url) for url in urls()),
            protocol=protocol,  # type: ignore[arg-type]
            tls=Tls(ca=str(self._identity.authority)),
            connections=2,
            streams=1 if protocol == "h1" else 5,
            stop=Extent(requests=TIMES * len(PATHS)),
            limit_s=LIMIT_S,
        )
        answer = await self._bench.engine.request("generate", patience_s=LIMIT_S + 10, spec=spec.to_engine())
        report = LoadReport.model_validate(answer)
        assert set(report.requests.failed) == {"status"}, (report.requests, report.failures)
        return Seen.of(report.requests.statuses, report.bytes.payload)

    async def h2load(self, protocol: str) -> Seen:
        """Debian's."""
        paths = self._folder / "urls"
        paths.write_text("\n".join(urls()) + "\n", encoding="utf-8")
        how = ["--h1", "-m1"] if protocol == "h1" else ["-m5"]
        many = [f"-n{TIMES * len(PATHS)}", "-c2", "-t1", f"--connect-to={self._address}:443"]
        said = await self._said(["h2load", *how, *many, f"--input-file={paths}"])
        assert f"Application protocol: {'http/1.1' if protocol == 'h1' else 'h2'}\n" in said, said
        classes = {digit: int(count) for count, digit in re.findall(r"(\d+) ([2-5])xx", said)}
        body = re.search(r"\((\d+)\) data", said)
        assert body, said
        return Seen({digit: count for digit, count in classes.items() if count}, int(body[1]))

    async def curl(self, protocol: str) -> Seen:
        """The one with HTTP/3, one request after the other."""
        version = {"h1": "--http1.1", "h2": "--http2", "h3": "--http3-only"}[protocol]
        form = "%{http_version} %{http_code} %{size_download}\\n"
        how = [version, "--silent", "--show-error", "--cacert", str(self._identity.authority)]
        how += ["--resolve", f"{HOST_NAME}:443:{self._address}", "--write-out", form]
        each = [word for url in urls() * TIMES for word in ("--output", "/dev/null", url)]
        said = await self._said([str(peers.find("curl")), *how, *each])
        answers = [line.split() for line in said.splitlines()]
        assert {answer[0] for answer in answers} == {{"h1": "1.1", "h2": "2", "h3": "3"}[protocol]}, said
        return Seen.of(Counter(answer[1] for answer in answers), sum(int(answer[2]) for answer in answers))

    async def _said(self, argv: Sequence[str]) -> str:
        """The stdout of a program that ran on the client's host, and ended well."""
        stdout, stderr = self._folder / "said", self._folder / "complained"
        engine = self._bench.engine
        ok = await engine.request(
            "spawn", host="client", argv=list(argv), env={}, stdout=str(stdout), stderr=str(stderr)
        )
        ended = await engine.request(
            "wait", process=ok["process"], timeout_s=LIMIT_S, patience_s=LIMIT_S + 10
        )
        assert ended["status"] == 0, stderr.read_text(encoding="utf-8")
        return stdout.read_text(encoding="utf-8")


def urls() -> list[str]:
    return [f"https://{HOST_NAME}{path}" for path in PATHS]


@asynccontextmanager
async def place(tiny: Path, identity: Certificates, folder: Path) -> AsyncIterator[Place]:
    site, own = folder / "site", folder / "origin"
    shutil.copytree(tiny, site)
    (site / "megabyte.bin").write_bytes(bytes(1_000_000))
    own.mkdir()
    text = origins.find("nginx").identity()["configuration"]
    at = text.index("        root ")
    nginx = origins.CONFIGURABLE["nginx"](text[:at] + BROKEN + text[at:], None)
    async with bench(folder) as one:
        _, address = await one.open(both_ways(link(1)))
        await nginx.start(one.engine, OriginSetup(site, identity, parse("h2"), {}, own, address, 443))
        yield Place(one, address, identity, folder)


def compare(
    ask: Callable[[Place], Awaitable[tuple[Seen, Seen]]], tiny: Path, identity: Certificates, folder: Path
) -> None:
    """Both have seen as much, and what nginx has."""

    async def work() -> tuple[Seen, Seen]:
        async with place(tiny, identity, folder) as here:
            return await ask(here)

    ours, theirs = asyncio.run(work())
    assert ours == theirs
    assert ours.classes == {"2": 2 * TIMES, "4": TIMES, "5": TIMES}
    assert ours.bytes > TIMES * (612 + 1_000_000)


@pytest.mark.needs("engine", "namespaces", "nginx", "h2load")
@pytest.mark.parametrize("protocol", ["h1", "h2"])
def test_statuses_and_bytes_are_h2loads(
    protocol: str, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def ask(here: Place) -> tuple[Seen, Seen]:
        return await here.ours(protocol), await here.h2load(protocol)

    compare(ask, tiny, identity, tmp_path)


@pytest.mark.needs("engine", "namespaces", "nginx", "curl-http3")
@pytest.mark.parametrize("protocol", ["h1", "h2", "h3"])
def test_statuses_and_bytes_are_curls(
    protocol: str, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    async def ask(here: Place) -> tuple[Seen, Seen]:
        return await here.ours(protocol), await here.curl(protocol)

    compare(ask, tiny, identity, tmp_path)

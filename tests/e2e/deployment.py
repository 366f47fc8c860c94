"""A configuration of deploy/ that serves on a bench of its own, asked by curl from the other host."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.environment import passed_on
from pronghorn.model.trial import PageLoad
from pronghorn.origins import process
from pronghorn.origins.process import Listens

from .. import peers
from . import answers, deployed
from .answers import Answer
from .benches import LIMIT_S, Bench, bench
from .gateway import H3_RETRIES
from .links import Path as Links
from .links import both_ways, link

PROTOCOLS = ("--http1.1", "--http2", "--http3-only")

Host = Literal["client", "server"]

HOSTS: Mapping[Host, str] = {"client": "198.18.0.2", "server": "[::1]"}
"""By which address a host's curl comes: across the path by IPv4, or within the server's host by IPv6."""


class Deployment:
    """A server of deploy/ on an open bench, with the application behind it."""

    def __init__(self, one: Bench, folder: Path, identity: Certificates) -> None:
        self.bench = one
        self.folder = folder
        self.identity = identity
        self._asked = 0

    async def curl(
        self,
        *options: str,
        path: str = "/echo",
        name: str = HOST_NAME,
        scheme: str = "https",
        host: Host = "client",
    ) -> list[Answer]:
        """What curl on that host gets for a path. `name` is the site's."""
        out = self.output()
        again = H3_RETRIES if "--http3-only" in options else ()
        port = 443 if scheme == "https" else 80
        argv = [
            *(str(peers.find("curl")), "--silent", "--show-error", "--include", *again),
            *("--cacert", str(self.identity.authority), "--resolve", f"{name}:{port}:{HOSTS[host]}"),
            *(*options, f"{scheme}://{name}{path}"),
        ]
        status, said = await self.run(argv, out, host)
        assert status == 0, f"{said}\n{self.last_words()}"
        return answers.parse(out.read_bytes())

    async def echoed(self, *options: str, **more: Any) -> list[list[str]]:
        """The headers that the application got of a request that curl made, in their order."""
        (answer,) = await self.curl(*options, **more)
        assert answer.status == 200, (answer, self.last_words())
        headers: list[list[str]] = json.loads(answer.body)["headers"]
        return headers

    def output(self) -> Path:
        """A file of its own for what a program says."""
        self._asked += 1
        return self.folder / f"said-{self._asked}.out"

    async def run(self, argv: list[str], out: Path, host: Host) -> tuple[int | None, str]:
        """A program's exit status and stderr on a host; its stdout is in `out`."""
        errors = out.with_suffix(".err")
        engine = self.bench.engine
        ok = await engine.request("spawn", host=host, argv=argv, stdout=str(out), stderr=str(errors))
        ended = await engine.request(
            "wait", process=ok["process"], timeout_s=LIMIT_S, patience_s=LIMIT_S + 10
        )
        return ended["status"], errors.read_text(encoding="utf-8", errors="replace")

    async def visit(self, protocol: str, **options: Any) -> PageLoad:
        """One load by the native client."""
        return await self.bench.visit(self.identity, protocol, 443, **options)

    def got(self, path: str) -> list[dict[str, Any]]:
        """What the application has got of requests for a path."""
        return [one for one in deployed.got(self.folder) if one["path"] == path]

    def raw(self) -> bytes:
        """All bytes that the application has got so far."""
        return (self.folder / deployed.APP_RAW).read_bytes()

    def last_words(self) -> str:
        """The end of what the server and the application wrote."""
        return process.last_lines(self.folder / "front.out", self.folder / "front.err")


@asynccontextmanager
async def deployment(
    server: str,
    folder: Path,
    identity: Certificates,
    *,
    edits: Mapping[str, str] = MappingProxyType({}),
    path: Links | None = None,
    prepare: Callable[[Path], None] | None = None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[Deployment]:
    """A server of deploy/ with `edits`, that listens until the block ends. `prepare` adds to its folder,
    `variables` to its environment."""
    own = folder / server
    own.mkdir()
    deployed.lay_out(server, own, identity, edits)
    if prepare is not None:
        prepare(own)
    async with bench(folder) as one:
        await one.open(path or both_ways(link(1)))
        await process.start(
            one.engine,
            "front",
            deployed.both(server),
            own,
            Listens(443),
            environment={**passed_on(), **deployed.environment(own), **variables},
            timeout_s=LIMIT_S,
        )
        yield Deployment(one, own, identity)

"""Foreign servers on a bench, loaded by the native client and asked for their headers."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.model.arm import Arm, parse
from pronghorn.model.trial import PageLoad
from pronghorn.origins import Origin, OriginLog, OriginSetup, RunningOrigin

from .benches import LIMIT_S, Bench, bench, until
from .links import both_ways, link

FOREIGN = (
    pytest.param("nginx", marks=pytest.mark.needs("nginx")),
    pytest.param("caddy", marks=pytest.mark.needs("caddy")),
    pytest.param("haproxy", marks=pytest.mark.needs("haproxy", "nginx")),
)
"""The foreign servers as shipped, each with what it needs, as a test's parameters."""

HEADERS = {"cache-control": "no-store", "alt-svc": 'h3=":443"; ma=86400'}

PATH = both_ways(link(5))

# Asks for a path over HTTP/1.1, writes the response's headers as JSON, and keeps the connection.
# Arguments: address, port, authority, host name, path.
ASKS = """\
import json, socket, ssl, sys, time, http.client
address, port, authority, name, path = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
connection = http.client.HTTPSConnection(name, int(port), context=context)
connection.sock = context.wrap_socket(socket.create_connection((address, int(port))), server_hostname=name)
connection.request("GET", path)
response = connection.getresponse()
headers = [[name.lower(), value] for name, value in response.getheaders()]
print(json.dumps([response.status, headers, len(response.read())]), flush=True)
time.sleep(60)
"""


class Served:
    """An origin that serves an arm on an open bench."""

    def __init__(self, bench: Bench, running: RunningOrigin, setup: OriginSetup) -> None:
        self._bench = bench
        self.running = running
        self._setup = setup

    async def load(self, session: str = "cold") -> PageLoad:
        """One navigation of the native client to `/`."""
        setup = self._setup
        page = await self._bench.engine.request(
            "load",
            patience_s=LIMIT_S + 10,
            host_name=HOST_NAME,
            document="/",
            port=self.running.port,
            protocol=setup.arm.protocol,
            tls=setup.arm.tls_version,
            session=session,
            ca=str(setup.certificates.authority),
            congestion_control=setup.arm.controls,
            limit_s=LIMIT_S,
        )
        return PageLoad.model_validate(page)

    async def log(self, requests: int) -> OriginLog:
        """The origin's log once it has so many requests."""
        async with asyncio.timeout(LIMIT_S):
            while len((log := await self.running.log()).requests) < requests:
                await asyncio.sleep(0.02)
        return log

    async def ask(self, path: str) -> tuple[int, list[tuple[str, str]], int]:
        """Status, headers in their order, and the body's bytes of a response over HTTP/1.1; the connection
        stays."""
        setup = self._setup
        out = setup.folder.parent / f"asked-{path.strip('/') or 'root'}"
        said = out.with_suffix(".err")
        words = [setup.address, str(setup.port), str(setup.certificates.authority), HOST_NAME, path]
        argv = [sys.executable, "-I", "-c", ASKS, *words]
        await self._bench.engine.request("spawn", host="client", argv=argv, stdout=str(out), stderr=str(said))
        await until(f"an answer for {path}", lambda: out.exists() and b"\n" in out.read_bytes(), said)
        status, headers, size = json.loads(out.read_text())
        return status, [(name, value) for name, value in headers], size


@asynccontextmanager
async def serving(
    origin: Origin, name: str, root: Path, identity: Certificates, folder: Path, **changes: Any
) -> AsyncIterator[Served]:
    """An origin that serves the folder `root` for the arm `name`, on a bench of its own."""
    arm: Arm = parse(name)
    assert origin.refusal(arm) is None
    own = folder / "origin"
    own.mkdir(exist_ok=True)
    async with bench(folder) as one:
        _, address = await one.open(PATH, congestion_control=arm.controls["tcp"])
        setup = OriginSetup(root, identity, arm, HEADERS, own, address, 443)._replace(**changes)
        yield Served(one, await origin.start(one.engine, setup), setup)


def assert_proved(page: PageLoad, log: OriginLog, protocol: str, requests: int) -> None:
    """Every request was answered over the protocol, as the client and the origin saw it, in whole."""
    assert (page.outcome, page.detail) == ("ok", None)
    assert len(page.resources) == requests
    seen = {
        resource.path: (resource.protocol, resource.status, resource.bytes) for resource in page.resources
    }
    served = {request.path: (request.protocol, request.status, request.bytes) for request in log.requests}
    assert {protocol for protocol, _, _ in seen.values()} == {protocol}
    assert served == seen

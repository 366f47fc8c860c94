"""`pronghorn serve` and `pronghorn browse`, as a developer uses them."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest

from pronghorn.certificates import Certificates

from .. import peers
from .benches import bench

pytestmark = [pytest.mark.needs("engine", "curl-http3"), pytest.mark.beside]

PROGRAMS = Path(__file__).parent / "programs"
OVER = {"1.1": "--http1.1", "2": "--http2", "3": "--http3-only"}
FORGED = {
    "Early-Data": "1",
    "Forwarded": "for=6.6.6.6",
    "X-Forwarded-For": "6.6.6.6",
    "X-Forwarded-User": "root",
    "X_Forwarded_For": "6.6.6.6",
    "X-Real-IP": "6.6.6.6",
}
EARLY = [(protocol, *how) for protocol in ("h2", "h3") for how in (("GET", 200), ("POST", 425))]
LARGE = 8_000_000
PATIENCE_S = 60.0
PAGE = (
    "<!doctype html><link rel=icon href=data:,><title>Here</title><script>"
    "document.title += ' over ' + performance.getEntriesByType('navigation')[0].nextHopProtocol</script>"
)


class Server(NamedTuple):
    """A server that runs: its URL, its certificate, and the words after `pronghorn` that open it."""

    process: "subprocess.Popen[str]"
    url: str
    certificate: str
    browse: list[str]

    def curl(self, version: str, path: str = "", *more: str) -> tuple[str, str]:
        """What curl gets: the version of HTTP that it spoke and the headers, and the content."""
        options = ["-sS", "-i", "--cacert", self.certificate, "--max-time", str(PATIENCE_S)]
        done = subprocess.run(
            [peers.find("curl"), *options, OVER[version], *more, f"{self.url}{path}"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        head, _, content = done.stdout.partition("\n\n")
        assert head.startswith(f"HTTP/{version} "), head
        return head.lower(), content


@contextmanager
def serving(folder: Path, *words: str, said: IO[bytes] | None = None) -> Iterator[Server]:
    argv = [sys.executable, "-m", "pronghorn", "serve", *words, "--port", "0"]
    with subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, stderr=said, text=True) as process:
        try:
            assert process.stdout is not None
            told = process.stdout.readline() + process.stdout.readline()
            found = re.search(r"Open it: pronghorn (browse (https://localhost:\d+/) --trust (\S+))\n", told)
            assert found, told
            yield Server(process, found[2], found[3], found[1].split())
        finally:
            process.send_signal(signal.SIGTERM)
            ended = process.wait(PATIENCE_S)
    assert ended == 0
    assert not Path(found[3]).exists()


@contextmanager
def echo(folder: Path) -> Iterator[str]:
    """The application; its URL."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    argv = [
        sys.executable,
        "-m",
        "hypercorn",
        "echo_app:app",
        "--workers",
        "0",
        "--bind",
        f"127.0.0.1:{port}",
    ]
    environment = {**os.environ, "ECHO_LOG": str(folder / "log"), "ECHO_RAW": str(folder / "raw")}
    with subprocess.Popen(argv, cwd=PROGRAMS, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except ConnectionRefusedError:
                    assert process.poll() is None
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    return folder


def test_a_folder_is_served_over_all_three_and_found_by_alt_svc(site: Path, tmp_path: Path) -> None:
    with serving(tmp_path, str(site)) as server:
        port = server.url.rpartition(":")[2].strip("/")
        for version in OVER:
            head, content = server.curl(version)
            assert content == PAGE
            assert f'alt-svc: h3=":{port}"; ma=' in head


@pytest.mark.needs("chromium")
def test_browse_opens_what_serve_prints_over_the_protocol_asked_for(site: Path, tmp_path: Path) -> None:
    with serving(tmp_path, str(site)) as server:
        for protocol, seen in (("h1", "http/1.1"), ("h3", "h3")):
            argv = [sys.executable, "-m", "pronghorn", *server.browse, "--http", protocol, "--dump-dom"]
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert f"<title>Here over {seen}</title>" in done.stdout


def test_an_application_gets_the_same_over_all_three_and_nothing_forged(tmp_path: Path) -> None:
    forged = [word for name, value in FORGED.items() for word in ("-H", f"{name}: {value}")]
    with echo(tmp_path) as application, serving(tmp_path, "--proxy", application) as server:
        host = server.url.removeprefix("https://").strip("/")
        for more in ([], ["--data", "x=1"]):
            got: dict[str, dict[str, Any]] = {}
            for version in OVER:
                head, content = server.curl(version, "asked?a=%20b", *forged, *more)
                assert f'alt-svc: h3=":{host.rpartition(":")[2]}"; ma=' in head
                assert '":8080"' not in head
                got[version] = json.loads(content)
                assert got[version]["headers"][0] == ["host", host]
                got[version]["headers"].sort()
            assert got["1.1"] == got["2"] == got["3"]
            said = dict(got["3"]["headers"])
            told = {name: value for name, value in said.items() if "forward" in name or name == "host"}
            assert told == {
                "forwarded": f'for=127.0.0.1;host="{host}";proto=https',
                "host": host,
                "x-forwarded-for": "127.0.0.1",
                "x-forwarded-host": host,
                "x-forwarded-port": host.rpartition(":")[2],
                "x-forwarded-prefix": "/",
                "x-forwarded-proto": "https",
            }
            assert not {"early-data", "x-real-ip"} & said.keys()


def test_an_application_that_is_not_there_is_a_bad_gateway(tmp_path: Path) -> None:
    with serving(tmp_path, "--proxy", "http://127.0.0.1:1") as server:
        for version in OVER:
            head, _ = server.curl(version)
            assert head.partition("\n")[0].split()[1] == "502"


def early(counts: list[dict[str, Any]]) -> dict[tuple[str, int], int]:
    """How many requests came as early data, by protocol and status."""
    return {(one["protocol"], one["status"]): one["requests"] for one in counts if one["early"]}


def test_an_application_knows_which_requests_came_early_and_gets_no_unsafe_ones(
    tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    async def counted(application: str) -> list[dict[str, Any]]:
        async with bench(tmp_path) as one:
            await one.engine.request("open", path=None, seed=1, tcp_congestion_control="cubic")
            handed_on = {"url": application, "limit_s": 60}
            port = await one.serve(tiny, identity, early_data=True, proxy=handed_on)
            for protocol, method, status in EARLY:
                # Over loopback a busy host may finish a handshake before it looks at the early data of h3.
                for _ in range(50):
                    await one.visit(identity, protocol, port, session="gain", method=method)
                    await one.visit(identity, protocol, port, session="0rtt", method=method)
                    counts: list[dict[str, Any]] = (await one.engine.request("origin_log"))["counts"]
                    if (protocol, status) in early(counts):
                        break
            return counts

    with echo(tmp_path) as application:
        counts = asyncio.run(counted(application))
    seen = early(counts)
    assert {*seen} == {(protocol, status) for protocol, _, status in EARLY}
    got = [json.loads(line) for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    marked = [one["method"] for one in got if ["early-data", "1"] in one["headers"]]
    assert marked == ["GET"] * (seen["h2", 200] + seen["h3", 200])


def test_an_end_finishes_what_is_in_flight_over_all_three(site: Path, tmp_path: Path) -> None:
    """A host that stands still for 5 s may have the server cut them off, and say so."""
    (site / "large.bin").write_bytes(bytes(LARGE))
    for _ in range(3):
        with (tmp_path / "err").open("wb") as said, serving(tmp_path, str(site), said=said) as server:
            received = list(_while_it_ends(server))
        if b"cut off" not in (tmp_path / "err").read_bytes():
            break
    assert received == [LARGE] * len(OVER)


def _while_it_ends(server: Server) -> Iterator[int]:
    """How many bytes of downloads that had begun come while the server ends."""
    argv = [str(peers.find("curl")), "-sSN", "--cacert", server.certificate, f"{server.url}large.bin"]
    # Curl stands still while nobody reads its output.
    loads = [subprocess.Popen([*argv, how], stdout=subprocess.PIPE, bufsize=0) for how in OVER.values()]
    try:
        begun = [load.stdout.read(1) for load in loads if load.stdout]
        server.process.send_signal(signal.SIGTERM)
        port = int(server.url.rpartition(":")[2].strip("/"))
        while _listens(port):
            time.sleep(0.01)
        for first, load in zip(begun, loads, strict=True):
            yield len(first) + len(load.communicate(timeout=PATIENCE_S)[0])
    finally:
        for load in loads:
            load.kill()
            load.wait()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True

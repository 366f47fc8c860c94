"""`pronghorn load` in the corners: it is stopped, its list is long, its body comes from a pipe."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pronghorn.certificates import HOST_NAME, Certificates

from . import programme, remains
from .loopback_origin import LoopbackOrigin, serving

pytestmark = [pytest.mark.needs("engine"), pytest.mark.beside]

VERSIONS = {"h1": "1.1", "h2": "2", "h3": "3"}


@pytest.fixture(scope="module")
def origin(tiny: Path, identity: Certificates) -> Iterator[LoopbackOrigin]:
    with serving(tiny, identity) as found:
        yield found


def words(protocol: str, origin: LoopbackOrigin, identity: Certificates) -> tuple[str, ...]:
    """The URL and the options by which it is loaded over a version."""
    url = f"https://{HOST_NAME}:{origin.port}/"
    return (
        *("load", url, "--address", "127.0.0.1", "--ca", str(identity.authority)),
        *("--http", VERSIONS[protocol], "--json", "-q"),
    )


def generators(started: programme.Started) -> list[int]:
    """The engines that a command has started."""
    found = remains.descendants(started.mark)
    return [process for process, command in found.items() if "pronghorn-engine generate" in command]


def test_a_generator_that_is_stopped_says_so_and_blames_no_server(
    origin: LoopbackOrigin, identity: Certificates, tmp_path: Path
) -> None:
    before = origin.served()
    more = ("-c", "4", "-d", "20s", "--timeout", "1s", "--check", "failed==0", "--check", "p50<1ns")
    loads = {
        protocol: programme.start(*words(protocol, origin, identity), *more, folder=tmp_path)
        for protocol in VERSIONS
    }
    deadline = time.monotonic() + 60
    while not all((origin.served() - before)[protocol, "/", 200] > 100 for protocol in VERSIONS):
        assert time.monotonic() < deadline, "nothing is asked of the origin"
        time.sleep(0.05)
    stopped = [process for started in loads.values() for process in generators(started)]
    assert len(stopped) == 3
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for process in stopped:
            os.kill(process, number)
        time.sleep(2.5 if number is signal.SIGSTOP else 0)
    for protocol, started in loads.items():
        result = started.ended()
        assert result.status == 3, (protocol, result.stderr)
        told = json.loads(result.stdout)
        assert told["requests"]["failed"] == {}, protocol
        assert told["stood_still_s"] > 1, protocol
        assert [check["holds"] for check in told["checks"]] == [None, None]
        assert "generator_stopped" in [caution["code"] for caution in told["cautions"]]


@pytest.mark.parametrize("protocol", VERSIONS)
def test_a_long_list_is_asked_for_as_its_lines_and_weights_say(
    protocol: str, origin: LoopbackOrigin, identity: Certificates, tmp_path: Path
) -> None:
    lines = ["/ weight=3\n", "HEAD /\n", *("/nowhere\n" for _ in range(1500))]
    (tmp_path / "list").write_text("".join(lines))
    before = origin.served()
    more = ("-i", "list", "-n", "3008", "-c", "4", *(() if protocol == "h1" else ("-m", "5")))
    result = programme.run(*words(protocol, origin, identity), *more, folder=tmp_path)
    assert result.status == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["asked"]["targets"] == 1502
    # Two walks of 1504.
    assert told["requests"]["statuses"] == {"200": 8, "404": 3000}
    served: Counter[Any] = origin.served() - before
    assert served == {(protocol, "/", 200): 8, (protocol, "/nowhere", 404): 3000}


def test_a_body_is_read_from_a_pipe_and_a_server_reached_at_a_unix_socket(tmp_path: Path) -> None:
    content = bytes(range(256)) * 2000
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "server.sock"))
    listener.listen()
    received = bytearray()

    def serve() -> None:
        stream, _ = listener.accept()
        with stream:
            while len(received.partition(b"\r\n\r\n")[2]) < len(content):
                received.extend(stream.recv(65_536))
            stream.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
            stream.recv(1)

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    command = [
        sys.executable,
        "-m",
        "pronghorn",
        "load",
        "http://origin.test/up",
        "--unix-socket",
        "server.sock",
    ]
    done = subprocess.run(
        [*command, "--data", "-", "-n", "1", "--json", "-q"],
        input=content,
        capture_output=True,
        cwd=tmp_path,
        env=programme.environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    head, _, body = bytes(received).partition(b"\r\n\r\n")
    assert head.startswith(b"POST /up HTTP/1.1\r\nhost: origin.test\r\n")
    assert body == content
    told = json.loads(done.stdout)
    assert told["bytes"]["uploaded"] == len(content)
    assert told["congestion_control"] is None
    server.join(timeout=60)
    listener.close()

"""Programs inside a bench look up names at the bench's name server, across the path."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from pronghorn.engine import EngineError

from .benches import Bench, bench
from .links import both_ways, link

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

ORIGIN = "origin.pronghorn.test"
SERVER = "198.18.0.2"
DELAY_MS = 10
PATH = both_ways(link(DELAY_MS))
RECORDS = [
    {"name": ORIGIN, "a": [SERVER], "https": [{"priority": 1, "target": ".", "alpn": ["h3", "h2"]}]},
    {"name": "many.pronghorn.test", "a": [f"192.0.2.{last}" for last in range(200)]},
]

# Writes the addresses of each argument as the C library has them, or its error, as a line of JSON.
LOOK_UP = """\
import json, socket, sys
for name in sys.argv[1:]:
    try:
        found = socket.getaddrinfo(name, 443, type=socket.SOCK_STREAM)
        print(json.dumps(sorted({one[4][0] for one in found})))
    except socket.gaierror as error:
        print(json.dumps(error.errno == socket.EAI_NONAME))
"""

# Asks the server for an HTTPS record, over UDP and over TCP, and writes the answers in hexadecimal.
ASK = """\
import socket, sys
name = b"".join(bytes([len(label)]) + label.encode() for label in sys.argv[2].split("."))
asked = bytes.fromhex("123401000001000000000000") + name + bytes.fromhex("0000410001")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.settimeout(30)
udp.sendto(asked, (sys.argv[1], 53))
print(udp.recv(4096).hex())
tcp = socket.create_connection((sys.argv[1], 53), timeout=30)
tcp.sendall(len(asked).to_bytes(2, "big") + asked)
stream = tcp.makefile("rb")
print(stream.read(int.from_bytes(stream.read(2), "big")).hex())
"""

HTTPS_RECORD = b"\x00\x01\x00\x00\x01\x00\x06\x02h3\x02h2"
"""Priority 1, the name itself, `alpn` of 6 bytes: identifiers after their lengths (RFC 9460, section 2.2)."""


async def lines(one: Bench, folder: Path, *argv: str, host: str = "client", **more: Any) -> list[str]:
    """What a program writes that ends well."""
    stdout = folder / "said"
    stdout.unlink(missing_ok=True)
    files: dict[str, Any] = {"stdout": str(stdout), "stderr": str(folder / "complaints")}
    ok = await one.engine.request("spawn", host=host, argv=argv, **files, **more)
    ended = await one.engine.request("wait", process=ok["process"], timeout_s=30.0)
    assert ended["status"] == 0, (folder / "complaints").read_text()
    return stdout.read_text().splitlines()


def python(script: str, *arguments: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", script, *arguments]


@pytest.mark.parametrize("isolation", ["root", "user"])
def test_the_c_library_asks_the_benchs_server_across_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    monkeypatch.setenv("PRONGHORN_ISOLATION", isolation)
    monkeypatch.setenv("RES_OPTIONS", "attempts:0")
    names = [ORIGIN, "many.pronghorn.test", "localhost", "www.example.com"]

    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.open(PATH)
            assert await one.engine.request("dns", records=RECORDS) == {"address": SERVER, "port": 53}
            said = await lines(one, tmp_path, *python(LOOK_UP, *names), resolver=True)
            origin, many, localhost, example = map(json.loads, said)
            assert origin == [SERVER]
            assert len(many) == 200, "over TCP, for UDP can't hold them"
            assert set(localhost) <= {"127.0.0.1", "::1"} and localhost
            assert example is True, "no such name"

            log = (await one.engine.request("dns_log"))["queries"]
            asked = {(query["name"], query["type"]) for query in log}
            assert {(ORIGIN, "A"), (ORIGIN, "AAAA"), ("www.example.com", "A")} <= asked
            assert "localhost" not in {query["name"] for query in log}
            times = [query["at_s"] for query in log]
            assert times == sorted(times) and times[0] > 0
            counters = await one.counters()
            assert counters.up and counters.down
            assert counters.up.packets_in >= len(log) and counters.down.packets_in >= len(log)
            assert (counters.up.delay_min_s or 0) >= DELAY_MS / 1000

    asyncio.run(work())


def test_an_https_record_comes_over_udp_and_over_tcp(tmp_path: Path) -> None:
    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.open(PATH)
            await one.engine.request("dns", records=RECORDS)
            for answer in await lines(one, tmp_path, *python(ASK, SERVER, ORIGIN)):
                assert bytes.fromhex(answer).endswith(len(HTTPS_RECORD).to_bytes(2, "big") + HTTPS_RECORD)
            log = (await one.engine.request("dns_log"))["queries"]
            assert [(query["name"], query["type"]) for query in log] == [(ORIGIN, "HTTPS")] * 2
            await one.engine.request("dns", records=[{"name": ORIGIN, "a": ["192.0.2.1"]}])
            assert not (await one.engine.request("dns_log"))["queries"], "another server, another log"
            for answer in await lines(one, tmp_path, *python(ASK, SERVER, ORIGIN)):
                assert HTTPS_RECORD not in bytes.fromhex(answer)

    asyncio.run(work())


def test_the_machines_etc_is_all_there_and_stays_as_it_was(tmp_path: Path) -> None:
    script = "ls -A /etc; echo 'nameserver 192.0.2.1' > /etc/resolv.conf; touch /etc/pronghorn-was-here"
    machines = Path("/etc/resolv.conf").read_bytes() if Path("/etc/resolv.conf").exists() else None

    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.open(PATH)
            listed = await lines(one, tmp_path, "sh", "-c", script, resolver=True)
            entries = {entry.name for entry in Path("/etc").iterdir()}
            assert set(listed) == entries | {"resolv.conf", "nsswitch.conf", "hosts"}
            now = Path("/etc/resolv.conf").read_bytes() if Path("/etc/resolv.conf").exists() else None
            assert now == machines
            assert not Path("/etc/pronghorn-was-here").exists()
            unchanged = await lines(one, tmp_path, "sh", "-c", "cat /etc/resolv.conf 2> /dev/null || true")
            assert unchanged == (machines or b"").decode().splitlines(), "as the machine has it, unless asked"

    asyncio.run(work())


def test_loopback_has_no_name_server_of_its_own(tmp_path: Path) -> None:
    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.engine.request("open", path=None, seed=1, tcp_congestion_control="", capture=None)
            with pytest.raises(EngineError, match="loopback") as refused:
                await one.engine.request("dns", records=RECORDS)
            assert refused.value.kind == "input"
            with pytest.raises(EngineError, match="loopback") as refused:
                await one.engine.request("spawn", host="client", argv=["true"], resolver=True)
            assert refused.value.kind == "input"

    asyncio.run(work())


def test_records_that_cannot_be_are_refused(tmp_path: Path) -> None:
    alias = {"name": ORIGIN, "https": [{"priority": 0, "target": "b.test", "alpn": ["h3"]}]}

    async def work() -> None:
        async with bench(tmp_path) as one:
            await one.open(PATH)
            with pytest.raises(EngineError, match=ORIGIN) as refused:
                await one.engine.request("dns", records=[alias])
            assert refused.value.kind == "input"
            with pytest.raises(EngineError, match="no name server"):
                await one.engine.request("dns_log")

    asyncio.run(work())

"""Programs on an engine's two hosts, and what iperf3 says of a path between them."""

import asyncio
import json
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pronghorn.engine import Engine

PATIENCE_S = 60.0
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")

Link = dict[str, Any]


def tcp_sender(seconds: float, *, flows: int = 1) -> list[str]:
    """Bulk flows; the first second, of slow start, is left out."""
    return ["-P", str(flows), "-O", "1", "-t", str(seconds)]


def udp_sender(seconds: float, *, flows: int = 1) -> list[str]:
    """Datagrams of 1200 bytes, as fast as the sender can."""
    return ["-u", "-l", "1200", "-b", "0", "-P", str(flows), "-t", str(seconds)]


def goodput_bit_per_s(report: Any) -> float:
    """What TCP's receiver got."""
    return float(report["end"]["sum_received"]["bits_per_second"])


def datagrams_per_s(report: Any) -> float:
    """What UDP's receiver got."""
    total = report["end"]["sum"]
    return float((total["packets"] - total["lost_packets"]) / total["seconds"])


@asynccontextmanager
async def bench(down: Link, up: Link) -> AsyncIterator[tuple[Engine, str]]:
    """An engine with an open bench, and the server's address."""
    engine = await Engine.start()
    try:
        path = {"down": down, "up": up}
        opened = await engine.request("open", path=path, seed=1, tcp_congestion_control="cubic")
        yield engine, opened["server_address"]
    finally:
        await engine.stop()


async def iperf3(engine: Engine, server: str, sender: Sequence[str]) -> Any:
    """The report of one test from the client to the server, by CUBIC as the bench's routes demand it: there
    the kernel refuses iperf3 its own choice (`-C`)."""
    with tempfile.TemporaryDirectory() as folder:
        listening, report = Path(folder, "server"), Path(folder, "client")

        async def start(host: str, stdout: Path, *argv: str) -> int:
            argv = ("iperf3", "--forceflush", *argv)
            ok = await engine.request(
                "spawn", host=host, argv=argv, env={}, stdout=str(stdout), stderr=str(stdout)
            )
            return int(ok["process"])

        await start("server", listening, "-s", "-1")
        async with asyncio.timeout(PATIENCE_S):
            while not listening.exists() or "listening" not in listening.read_text(encoding="utf-8"):
                await asyncio.sleep(0.01)
        client = await start("client", report, "-c", server, "-J", *sender)
        await engine.request("wait", process=client, timeout_s=PATIENCE_S, patience_s=PATIENCE_S + 10)
        return said(report.read_text(encoding="utf-8"))


def bare_iperf3(forwarder: Path, sender: Sequence[str]) -> Any:
    """The report of one test through the bare forwarder, by CUBIC as well."""
    control = [] if "-u" in sender else ["-C", "cubic"]
    argv = [str(forwarder), "iperf3", "-s", "-1", "--", "iperf3", "-c", "198.18.0.2", "-J", *control, *sender]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=PATIENCE_S)
    return said(done.stdout or done.stderr)


def said(report: str) -> Any:
    """iperf3's report; an error that it holds is raised."""
    try:
        read = json.loads(report)
    except ValueError:
        raise SystemExit(f"iperf3 gave no report: {report.strip()}") from None
    if "error" in read:
        raise SystemExit(f"iperf3: {read['error']}")
    return read


def cpu_seconds(pid: int) -> float:
    """What a process and all that descend from it have used of the CPUs (proc(5), `stat`: utime, stime)."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        one = int(stat.parent.name)
        parents[one] = int(fields[1])
        used[one] = (int(fields[11]) + int(fields[12])) / CLOCK_TICKS
    family = {pid}
    while more := {one for one, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used.get(one, 0.0) for one in family)

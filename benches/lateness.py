#!/usr/bin/env python3
"""How late packets leave a bench's path, beside how late this host wakes a sleeping thread; idle, and with
every CPU busy."""

import asyncio
import os
import subprocess
import sys
import time
from typing import Any

from rich.console import Console
from rich.table import Table

from pronghorn.engine import Engine

PACKETS = 1500
GAP_S = 0.0007
LINK = {"delay_ns": 20_000_000}
BURN = [sys.executable, "-S", "-c", "while True: pass"]
SEND = f"""
import socket, sys, time
source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range({PACKETS}):
    source.sendto(bytes(1200), (sys.argv[1], 9))
    time.sleep({GAP_S})
"""
WAKE = f"""
import time
late = []
for _ in range({PACKETS}):
    due = time.perf_counter() + {GAP_S}
    time.sleep({GAP_S})
    late.append(time.perf_counter() - due)
late.sort()
print(late[len(late) // 2], late[len(late) * 99 // 100], late[-1])
"""

Lateness = tuple[float, float, float]
"""Median, 99th percentile and maximum, in seconds."""


async def of_path() -> tuple[Lateness, str]:
    """The path's lateness, and the priority that the kernel gave its threads."""
    engine = await Engine.start()
    try:
        opened = await engine.request(
            "open", path={"down": LINK, "up": LINK}, seed=1, tcp_congestion_control="cubic"
        )
        argv = [sys.executable, "-S", "-c", SEND, opened["server_address"]]
        ok = await engine.request("spawn", host="client", argv=argv, env={}, stdout=None, stderr=None)
        await engine.request("wait", process=ok["process"], timeout_s=60.0, patience_s=70.0)
        await asyncio.sleep(0.1)
        counters: dict[str, Any] = await engine.request("close")
    finally:
        await engine.stop()
    late = counters["up"]["lateness"]
    return (late["median_s"], late["p99_s"], late["max_s"]), counters["host"]["driver_priority"]


def of_sleep() -> Lateness:
    """The lateness of an ordinary thread that sleeps as long as the packets are apart."""
    said = subprocess.run(
        [sys.executable, "-S", "-c", WAKE], check=True, capture_output=True, text=True
    ).stdout
    median, p99, most = map(float, said.split())
    return median, p99, most


def main() -> None:
    table = Table(title=f"Lateness of {PACKETS} packets, {GAP_S * 1e3:g} ms apart", title_justify="left")
    for heading in ("", "host", "median µs", "p99 µs", "max µs"):
        table.add_column(heading, justify="right" if "µs" in heading else "left")
    cores = os.cpu_count() or 1
    for state, burners in (("idle", 0), (f"{cores} busy CPUs", cores)):
        burning = [subprocess.Popen(BURN) for _ in range(burners)]
        time.sleep(0.2)
        try:
            late, priority = asyncio.run(of_path())
            for what, figures in (("a sleeping thread", of_sleep()), (f"the path ({priority})", late)):
                table.add_row(what, state, *(f"{figure * 1e6:.0f}" for figure in figures))
        finally:
            for one in burning:
                one.kill()
                one.wait()
    Console(width=100).print(table)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What a bench costs to open and to close, beside what the kernel asks for one bare network namespace."""

import asyncio
import subprocess
import time

from tables import print_times

from pronghorn.engine import Engine

ROUNDS = 40
LINK = {"delay_ns": 20_000_000}


async def measure() -> dict[str, list[float]]:
    """The times in seconds; everything takes turns, so that no row has the quieter host."""
    times: dict[str, list[float]] = {
        "unshare --user --net true": [],
        "true": [],
        "open a bench": [],
        "close a bench": [],
    }
    engine = await Engine.start()
    try:
        for _ in range(ROUNDS):
            times["unshare --user --net true"].append(
                of_command("unshare", "--user", "--map-root-user", "--net", "true")
            )
            times["true"].append(of_command("true"))
            started = time.perf_counter()
            await engine.request(
                "open", path={"down": LINK, "up": LINK}, seed=1, tcp_congestion_control="cubic"
            )
            times["open a bench"].append(time.perf_counter() - started)
            started = time.perf_counter()
            await engine.request("close")
            times["close a bench"].append(time.perf_counter() - started)
    finally:
        await engine.stop()
    return times


def of_command(*argv: str) -> float:
    """How long a command takes, in seconds."""
    started = time.perf_counter()
    subprocess.run(argv, check=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    print_times(
        "A bench: two network namespaces, two TUN devices, two driver threads", asyncio.run(measure())
    )

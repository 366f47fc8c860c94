"""The engine tells the CPU time of its hosts' programs from that of anything else on the machine."""

import asyncio
import os
import resource
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pronghorn.model.trial import CpuShare

from .benches import Bench, bench
from .links import both_ways, link

pytestmark = pytest.mark.needs("engine", "namespaces")

BUSY = ["sh", "-c", "while :; do :; done"]
FOR_S = 1.0
APART_S = 0.1
"""How far two of the kernel's accounts may lie apart."""


def shares(folder: Path, meanwhile: Callable[[Bench], Awaitable[None]]) -> tuple[CpuShare, float]:
    """Who used the CPUs while `meanwhile` went on, and the seconds that all CPUs together had."""

    async def run() -> tuple[CpuShare, float]:
        clock = asyncio.get_running_loop()
        async with bench(folder) as one:
            await one.open(both_ways(link(1)), warm_up=True)
            await one.begin(1)
            began = clock.time()
            await meanwhile(one)
            counters = await one.counters()
            capacity_s = (clock.time() - began) * len(os.sched_getaffinity(0))
        assert counters.host is not None
        assert counters.host.cpu is not None
        return counters.host.cpu, capacity_s

    return asyncio.run(run())


def test_a_busy_program_on_a_host_is_the_engines_own(tmp_path: Path) -> None:
    async def inside(one: Bench) -> None:
        await one.engine.request("spawn", host="client", argv=BUSY, env={}, stdout=None, stderr=None)
        await asyncio.sleep(FOR_S)

    share, capacity_s = shares(tmp_path, inside)
    assert share.own_s > 0
    assert share.own_s + share.others_share * capacity_s <= capacity_s + APART_S


def test_a_busy_program_beside_is_anothers(tmp_path: Path) -> None:
    used: list[float] = []

    async def beside(_: Bench) -> None:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen(BUSY)
        try:
            await asyncio.sleep(FOR_S)
        finally:
            process.kill()
            process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    share, capacity_s = shares(tmp_path, beside)
    assert share.others_share * capacity_s >= used[0] - APART_S
    assert share.own_s < used[0] / 2 + APART_S

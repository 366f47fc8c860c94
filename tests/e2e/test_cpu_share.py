"""The engine tells the CPU time of its hosts' programs from that of anything else on the machine."""

import asyncio
import os
import resource
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pronghorn.model.trial import CpuShare

from .benches import Bench, bench
from .links import both_ways, link

pytestmark = pytest.mark.needs("engine", "namespaces")

BUSY = ["sh", "-c", "while :; do :; done"]
FOR_S = 1.0
APART_S = 0.1
"""How far two of the kernel's accounts may lie apart."""
ATTEMPTS = 5


class Used(NamedTuple):
    """Who used the CPUs, and the bounds of what all of them together had meanwhile, in seconds."""

    share: CpuShare
    least_s: float
    most_s: float


def shares(folder: Path, meanwhile: Callable[[Bench], Awaitable[None]]) -> Used:
    """Who used the CPUs while `meanwhile` went on."""

    async def run() -> Used:
        clock, cpus = asyncio.get_running_loop(), len(os.sched_getaffinity(0))
        async with bench(folder) as one:
            await one.open(both_ways(link(1)), warm_up=True)
            asked = clock.time()
            await one.begin(1)
            began = clock.time()
            await meanwhile(one)
            ended = clock.time()
            counters = await one.counters()
            told = clock.time()
        assert counters.host is not None
        assert counters.host.cpu is not None
        return Used(counters.host.cpu, (ended - began) * cpus, (told - asked) * cpus)

    return asyncio.run(run())


def test_a_busy_program_on_a_host_is_the_engines_own(tmp_path: Path) -> None:
    async def inside(one: Bench) -> None:
        await one.engine.request("spawn", host="client", argv=BUSY, env={}, stdout=None, stderr=None)
        await asyncio.sleep(FOR_S)

    share, _, most_s = shares(tmp_path, inside)
    assert share.own_s > 0
    assert share.own_s + share.others_share * most_s <= most_s + APART_S


def test_a_busy_program_beside_is_anothers(tmp_path: Path) -> None:
    """In one of some attempts: what a virtual machine's host takes from a CPU may count as the running
    program's and as nobody's alike."""
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

    found = []
    for _ in range(ATTEMPTS):
        share, least_s, _ = shares(tmp_path, beside)
        assert share.own_s < used[-1] / 2 + APART_S
        found.append((share.others_share * least_s, used[-1]))
        if found[-1][0] >= used[-1] - APART_S:
            return
    pytest.fail(f"the others' CPU time and what the program used of it: {found}")

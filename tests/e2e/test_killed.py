"""Nothing outlives a run, whatever ends it, and what was measured before is used after."""

import asyncio
import signal
from pathlib import Path

import pytest

from . import links
from .benches import bench, until
from .killing import kill_and_resume
from .programme import MARK
from .remains import descendants

pytestmark = pytest.mark.needs("namespaces")


def test_kill_9_leaves_nothing_behind_and_costs_no_trial(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, kills=2, blocks=60, seed=1)


def test_ctrl_c_ends_in_order_leaves_nothing_behind_and_costs_no_trial(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, kills=1, blocks=45, seed=2, number=signal.SIGINT)


@pytest.mark.parametrize("emulated", [True, False])
def test_a_program_that_left_its_host_ends_with_the_bench(emulated: bool, tmp_path: Path) -> None:
    mark = f"left-{tmp_path.name}"

    async def left_behind() -> None:
        async with bench(tmp_path) as one:
            path = links.both_ways(links.link(1)) if emulated else None
            await one.engine.request("open", path=path, seed=1, tcp_congestion_control="cubic", capture=None)
            argv = ["setsid", "--fork", "unshare", "--net", "sleep", "600"]
            env = {MARK: mark}
            await one.engine.request("spawn", host="client", argv=argv, env=env, stdout=None, stderr=None)
            await until("it has left", lambda: any("sleep" in line for line in descendants(mark).values()))
            await one.close()
            # A process that was killed is there until its end is noticed.
            await until("it has gone", lambda: not descendants(mark))

    asyncio.run(left_behind())

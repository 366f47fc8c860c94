"""What a cell's trials were seen to cost."""

import asyncio
from pathlib import Path
from typing import ClassVar

import pytest

from pronghorn import certificates, plan
from pronghorn.execute import cost, slots
from pronghorn.execute.cost import Expense
from pronghorn.execute.seen_cost import SeenCost
from pronghorn.execute.stage import Site
from pronghorn.execute.trial import Assignment, Conditions
from pronghorn.journal import Journal
from pronghorn.model.trial import Cell, Counters, CpuShare, HostCounters, Metrics, Trial

from .test_journal import HEADER
from .test_rounds import Watcher, measured
from .test_stacks_asked import parse

CELL = Cell(site="cms", path="lte", origin="nginx", client="chromium")


def trial(own_s: float, lasted_s: float, cell: Cell = CELL, *, shared: bool = True) -> Trial:
    share = CpuShare(own_s=own_s, own_share=own_s / lasted_s / cost.cores(), others_share=0.5)
    return Trial(
        cell=cell,
        arm="h2",
        block=0,
        attempt=0,
        position=0,
        path_seed=1,
        slot=0,
        started="2026-01-01T00:00:00.000Z",
        status="contaminated",
        metrics=Metrics(),
        counters=Counters(host=HostCounters(cpu=share if shared else None)),
    )


def test_cores_are_cpu_time_over_time_with_the_clients_start_and_the_pause() -> None:
    seen = SeenCost([trial(2.0, 4.0)])
    seen.add(trial(3.0, 16.0))
    assert seen.busy_cores(CELL, Expense()) == pytest.approx(5 / 20)
    started = seen.busy_cores(CELL, Expense(start_s=1.5, start_cpu_s=2.0), pause_s=0.5)
    assert started == pytest.approx((5 + 2 * 2) / (20 + 2 * 1.5 + 2 * 0.5))


def test_of_a_cell_without_a_load_nothing_is_known() -> None:
    elsewhere = CELL.model_copy(update={"path": "dsl"})
    seen = SeenCost([trial(2.0, 4.0, elsewhere), trial(2.0, 4.0, shared=False), trial(0.0, 4.0)])
    assert seen.busy_cores(CELL, Expense()) is None
    assert seen.busy_cores(elsewhere, Expense()) == pytest.approx(0.5)


class Hungry:
    """Stages of browsers that use more of the CPUs than was expected; how many load at once is noted."""

    loading = 0
    most: ClassVar[list[int]] = []

    def __init__(self, conditions: Conditions) -> None:
        pass

    async def measure(self, assignment: Assignment) -> Trial:
        Hungry.loading += 1
        Hungry.most.append(Hungry.loading)
        await asyncio.sleep(0)
        Hungry.loading -= 1
        share = CpuShare(own_s=8.0, own_share=0.4, others_share=0.1)
        return measured(assignment.block, assignment.arm, assignment.attempt).model_copy(
            update={"counters": Counters(host=HostCounters(cpu=share))}
        )

    async def drop(self, assignment: Assignment) -> None: ...

    async def close(self) -> None: ...


def test_browsers_that_use_more_than_was_expected_get_fewer_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "FreshStages", Hungry)
    monkeypatch.setattr(cost, "cores", lambda: 2)
    experiment = parse(
        'sites = ["tiny"]\npaths = ["plain"]\nclients = ["chromium"]\narms = ["h2", "h3"]\n'
        "repeat = 9\nseed = 1\n"
        '[path.plain]\ndown = { rate = "200kbit", delay = "50ms" }\nup = {}\n'
    )
    conditions = Conditions(
        experiment,
        {"tiny": Site(tmp_path, "/index.html", 600_000)},
        certificates.make(tmp_path),
        tmp_path,
    )
    with Journal(tmp_path, HEADER) as journal:
        blocks = plan.make(experiment, dict.fromkeys(experiment.cells(), 1.0))
        asyncio.run(slots.Slots(conditions, 9, journal, Watcher()).run(blocks, []))
    assert len(Hungry.most) == 18
    assert max(Hungry.most) > 2
    assert max(Hungry.most[-8:]) == 1

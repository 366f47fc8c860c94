"""What a cell's trials were seen to cost."""

import asyncio
import math
from pathlib import Path
from typing import ClassVar

import pytest

from pronghorn import certificates, plan
from pronghorn.costs import cost
from pronghorn.costs.seen_cost import Load, SeenCost, together
from pronghorn.execute import slots
from pronghorn.execute.stage import Site
from pronghorn.execute.trial import Assignment, Conditions
from pronghorn.model.expense import Expense
from pronghorn.model.trial import Cell, Counters, CpuShare, HostCounters, Metrics, PageLoad, Resource, Trial
from pronghorn.runs.journal import Journal

from ..execute.sampled import Watcher, measured
from ..model.experiments import parse
from ..runs.recorded import HEADER

PAGE = PageLoad(outcome="ok", load_s=1.0, resources=[Resource(path="/", kind="document")])
CELL = Cell(site="cms", path="lte", origin="nginx", client="chromium")


def trial(
    own_s: float, lasted_s: float, cell: Cell = CELL, *, shared: bool = True, began: bool = True
) -> Trial:
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
        metrics=Metrics(load_s=1.0),
        page=PAGE if began else PageLoad(outcome="failed", reason="browser", detail="it did not start"),
        counters=Counters(host=HostCounters(cpu=share if shared else None)),
    )


def test_a_block_s_cores_are_cpu_time_over_time_with_the_clients_starts() -> None:
    seen = SeenCost([trial(2.0, 4.0)])
    seen.add(trial(3.0, 16.0))
    assert seen.load(CELL, ["h2"], Expense()) == pytest.approx((5 / 20, 5 / 20))
    started = (5 + 2 * 2) / (20 + 2 * 1.5)
    assert seen.load(CELL, ["h2"], Expense(start_s=1.5, start_cpu_s=2.0)) == pytest.approx((started, started))


def test_of_arms_that_differ_the_time_that_each_takes_counts_and_the_busiest_is_the_peak() -> None:
    quick = trial(2.0, 4.0).model_copy(update={"arm": "h3"})
    seen = SeenCost([trial(4.0, 96.0), trial(4.0, 96.0), quick])
    assert seen.load(CELL, ["h2", "h3"], Expense()) == pytest.approx((6 / 100, 0.5))


def test_an_arm_without_a_load_in_the_cell_was_tried_at_most() -> None:
    elsewhere = CELL.model_copy(update={"path": "dsl"})
    nothing = [trial(2.0, 4.0, shared=False), trial(0.0, 4.0), trial(2.0, 60.0, began=False)]
    seen = SeenCost([trial(2.0, 4.0, elsewhere), *nothing])
    assert seen.load(CELL, ["h2"], Expense()) == Load(0.0, 0.0)
    assert seen.load(elsewhere, ["h2", "h3"], Expense()) == pytest.approx((0.5, 0.5))
    assert seen.tried(CELL, ["h2"])
    assert seen.tried(elsewhere, ["h2"])
    assert not seen.tried(elsewhere, ["h2", "h3"])


def test_of_blocks_side_by_side_one_at_most_is_at_its_peak() -> None:
    assert together([Load(0.1, 0.5), Load(0.2, 0.3), Load(0.3, 0.3)]) == pytest.approx(0.6 + 0.4)
    assert together([Load(math.inf, math.inf), Load(0.1, 0.1)]) == math.inf
    assert together([]) == 0


class Stages:
    """Stages of browsers, a load of whose arms uses so many `cores` of two; what loads at once is noted."""

    cores: ClassVar[dict[str, float]] = {}
    loading: ClassVar[list[str]] = []
    beside: ClassVar[list[list[str]]] = []

    def __init__(self, conditions: Conditions) -> None:
        pass

    async def measure(self, assignment: Assignment) -> Trial:
        Stages.loading.append(assignment.arm)
        Stages.beside.append(list(Stages.loading))
        await asyncio.sleep(0)
        Stages.loading.remove(assignment.arm)
        cores = self.cores[assignment.arm]
        share = CpuShare(own_s=10 * cores, own_share=cores / 2, others_share=0.1)
        return measured(assignment.block, assignment.arm, assignment.attempt).model_copy(
            update={"page": PAGE, "counters": Counters(host=HostCounters(cpu=share))}
        )

    async def drop(self, assignment: Assignment) -> None: ...

    async def close(self) -> None: ...


def side_by_side(cores: dict[str, float], folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arms of what ran at each trial's beginning, of browsers that use so much."""
    monkeypatch.setattr(slots, "FreshStages", Stages)
    monkeypatch.setattr(cost, "cores", lambda: 2)
    monkeypatch.setattr(Stages, "cores", cores)
    monkeypatch.setattr(Stages, "beside", [])
    experiment = parse(
        'sites = ["tiny"]\npaths = ["plain"]\nclients = ["chromium"]\narms = ["h2", "h3"]\n'
        "repeat = 9\nseed = 1\n"
        '[path.plain]\ndown = { rate = "200kbit", delay = "50ms" }\nup = {}\n'
    )
    sites = {"tiny": Site(folder, "/index.html", 600_000)}
    conditions = Conditions(experiment, sites, certificates.make(folder), folder)
    with Journal(folder, HEADER) as journal:
        blocks = plan.make(experiment, dict.fromkeys(experiment.cells(), 1.0))
        asyncio.run(slots.Slots(conditions, 9, journal, Watcher()).run(blocks, []))
    assert len(Stages.beside) == 18
    return Stages.beside


def test_a_cells_second_block_waits_until_the_first_has_shown_what_it_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert max(map(len, side_by_side({"h2": 0.8, "h3": 0.8}, tmp_path, monkeypatch))) == 1


def test_browsers_that_use_less_get_no_more_beside_them_than_was_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = side_by_side({"h2": 0.01, "h3": 0.01}, tmp_path, monkeypatch)
    assert [len(loading) for loading in beside[:2]] == [1, 1]
    assert 2 < max(map(len, beside)) < 8


def test_blocks_one_of_whose_arms_uses_more_for_a_short_while_get_fewer_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[list[list[str]]] = []
    for cores in ({"h2": 0.01, "h3": 0.01}, {"h2": 0.01, "h3": 0.4}):
        folder = tmp_path / str(len(found))
        folder.mkdir()
        found.append(side_by_side(cores, folder, monkeypatch))
    alike, peaks = found
    assert 1 < max(map(len, peaks)) < max(map(len, alike))

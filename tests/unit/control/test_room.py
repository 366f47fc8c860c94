"""Who may run beside whom."""

import asyncio
import math
from random import Random

import pytest

from pronghorn.execute.room import Need, Room
from pronghorn.model.trial import Cell

HERE = Cell(site="cms", path="lte", origin="nginx", client="chromium")
THERE = HERE.model_copy(update={"path": "dsl"})


def room(needs: dict[str, Need], budget: float = 1.0) -> Room:
    """Room for trials whose need goes by their arm alone."""
    return Room(budget, lambda _, arm: needs[arm])


@pytest.mark.parametrize("seed", range(50))
def test_together_they_need_no_more_than_there_is_but_for_one_alone(seed: int) -> None:
    random = Random(seed)
    budget = random.uniform(0, 2)
    needs = [random.expovariate(3) for _ in range(12)]
    shared = room({str(slot): Need(need) for slot, need in enumerate(needs)}, budget)
    inside = [slot for slot in range(12) if shared.begins(slot, HERE, str(slot))]
    assert inside[0] == 0
    assert inside == [0] or sum(needs[slot] for slot in inside) <= budget


def test_what_needs_the_host_for_itself_has_it() -> None:
    needs = room({"h2": Need(math.inf), "h3": Need(0.0)})
    assert needs.begins(0, HERE, "h2")
    assert not needs.begins(1, THERE, "h3")
    needs.leave(0)
    assert needs.begins(1, THERE, "h3")
    assert not needs.begins(0, HERE, "h2")


def test_of_a_cells_trials_whose_need_is_not_known_one_runs_at_a_time() -> None:
    unknown = room({"h2": Need(0.1), "h3": Need(0.1, known=False), "h1": Need(0.1, known=False)})
    assert unknown.begins(0, HERE, "h3")
    assert not unknown.begins(1, HERE, "h3")
    assert not unknown.begins(1, HERE, "h1")
    assert unknown.begins(1, HERE, "h2")
    assert unknown.begins(2, THERE, "h3")


def test_a_block_that_has_begun_goes_on_before_another_begins() -> None:
    async def run() -> None:
        shared = room({"h2": Need(0.1), "h3": Need(0.8)})
        assert shared.begins(0, HERE, "h3")
        assert shared.begins(1, HERE, "h2")
        await shared.enter(1, HERE, "h2")  # It is in already.
        shared.leave(1)
        going_on = asyncio.create_task(shared.enter(1, HERE, "h3"))
        await asyncio.sleep(0)
        assert not shared.begins(2, HERE, "h2")
        shared.leave(0)
        await going_on
        assert shared.begins(2, HERE, "h2")

    asyncio.run(run())


def test_whoever_waits_for_a_change_hears_of_one_that_comes_before_it_listens() -> None:
    async def run() -> None:
        shared = room({"h2": Need(0.1)})
        assert shared.begins(0, HERE, "h2")
        change = asyncio.create_task(shared.changed())
        shared.leave(0)
        await asyncio.wait_for(change, 10)

    asyncio.run(run())


@pytest.mark.parametrize("slot", [0, 1])
def test_leaving_twice_or_without_having_entered_changes_nothing(slot: int) -> None:
    shared = room({"h2": Need(1.0)})
    assert shared.begins(0, HERE, "h2")
    shared.leave(0)
    shared.leave(slot)
    assert shared.begins(1, HERE, "h2")

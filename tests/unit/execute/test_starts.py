"""Clients whose start costs CPU time start one at a time, and beside nobody whom that would disturb."""

import asyncio

import pytest

from pronghorn import clients
from pronghorn.clients import Visit
from pronghorn.clients.native import Native, NativeSession
from pronghorn.engine import Engine
from pronghorn.model.expense import Expense

from ..laboratory import Laboratory


class Heavy(Native):
    """The native client with a start that takes a while; `most` were starting at once."""

    expense = Expense(start_cpu_s=0.001)

    def __init__(self) -> None:
        self.starting = 0
        self.most = 0

    async def open(self, engine: Engine, visit: Visit) -> NativeSession:
        self.starting += 1
        self.most = max(self.most, self.starting)
        await asyncio.sleep(0.02)
        self.starting -= 1
        return await super().open(engine, visit)


def test_costly_clients_start_one_at_a_time_after_all_trials_of_others(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    heavy = Heavy()
    monkeypatch.setattr(clients, "CLIENTS", {"native": Native(), "chromium": heavy})
    sets = ("paths=far", "clients=chromium,native")
    overrides = [word for override in sets for word in ("--set", override)]
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--jobs", "3", *overrides)
    assert result.status == 0, result.stderr
    trials = laboratory.trials("out")
    assert [trial.cell.client for trial in trials] == ["native"] * 9 + ["chromium"] * 9
    assert len({trial.slot for trial in trials if trial.cell.client == "chromium"}) > 1
    assert heavy.most == 1

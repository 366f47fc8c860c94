"""Synthetic trials: a run as the journal would hold it, without a network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pronghorn.analysis.resources import Requests, of_trial
from pronghorn.analysis.summarise import Design, summarise
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Cell, Counters, HostCounters, LinkCounters, Metrics, Trial


@dataclass(frozen=True)
class Behaviour:
    """How an arm behaves in a cell: log-normal load times about `median_s`, `stalls` of them prolonged by an
    exponential time of mean `stall_s`, `fails` of them cut at the limit."""

    median_s: float
    spread: float = 0.05
    stalls: float = 0.0
    stall_s: float = 0.0
    fails: float = 0.0


def cell(path: str, site: str = "small", origin: str = "builtin", client: str = "native") -> Cell:
    """A cell named by its path."""
    return Cell(site=site, path=path, origin=origin, client=client)


def trial(
    where: Cell,
    arm: str,
    block: int,
    load_s: float | None,
    *,
    attempt: int = 0,
    status: str = "ok",
    reason: str | None = None,
    ttfb_s: float | None = None,
    counters: Counters | None = None,
) -> Trial:
    """One trial; without a load time it failed (by default by time-out)."""
    if load_s is None and status == "ok":
        status, reason = "failed", reason or "timeout"
    first_byte = ttfb_s if ttfb_s is not None else None if load_s is None else load_s / 4
    return Trial.model_validate(
        {
            "cell": where,
            "arm": arm,
            "block": block,
            "attempt": attempt,
            "position": 0,
            "path_seed": block,
            "slot": 0,
            "started": "2026-11-21T00:00:00Z",
            "status": status,
            "reason": reason,
            "metrics": Metrics(load_s=load_s, ttfb_s=first_byte, requests=21, bytes=600_000),
            "counters": counters,
        }
    )


def paired(where: Cell, times: Mapping[str, Sequence[float | None]]) -> list[Trial]:
    """One trial a block of every arm, with the times given for each arm."""
    return [
        trial(where, arm, block, load) for arm, loads in times.items() for block, load in enumerate(loads)
    ]


def run(
    cells: Mapping[Cell, Mapping[str, Behaviour]], *, blocks: int = 12, seed: int = 1, loss: float = 0.15
) -> list[Trial]:
    """A whole run's trials. The blocks' common fortune correlates the arms' times by 0.3."""
    rng = np.random.default_rng(seed)
    trials: list[Trial] = []
    for where, arms in cells.items():
        for block in range(blocks):
            common = rng.standard_normal()
            for arm, how in arms.items():
                shift = np.sqrt(0.3) * common + np.sqrt(0.7) * rng.standard_normal()
                load = how.median_s * float(np.exp(how.spread * shift))
                if rng.random() < how.stalls:
                    load += float(rng.exponential(how.stall_s))
                failed = rng.random() < how.fails
                trials.append(
                    trial(where, arm, block, None if failed else load, counters=_counters(rng, loss))
                )
    return trials


def _counters(rng: np.random.Generator, loss: float) -> Counters:
    sent = int(rng.integers(500, 600))
    lost = int(rng.binomial(sent, loss))
    return Counters(
        down=LinkCounters(packets_in=sent, packets_out=sent - lost, lost=lost, delay_min_s=0.075),
        up=LinkCounters(packets_in=300, packets_out=300, delay_min_s=0.075),
        host=HostCounters(),
    )


def summarised(
    trials: Sequence[Trial],
    *,
    label: str | None = None,
    notes: Sequence[str] = (),
    requests: Requests = of_trial,
    **design: Any,
) -> Summary:
    """The summary of `trials` of the design that the further words describe."""
    return summarise(trials, Design(**design), label=label, notes=notes, requests=requests)

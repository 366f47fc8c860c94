"""The simulations of a policy: who, on which networks, what is true, and what the engine makes of it. Each of
TCP's congestion controls is simulated by itself, for a server has one."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.errors import InputError, unknown
from pronghorn.policy import worlds
from pronghorn.policy.maps import SeenMap
from pronghorn.policy.measured import MeasuredCell
from pronghorn.policy.parsed import Parsed, asked_of_engine
from pronghorn.policy.population import Population

PATIENCE_S = 3600.0

DOWNGRADES = ("off", "lease", "clear")

WHOLE = "population"
"""The simulation of all clients without an event."""

_EVENT_SHARE = 5
"""An event is simulated with a fifth of the clients."""

_BESIDE = 0.5
"""The share of strangers in the clients' own /16, where a flood comes from beside them."""


class Asked(NamedTuple):
    """What is simulated beside the population: so many `clients` over each congestion control. `max_age_s`
    and `holdout` are None for the policy's, `tcp` for all controls of the truth; with `cells` clients are on
    networks midway between the policy's nodes, with `run` on the cells of a run and as measured."""

    clients: int
    days: float
    seed: int
    downgrade: str
    max_age_s: int | None = None
    holdout: float | None = None
    cells: bool = False
    maps: Sequence[SeenMap] = ()
    run: Sequence[MeasuredCell] = ()
    tcp: str | None = None


def simulations(policy: Parsed, population: Population, asked: Asked) -> dict[str, dict[str, dict[str, Any]]]:
    """The engine's specifications, by congestion control and name: that of the population, and one of each
    event that it names. InputError where the truth isn't one of the policy."""
    base = _base(policy, population, asked)
    return {
        control: _with_events(base | {"tcp": {control: 1.0}}, population, asked)
        for control in _controls(policy, asked, base["truth"]["surfaces"])
    }


def _with_events(base: dict[str, Any], population: Population, asked: Asked) -> dict[str, dict[str, Any]]:
    found = {WHOLE: base}
    if asked.cells or asked.run:
        return found
    fewer = max(base["clients"] // _EVENT_SHARE, 1)
    events = population.events
    if events.upgrade is not None:
        found["upgrade"] = base | {
            "clients": fewer,
            "event": {"kind": "upgrade", "ln_ratio": events.upgrade},
        }
    if events.flood is not None:
        for name, beside in (("flood", 0.0), ("flood-beside", _BESIDE)):
            event = {"kind": "flood", "per_page": events.flood, "beside": beside}
            found[name] = base | {"clients": fewer, "event": event}
    if events.ignoring is not None:
        event = {"kind": "ignoring", "per_page": events.ignoring}
        found["ignoring"] = base | {"clients": fewer, "event": event}
    return found


def simulate(policy: Parsed, population: Population, asked: Asked) -> dict[str, dict[str, dict[str, Any]]]:
    """The engine's reports, by congestion control and the simulations' names."""
    return {
        control: {
            name: asked_of_engine(policy.place, "simulate", patience_s=PATIENCE_S, spec=spec)
            for name, spec in specs.items()
        }
        for control, specs in simulations(policy, population, asked).items()
    }


def _controls(policy: Parsed, asked: Asked, surfaces: Iterable[str]) -> list[str]:
    """The congestion controls that are simulated, in the truth's order."""
    controls = list(surfaces)
    if asked.run:
        controls = sorted({control for cell in asked.run for control in cell.times})
    if asked.tcp is not None:
        if asked.tcp not in controls:
            raise InputError(f"--tcp {asked.tcp}: {unknown('congestion control', asked.tcp, controls)}")
        controls = [asked.tcp]
    for control in controls:
        if control not in policy.surfaces:
            raise InputError(
                f"{policy.place}: has no prior for TCP with {control}, which is to be simulated.",
                hint="Fit one from a map of that congestion control as well.",
            )
    return controls


def _base(policy: Parsed, population: Population, asked: Asked) -> dict[str, Any]:
    noise = population.noise
    truth = worlds.of_maps(asked.maps, noise, asked.seed) if asked.maps else worlds.of_policy(policy, noise)
    if asked.run:
        networks = [cell.to_engine() for cell in asked.run]
    elif asked.cells:
        networks = worlds.between_nodes(policy)
    else:
        networks = [network.to_engine() for network in population.network]
    plain = asked.cells or bool(asked.run)
    return {
        "seed": asked.seed,
        "policy": policy.text,
        "clients": asked.clients,
        "days": asked.days,
        "truth": truth,
        "networks": networks,
        "hard": {} if plain else population.hard.to_engine(),
        "traffic": population.traffic.to_engine(),
        "noise": {
            "response": noise.response,
            "page": noise.page,
            "visit": noise.visit,
            "own_loss": noise.own_loss,
        },
        "gateway": {
            "downgrade": asked.downgrade,
            "max_age_s": asked.max_age_s,
            "holdout": asked.holdout,
        },
    }


def check(asked: Asked, *, run: Path | None) -> None:
    """InputError where what was asked for can't be."""
    if asked.clients < 1:
        raise InputError(f"--clients {asked.clients}: at least 1.")
    if not (math.isfinite(asked.days) and 0 < asked.days <= 366):
        raise InputError(f"--days {asked.days:g}: more than 0, at most 366.")
    if not 0 <= asked.seed < 2**63:
        raise InputError(f"--seed {asked.seed}: a seed is a whole number from 0 to {2**63 - 1}.")
    if asked.holdout is not None and not 0 <= asked.holdout <= 0.5:
        raise InputError(f"--holdout {asked.holdout:g}: a share pinned to each protocol, from 0 to 0.5.")
    if asked.max_age_s is not None and not 1 <= asked.max_age_s <= 31_536_000:
        raise InputError(f"--max-age {asked.max_age_s}: seconds, from 1 to 31536000 (a year).")
    if asked.downgrade not in DOWNGRADES:
        raise InputError(f"--downgrade {asked.downgrade}: {', '.join(DOWNGRADES)} is allowed.")
    if run is not None and (asked.cells or asked.maps):
        raise InputError("--run has its own networks and truth, so it excludes --cells and --map.")

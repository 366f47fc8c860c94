"""Experiments, trials and flights as the fairness manifest meets them, made by hand."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pronghorn import fairness, manifest
from pronghorn.fairness import Findings
from pronghorn.model import arm as arms
from pronghorn.model.artifacts import FLIGHT
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import LinkSpec, PathProfile, PathSpec
from pronghorn.model.trial import Cell, Counters, Metrics, PageLoad, Trial

NAMED = ("h2", "h3")
RATE, ROUND_TRIP_S = 50_000_000, 0.04
HOST = {"kernel": "6.18.5", "governor": None, "load_average": 0.0, "cores": 1}


def profile(rate: int | None = RATE, round_trip_s: float = ROUND_TRIP_S, **down: Any) -> PathProfile:
    """A path named `line`."""
    link = LinkSpec(delay_ns=round(round_trip_s * 5e8), rate_bit_per_s=rate)
    return PathProfile(name="line", spec=PathSpec(down=link.model_copy(update=down), up=link))


def experiment(
    names: Sequence[str] = NAMED,
    *,
    path: PathProfile | None = None,
    origin: str = "builtin",
    client: str = "native",
    **more: Any,
) -> Experiment:
    """One cell."""
    return Experiment(
        name="made",
        sites=("tiny",),
        paths=(path or profile(),),
        origins=(origin,),
        clients=(client,),
        arms=tuple(arms.parse(name) for name in names),
        baseline=names[0],
        repeat=1,
        limit="30s",
        margin_text="3%",
        seed=1,
        **more,
    )


def trial(
    arm: str,
    *,
    size: int = 20_000,
    seconds: float = 0.1,
    block: int = 0,
    origin: str = "builtin",
    client: str = "native",
    connection: dict[str, Any] | None = None,
    served: dict[str, Any] | None = None,
    host: dict[str, Any] | None = None,
    down: dict[str, Any] | None = None,
    status: str = "ok",
    beside: int = 0,
) -> Trial:
    """A load of one resource of `size` bytes that took `seconds` from its first byte to its last, and of
    another one `beside` it."""
    protocol = arms.parse(arm).protocol
    opened = {"protocol": protocol, "start_s": 0.0, "connected_s": 0.05, "secured_s": 0.05}
    times = {"first_byte_s": 0.1, "last_byte_s": 0.1 + seconds}
    bodies = [size, beside] if beside else [size]
    page = {
        "outcome": "ok",
        "load_s": 0.1 + seconds,
        "connections": [{**opened, **(connection or {})}],
        "resources": [
            {
                "path": f"/{place}",
                "protocol": protocol,
                "status": 200,
                "bytes": bytes_,
                "connection": 0,
                **times,
            }
            for place, bytes_ in enumerate(bodies)
        ],
    }
    counters = {"down": {"packets_in": 100, **(down or {})}, "up": {}, "host": host or {}}
    return Trial.model_validate(
        {
            "cell": Cell(site="tiny", path="line", origin=origin, client=client),
            "arm": arm,
            "block": block,
            "attempt": 0,
            "position": 0,
            "path_seed": 1,
            "slot": 0,
            "started": "2026-11-21T00:00:00Z",
            "status": status,
            "metrics": Metrics(load_s=1.0),
            "page": PageLoad.model_validate(page),
            "counters": Counters.model_validate(counters),
            "origin_connections": [{"protocol": protocol, **(served or {})}],
        }
    )


def found(asked: Experiment, trials: Sequence[Trial] = (), run: Path | None = None, **notes: Any) -> Findings:
    """What is found in `trials`, with a manifest of that kernel and what `notes` adds."""
    closing = manifest.closing(asked, trials, ended="")
    return fairness.examine(asked, trials, {"host": HOST, "arms": closing["arms"], **notes}, run)


def codes(findings: Findings) -> set[str]:
    """The codes of all warnings."""
    return {caution.code for caution in findings.cautions}


def text(findings: Findings, code: str) -> str:
    """The words of the one warning with that code."""
    [caution] = [one for one in findings.cautions if one.code == code]
    return caution.text


def row(findings: Findings, setting: str) -> dict[str, Any]:
    """The one cell's row of a setting as the manifest has it."""
    [cell] = findings.to_manifest()
    [one] = [row for row in cell["rows"] if row["setting"] == setting]
    return dict(one)


def flown(
    one: Trial, run: Path, transport: str, samples: dict[str, list[float | None]], **more: Any
) -> Trial:
    """The trial with a flight of its origin's end."""
    file = run / f"flight-{one.arm}-{one.block}.json"
    connection = {
        "host": "server",
        "transport": transport,
        "stack": "made",
        "local_port": 443,
        "congestion_control": "cubic",
        "mss": 1448 if transport == "tcp" else 1452,
        "samples": samples,
        **more,
    }
    flight = {"clock_base_monotonic_s": 0.0, "connections": [connection]}
    file.write_text(json.dumps(flight), encoding="utf-8")
    return one.model_copy(update={"artifacts": {FLIGHT: file.name}})

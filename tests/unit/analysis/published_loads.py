"""Trials of loads whose rates are those of a published study."""

import math
from typing import Any

from pronghorn.analysis.summarise import Loads
from pronghorn.model.summary import Summary
from pronghorn.model.trial import Cell, Trial

from .synthetic import summarised

LIMIT_S = 60.0


ARMS = ("h1", "h3")


BLOCKS = 8


THEIRS = {
    "delay": (5275.52, 2740.22),
    "loss": (297.28, 504.45),
    "duplicate": (23065.39, 23810.43),
    "corrupt": (691.61, 2424.55),
    "delay-loss": (326.42, 582.89),
    "loss-duplicate": (4914.90, 3264.89),
}
"""The study's requests per second of h1 and h3."""


def cell(path: str, origin: str = "nginx") -> Cell:
    return Cell(site="tiny", path=path, origin=origin, client="load")


def distribution(count: int, **percentiles: float) -> dict[str, Any]:
    keys = ("min", "mean", "sd", "max", "p50", "p75", "p90", "p95", "p99", "p999", "p9999")
    return {"count": count, **dict.fromkeys(keys, 0.0), **percentiles}


def trial(
    where: Cell, arm: str, block: int, rate: float, *, sent: int = 1000, succeeded: int = 1000, **told: Any
) -> Trial:
    """A load of so many requests; where some failed it failed."""
    spread = distribution(
        succeeded, p50=1.0, p75=2.0, p90=3.0, p95=4.0, p99=5.0, p999=6.0, p9999=7.0, max=8.0
    )
    report = {
        "requests": {"planned": 1000, "sent": sent, "unsent": 1000 - sent, "succeeded": succeeded},
        "connections": {"attempted": 10, "established": 10},
        "window_s": succeeded / rate,
        "requests_per_second": rate,
        "finished": sent == 1000,
        "bytes": {"payload": 0, "headers": 0, "wire_received": 0, "wire_sent": 0},
        "bytes_per_second": {"payload": 0, "wire_received": 0, "wire_sent": 0},
        "latency_seconds": {"connect": distribution(10), "first_byte": spread, "total": spread},
        "cpu_s": {"user": 0.0, "system": 0.0},
        "max_rss_bytes": 0,
        "protocol": arm[:2],
    }
    failed = succeeded < 1000
    return Trial.model_validate(
        {
            "cell": where,
            "arm": arm,
            "block": block,
            "attempt": 0,
            "position": 0,
            "path_seed": block,
            "slot": 0,
            "started": "2026-01-01T00:00:00.000Z",
            "status": "failed" if failed else "ok",
            "reason": "requests" if failed else None,
            "metrics": {"load_s": None if failed else succeeded / rate, "requests_per_second": rate},
            "page": {"outcome": "failed" if failed else "ok", "report": report},
            **told,
        }
    )


Rates = dict[str, tuple[float, float]]


def study(changed: Rates | None = None, *, blocks: int = BLOCKS, scatter: float = 0.01) -> list[Trial]:
    """Trials whose rates are the study's, but for those `changed`."""
    rates = THEIRS | (changed or {})
    return [
        trial(cell(path), arm, block, rate * (1 + scatter * math.sin(block * 2.1 + place)))
        for path, pair in rates.items()
        for place, (arm, rate) in enumerate(zip(ARMS, pair, strict=True))
        for block in range(blocks)
    ]


def summary(trials: list[Trial], published: str | None = "weaknet") -> Summary:
    return summarised(
        trials,
        name="Loads",
        arms=ARMS,
        baseline="h1",
        seed=1,
        limit_s=LIMIT_S,
        resamples=1000,
        loads=Loads(limit_s=LIMIT_S, published=published),
    )

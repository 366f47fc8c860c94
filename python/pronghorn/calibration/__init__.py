"""Calibration: what a path was asked to be against what packets met on it.

`design.py` chooses the probes, the engine sends them, `delays.py`, `chances.py` and `bottleneck.py` judge.
"""

import time

from pronghorn.calibration import bottleneck, chances, delays
from pronghorn.calibration.design import Design, design
from pronghorn.calibration.measured import Probes
from pronghorn.calibration.rows import FALSE_ALARM, Direction, Report, Row, unchecked
from pronghorn.engine import Engine, record
from pronghorn.model.path import LinkSpec, PathSpec

__all__ = ["FALSE_ALARM", "LONG_S", "SHORT_S", "Report", "Row", "calibrate", "judge", "probe"]

SHORT_S = 0.6
"""The time for the probes before a run, in seconds beyond the path's delays."""

LONG_S = 10.0
"""The time for the probes of `pronghorn path --calibrate`."""

_PATIENCE_S = 120.0
_CONGESTION_CONTROL = "reno"


async def calibrate(engine: Engine, path: PathSpec, *, seed: int, budget_s: float = LONG_S) -> Report:
    """Opens a bench on `path`, probes it and judges. EngineError where the engine can't; cross traffic,
    rebinding and a handover are left out, since the probes say nothing of them."""
    started = time.monotonic()
    probes, planned = await probe(engine, path, seed=seed, budget_s=budget_s)
    rows = judge(planned, probes)
    for name, reason in (
        ("cross", "the path is tested without its cross traffic"),
        ("rebind_ns", "the path is tested without its rebinding"),
        ("handover", "the path is tested without its handover; calibrate the other path by its name"),
    ):
        if getattr(path, name):
            rows.append(unchecked("up", name.removesuffix("_ns"), reason))
    return Report(
        passed=all(row.verdict != "fail" for row in rows),
        seed=seed,
        seconds=round(time.monotonic() - started, 3),
        rows=rows,
    )


async def probe(engine: Engine, path: PathSpec, *, seed: int, budget_s: float) -> tuple[Probes, Design]:
    """The fate of the probes that suit `path`."""
    planned = design(path, budget_s)
    patience = _PATIENCE_S + 4 * planned.settle_s + budget_s
    await engine.request(
        "open", path=planned.path.to_engine(), seed=seed, tcp_congestion_control=_CONGESTION_CONTROL
    )
    try:
        told = await engine.request("calibrate", patience_s=patience, **planned.to_engine())
    finally:
        await engine.request("close")
    return record(Probes, told), planned


def judge(planned: Design, probes: Probes) -> list[Row]:
    """Each quantity of both links against what `planned` drives."""
    links: list[tuple[Direction, LinkSpec]] = [("down", planned.path.down), ("up", planned.path.up)]
    rows: list[Row] = []
    for direction, _ in links:
        of_link, probed = getattr(planned, direction), getattr(probes, direction)
        for quantity in (delays, chances, bottleneck):
            rows += quantity.rows(direction, of_link, probed)
        rows += of_link.left_out
    return rows

"""Calibration on real devices: a path that is as asked passes, one that isn't fails where it isn't."""

import asyncio

import pytest

from pronghorn import calibration
from pronghorn.calibration import Report
from pronghorn.engine import Engine
from pronghorn.model.experiment_file import shipped_paths
from pronghorn.model.path import PathSpec, from_words

pytestmark = pytest.mark.needs("engine", "namespaces")

BUDGET_S = 1.0

CHANCES = ("delay=200ms", "loss=10%", "duplicate=5%", "corrupt=5%", "reorder=25%")
SLOW = ("delay=10ms", "rate=20Mbit", "queue=64kB")

ATTEMPTS = 5
"""Times are only as good as the host is idle, and times tell who skipped the delay; the other chances are
settled by the seed and need no second attempt."""


def path(*words: str) -> PathSpec:
    spec = from_words(words, shipped_paths()).spec
    assert spec is not None
    return spec


async def calibrated(spec: PathSpec) -> Report:
    engine = await Engine.start()
    try:
        return await calibration.calibrate(engine, spec, seed=1, budget_s=BUDGET_S)
    finally:
        await engine.stop()


async def misjudged(driven: PathSpec, asked: PathSpec) -> set[str]:
    """The quantities that fail where `driven` is judged as if it were `asked`."""
    engine = await Engine.start()
    try:
        probes, planned = await calibration.probe(engine, driven, seed=1, budget_s=BUDGET_S)
    finally:
        await engine.stop()
    other = planned._replace(
        path=asked, down=planned.down._replace(link=asked.down), up=planned.up._replace(link=asked.up)
    )
    return {row.quantity for row in calibration.judge(other, probes) if row.verdict == "fail"}


def test_chances_and_the_account_of_packets_are_as_asked() -> None:
    for _ in range(ATTEMPTS):
        report = asyncio.run(calibrated(path(*CHANCES)))
        rows = {(row.direction, row.quantity): row for row in report.rows}
        for direction in ("down", "up"):
            for quantity in ("loss", "duplication", "corruption", "packets"):
                row = rows[direction, quantity]
                assert row.verdict == "pass", row
        reordering = [rows[direction, "reordering"] for direction in ("down", "up")]
        if all(row.verdict == "pass" for row in reordering):
            return
    pytest.fail(f"failed {ATTEMPTS} times: {reordering}")


def test_no_packet_is_early_and_the_rest_is_as_asked_on_a_host_that_keeps_up() -> None:
    for _ in range(ATTEMPTS):
        report = asyncio.run(calibrated(path(*SLOW)))
        for row in report.rows:
            if row.quantity.startswith("delay"):
                assert row.measured is not None and row.low is not None
                assert row.measured >= row.low, row
        quantities = {row.quantity for row in report.rows if row.verdict == "pass"}
        wanted = {"delay (smallest)", "delay (median)", "packets", "rate", "queue"}
        if report.passed and quantities >= wanted:
            return
    pytest.fail(f"failed {ATTEMPTS} times: {report.rows}")


@pytest.mark.parametrize(
    ("driven", "asked", "fails"),
    [
        (SLOW, ("delay=25ms", *SLOW[1:]), {"delay (smallest)", "delay (median)"}),
        (SLOW, (SLOW[0], "rate=15Mbit", SLOW[2]), {"rate"}),
        (SLOW, (*SLOW[:2], "queue=200kB"), {"queue"}),
        (CHANCES, (CHANCES[0], "loss=30%", *CHANCES[2:]), {"loss"}),
        (CHANCES, (*CHANCES[:2], "duplicate=20%", *CHANCES[3:]), {"duplication"}),
        (CHANCES, (*CHANCES[:3], "corrupt=20%", CHANCES[4]), {"corruption"}),
        (CHANCES, (*CHANCES[:4], "reorder=50%"), {"reordering"}),
        (
            ("delay=20ms", "jitter=5ms"),
            ("delay=20ms", "jitter.spread=10ms", "jitter.distribution=normal"),
            {"jitter (KS distance)"},
        ),
    ],
    ids=lambda value: " ".join(sorted(value)) if isinstance(value, set) else "",
)
def test_a_path_other_than_the_asked_fails(
    driven: tuple[str, ...], asked: tuple[str, ...], fails: set[str]
) -> None:
    # Of a path that was late much is explained by that.
    found: list[set[str]] = []
    for _ in range(ATTEMPTS):
        found.append(asyncio.run(misjudged(path(*driven), path(*asked))))
        if found[-1] >= fails:
            return
    pytest.fail(f"{fails} did not fail; what did in each attempt: {found}")

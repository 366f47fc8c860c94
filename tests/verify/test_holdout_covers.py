"""What the gateway says of its own worth covers the truth as often as its interval promises, over whole
simulated populations: clients of all kinds, several responses a page, keys that come again in the next
epoch."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from pronghorn.engine import Engine
from pronghorn.policy import file, fit, maps, outcome, parsed, population, simulate
from pronghorn.policy.simulate import Asked

from ..unit.policy import made_maps

SIMULATIONS = 1000
LEAST_COVERED = 930
"""Of a thousand intervals that cover with 95 %, 929 or fewer do once in 400 times (binomial); the seeds are
fixed, so that it is the same every time."""

CLIENTS, DAYS = 600, 2.0
HOLDOUT = 0.1


@pytest.mark.needs("engine")
def test_the_holdout_s_interval_covers_the_true_uplift(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made_maps.write(tmp_path / "map")
    (tmp_path / "policy.toml").write_text(file.text(fit.policy([maps.read(folder)], {})))
    policy = parsed.read(tmp_path / "policy.toml")
    asked = Asked(clients=CLIENTS, days=DAYS, seed=0, downgrade="lease", holdout=HOLDOUT)
    spec = simulate.simulations(policy, population.read(None), asked)["population"]

    started = time.monotonic()
    covered, widths = asyncio.run(_covered(spec))

    with capsys.disabled():
        print(
            f"\nthe interval covers the truth in {covered} of {SIMULATIONS} simulations; "
            f"its median width is {sorted(widths)[len(widths) // 2]:.3f}; {time.monotonic() - started:.0f} s"
        )
    assert covered >= LEAST_COVERED


async def _covered(spec: dict[str, Any]) -> tuple[int, list[float]]:
    engine = await Engine.start()
    covered, widths = 0, []
    try:
        for seed in range(SIMULATIONS):
            told = await engine.request("simulate", spec=spec | {"seed": seed})
            holdout = outcome.read(told).holdout
            assert holdout.told is not None and holdout.truth is not None
            assert holdout.told.low is not None and holdout.told.high is not None
            covered += holdout.told.low <= holdout.truth <= holdout.told.high
            widths.append(holdout.told.high - holdout.told.low)
    finally:
        await engine.stop()
    return covered, widths

"""What the gateway says of its own worth is the truth on average, and its interval covers the truth as often
as it promises, over whole simulated populations: clients of all kinds, several responses a page, keys that
come again in the next epoch. That these tests can fail is itself tested, by a fault that is planted."""

import asyncio
import math
import time
from typing import Any, NamedTuple

import pytest

from pronghorn.engine import Engine
from pronghorn.policy import file, fit, maps, outcome, parsed, population, simulate
from pronghorn.policy.simulate import Asked

from ..unit.policy import made_maps

SIMULATIONS = 1000
LEAST_COVERED = 930
"""Of a thousand intervals that cover with 95 %, 929 or fewer do once in 400 times (binomial); the seeds are
fixed, so that it is the same every time."""

FEWER, FEWER_COVERED = 300, 271
"""Of three hundred, 270 or fewer do once in 900 times."""

ERRORS = 3.0
"""A mean that is right lies further from the truth than so many standard errors once in 370 times."""

CLIENTS, DAYS = 600, 2.0
HOLDOUT = 0.1

FAR = {"name": "far", "share": 1.0, "rtt_ms": [240.0, 280.0], "loss": [0.05, 0.06], "rate_mbit": [4.0, 6.0]}
"""A network on which h3 is surely faster: where all are on it, the uplift is far beyond its error."""


class Seen(NamedTuple):
    """Of many simulations: how many intervals cover, and of what was told beyond the truth the mean and its
    standard error; the mean of the true uplift, and the median width."""

    simulations: int
    covered: int
    beyond: float
    error: float
    truth: float
    width: float


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("policy")
    made = made_maps.write(folder / "map")
    text = file.text(fit.policy([maps.read(made)], {}))
    assert "\nepoch_s = 604800 " in text
    (folder / "policy.toml").write_text(text.replace("\nepoch_s = 604800 ", "\nepoch_s = 86400 "))
    policy = parsed.read(folder / "policy.toml")
    asked = Asked(clients=CLIENTS, days=DAYS, seed=0, downgrade="lease", holdout=HOLDOUT)
    return simulate.simulations(policy, population.read(None), asked)["cubic"][simulate.WHOLE]


def decisive(spec: dict[str, Any]) -> dict[str, Any]:
    """All on one network, many of them several to a key."""
    hard = {"nat": 0.3, "nat_clients": spec["hard"]["nat_clients"]}
    return spec | {"networks": [FAR], "hard": hard, "clients": CLIENTS // 2}


@pytest.mark.needs("engine")
def test_the_holdout_s_interval_covers_the_true_uplift(
    spec: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = _seen("of all kinds of clients", spec, SIMULATIONS, capsys)

    assert seen.covered >= LEAST_COVERED
    assert abs(seen.beyond) <= ERRORS * seen.error


@pytest.mark.needs("engine")
def test_where_the_uplift_is_large_the_holdout_tells_it_without_bias(
    spec: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = _seen("where h3 pays", decisive(spec), FEWER, capsys)

    assert seen.truth < -0.1
    assert seen.covered >= FEWER_COVERED
    assert abs(seen.beyond) <= ERRORS * seen.error


@pytest.mark.needs("engine")
def test_offers_that_outlast_their_epoch_would_be_noticed(
    spec: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Browsers that hold an offer for much longer than they were told, whatever they are told then, take the
    arm of one epoch with them into the next."""
    far = decisive(spec)
    faulty = far | {"traffic": far["traffic"] | {"overstay": 1e4}}
    seen = _seen("with the fault", faulty, FEWER, capsys)

    assert seen.beyond > ERRORS * seen.error
    assert seen.covered < FEWER_COVERED


def _seen(what: str, spec: dict[str, Any], simulations: int, capsys: pytest.CaptureFixture[str]) -> Seen:
    started = time.monotonic()
    found = asyncio.run(_holdouts(spec, simulations))
    beyond = [one.told - one.truth for one in found]
    mean = sum(beyond) / simulations
    variance = sum((one - mean) ** 2 for one in beyond) / (simulations - 1)
    seen = Seen(
        simulations=simulations,
        covered=sum(one.low <= one.truth <= one.high for one in found),
        beyond=mean,
        error=math.sqrt(variance / simulations),
        truth=sum(one.truth for one in found) / simulations,
        width=sorted(one.high - one.low for one in found)[simulations // 2],
    )
    with capsys.disabled():
        print(
            f"\n{what}: the interval covers the truth ({seen.truth:+.3f} on average) in {seen.covered} of "
            f"{seen.simulations} simulations; it is {seen.width:.3f} wide (median); told less true "
            f"{seen.beyond:+.4f} ± {seen.error:.4f}; {time.monotonic() - started:.0f} s"
        )
    return seen


class _One(NamedTuple):
    told: float
    low: float
    high: float
    truth: float


async def _holdouts(spec: dict[str, Any], simulations: int) -> list[_One]:
    engine = await Engine.start()
    found = []
    try:
        for seed in range(simulations):
            holdout = outcome.read(await engine.request("simulate", spec=spec | {"seed": seed})).holdout
            told = holdout.told
            assert told is not None and told.low is not None and told.high is not None
            assert holdout.truth is not None
            found.append(_One(told.value, told.low, told.high, holdout.truth))
    finally:
        await engine.stop()
    return found

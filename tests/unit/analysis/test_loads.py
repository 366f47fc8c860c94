"""Loads in the statistics: rates, latencies of loads that failed in part, contrasts, and published claims."""

import math
from typing import Any

import pytest

from pronghorn.analysis.summarise import Loads
from pronghorn.analysis.times import times
from pronghorn.model.summary import Claim, Summary
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


def claims(trials: list[Trial]) -> list[Claim]:
    return summary(trials).claims


def test_the_studys_own_figures_reproduce_all_of_its_claims() -> None:
    found = claims(study())
    assert [claim.state for claim in found] == ["reproduced"] * 4
    for claim in found:
        for part in claim.readings[0].parts:
            assert part.ratio == pytest.approx(part.theirs, rel=0.05)


@pytest.mark.parametrize(
    ("changed", "states"),
    [
        ({"delay": (1000.0, 1200.0)}, ["not reproduced", "reproduced", "reproduced", "reproduced"]),
        ({"duplicate": (1000.0, 1500.0)}, ["reproduced", "not reproduced", "reproduced", "reproduced"]),
        ({"loss-duplicate": (3000.0, 4000.0)}, ["reproduced", "reproduced", "not reproduced", "reproduced"]),
        ({"delay-loss": (500.0, 500.0)}, ["reproduced", "reproduced", "reproduced", "not reproduced"]),
    ],
)
def test_a_claim_falls_with_its_figures(changed: Rates, states: list[str]) -> None:
    assert [claim.state for claim in claims(study(changed))] == states


def test_what_scatters_over_a_bound_is_undecided() -> None:
    found = claims(study({"delay": (1000.0, 1000.0)}, scatter=0.4))
    assert found[0].state == "undecided"
    assert found[0].readings[0].parts[0].reason is None


def test_few_blocks_decide_no_claim() -> None:
    for claim in claims(study(blocks=5)):
        assert claim.state == "undecided"
        assert {part.reason for part in claim.readings[0].parts} == {"needs more blocks (5 of at least 6)"}


def test_origins_that_disagree_leave_a_claim_undecided_and_are_named() -> None:
    others = [
        one.model_copy(update={"cell": cell(one.cell.path, "builtin")})
        for one in study({"delay": (1.0, 2.0)})
    ]
    found = claims([*study(), *others])[0]
    assert found.state == "undecided"
    assert "reproduced with nginx against h1; not reproduced with builtin against h1" in found.words


def test_sites_are_read_apart() -> None:
    """Of two sites the one that comes last must not stand for both."""
    others = [
        one.model_copy(update={"cell": one.cell.model_copy(update={"site": "small"})})
        for one in study({"delay": (1.0, 2.0)})
    ]
    for trials in ([*study(), *others], [*others, *study()]):
        found = claims(trials)[0]
        assert found.state == "undecided"
        assert "reproduced with nginx (tiny) against h1" in found.words
        assert "not reproduced with nginx (small) against h1" in found.words


def test_a_claim_says_which_of_the_loads_behind_it_failed() -> None:
    trials = [
        one
        if (one.cell.path, one.arm, one.block) not in {("loss", "h1", 0), ("loss", "h1", 3)}
        else trial(one.cell, one.arm, one.block, 297.0, sent=990, succeeded=980)
        for one in study()
    ]
    parts = {part.what: part.failed for part in claims(trials)[1].readings[0].parts}
    assert parts["h3 ÷ h1 on loss"] == {"h1 on loss": 2}
    assert parts["h3 ÷ h1 on corrupt"] == {}


def test_of_rates_more_is_faster_and_the_ratio_is_of_rates() -> None:
    [found] = [cell for cell in summary(study()).cells if cell.path == "corrupt"]
    compared = found.comparison("h3")
    assert compared is not None
    assert (compared.metric, compared.verdict) == ("requests_per_second", "faster")
    assert compared.ratio == pytest.approx(2424.55 / 691.61, rel=0.05)
    total = found.comparison("h3", "load")
    assert total is not None and total.ratio == pytest.approx(691.61 / 2424.55, rel=0.05)


def test_a_contrast_is_the_ratio_of_rates_whatever_the_baseline() -> None:
    contrasts = summary(study(), published=None).contrasts
    assert {(one.path, one.arm, one.against, one.verdict) for one in contrasts if one.path == "delay"} == {
        ("delay", "h3", "h1", "slower")
    }


def test_a_latency_counts_requests_that_failed_as_never_answered() -> None:
    where = cell("loss")
    whole = trial(where, "h1", 0, 100.0)
    some = trial(where, "h1", 0, 100.0, succeeded=920)
    half = trial(where, "h1", 0, 100.0, succeeded=400)
    found = {
        metric: list(times([whole, some, half], metric)) for metric in ("total_p50", "total_p90", "total_p99")
    }
    assert found == {
        "total_p50": [1.0, 2.0, math.inf],
        "total_p90": [3.0, 5.0, math.inf],
        "total_p99": [5.0, math.inf, math.inf],
    }


def test_loads_that_last_as_long_as_asked_are_not_compared_by_their_time() -> None:
    found = summarised(
        study(), name="Loads", arms=ARMS, baseline="h1", seed=1, limit_s=LIMIT_S, loads=Loads(timed=True)
    )
    assert all(one.metric != "load" for one in found.cells[0].comparisons)

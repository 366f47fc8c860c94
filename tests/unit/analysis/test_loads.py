"""Loads in the statistics: rates, latencies of loads that failed in part, contrasts, and published claims."""

import math

import pytest

from pronghorn.analysis.summarise import Loads
from pronghorn.analysis.times import times
from pronghorn.model.summary import Claim
from pronghorn.model.trial import Trial

from .published_loads import ARMS, LIMIT_S, Rates, cell, study, summary, trial
from .synthetic import summarised


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

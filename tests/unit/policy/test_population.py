"""Populations, what is simulated of them, and what is held against the bound."""

from pathlib import Path

import numpy as np
import pytest

from pronghorn.errors import InputError
from pronghorn.policy import bound, lab, outcome, population, simulate, terminal, worlds
from pronghorn.policy.lab import Case
from pronghorn.policy.measured import MeasuredCell
from pronghorn.policy.outcome import ALWAYS, LEARNED, RULES, Segment
from pronghorn.policy.parsed import Parsed, Surface
from pronghorn.policy.simulate import Asked
from pronghorn.policy.unseen import Error

NODES: tuple[tuple[float, ...], ...] = ((5.0, 20.0, 80.0), (0.0, 0.01), (1.0, 100.0))


def a_policy() -> Parsed:
    shape = tuple(len(one) for one in NODES)
    return Parsed(
        place="made.toml",
        text="",
        about="made",
        margin=0.03,
        rtt_ms=NODES[0],
        loss=NODES[1],
        rate_mbit=NODES[2],
        noise={"response": 0.35, "between_clients": 0.15, "surface": 0.03},
        steering={},
        surfaces={"cubic": Surface(np.full(shape, -0.1), np.full(shape, 0.04))},
    )


def a_segment(ours: float, h2: float, h3: float, low: float = -1.0) -> Segment:
    values = dict.fromkeys(RULES, 0.0) | {LEARNED: ours, "always-h2": h2, "always-h3": h3}
    rules = {
        rule: {"regret": {"value": value, "low": value, "high": value}, "h3": 0.0, "failed": 0}
        for rule, value in values.items()
    }
    minus = {rule: {"value": ours - values[rule], "low": low, "high": 1.0} for rule in ALWAYS}
    table = {"by": "all", "name": "all", "keys": 1, "requests": 1.0, "rules": rules, "minus": minus}
    return Segment.model_validate(table)


def test_the_default_population_is_whole_and_says_its_shares() -> None:
    found = population.read(None)

    assert sum(one.share for one in found.network) == pytest.approx(100)
    assert 0.03 < sum(one.share * one.udp_blocked for one in found.network) / 100 < 0.06
    hard = found.hard
    assert hard.flapping + hard.nat + hard.drift < 0.5


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (("share = 22", "share = -1"), "network.0.share"),
        (('rtt = "8ms..60ms"', 'rtt = "8..60"'), "network 'fiber': rtt 8..60"),
        (('flapping = "4%"', 'flapping = "4"'), "hard.flapping"),
        (("pages = 4.0", "pages = 0.5"), "traffic.pages"),
        (("[events]", "[event]"), "event"),
        (('name = "visitors', "name = visitors"), "can't be read"),
    ],
)
def test_a_population_that_cannot_be_is_refused_with_its_key(
    change: tuple[str, str], wrong: str, tmp_path: Path
) -> None:
    default = Path(population.__file__).parents[1] / population.DEFAULT
    file = tmp_path / "people.toml"
    file.write_text(default.read_text().replace(*change))

    with pytest.raises(InputError, match=wrong):
        [one.to_engine() for one in population.read(file).network]


def test_ratios_of_mean_times_are_smaller_where_h2_s_pages_scatter_more() -> None:
    policy = a_policy()
    shape = (2, len(policy.rate_mbit), len(policy.loss))
    pages = np.zeros(shape)
    pages[0, 0, -1] = 0.6
    surface = policy.surfaces["cubic"]._replace(pages=pages)

    shifted = surface.of_means - surface.mean
    assert shifted[:, -1, 0] == pytest.approx(np.full(len(policy.rtt_ms), -0.18))
    assert np.count_nonzero(shifted) == len(policy.rtt_ms)
    assert policy.surfaces["cubic"].of_means is policy.surfaces["cubic"].mean


def test_networks_between_the_nodes_are_none_of_them() -> None:
    found = worlds.between_nodes(a_policy())

    assert len(found) == 2 * 1 * 1
    for one in found:
        for key, nodes in zip(("rtt_ms", "loss", "rate_mbit"), NODES, strict=True):
            low, high = one[key]
            assert low == high
            assert nodes[0] < low < nodes[-1]
            assert min(abs(low - node) for node in nodes) > 0.1 * low


def test_each_event_is_a_simulation_of_its_own_and_cells_have_none() -> None:
    people = population.read(None)
    asked = Asked(clients=100, days=1.0, seed=1, downgrade="lease")

    found = simulate.simulations(a_policy(), people, asked)["cubic"]
    assert list(found) == ["population", "upgrade", "flood", "flood-beside", "ignoring"]
    assert found["flood"]["clients"] == 20
    cells = simulate.simulations(a_policy(), people, asked._replace(cells=True))["cubic"]
    assert list(cells) == ["population"]


def test_each_congestion_control_is_simulated_by_itself() -> None:
    people = population.read(None)
    asked = Asked(clients=100, days=1.0, seed=1, downgrade="lease")
    surface = a_policy().surfaces["cubic"]
    policy = a_policy()._replace(surfaces={"cubic": surface, "bbr": surface})

    found = simulate.simulations(policy, people, asked)
    assert [(control, one["population"]["tcp"]) for control, one in found.items()] == [
        ("cubic", {"cubic": 1.0}),
        ("bbr", {"bbr": 1.0}),
    ]
    assert list(simulate.simulations(policy, people, asked._replace(tcp="bbr"))) == ["bbr"]
    with pytest.raises(InputError, match="did you mean 'bbr'"):
        simulate.simulations(policy, people, asked._replace(tcp="bbr2"))


def test_the_visit_s_mood_goes_to_the_engine() -> None:
    people = population.read(None)
    asked = Asked(clients=100, days=1.0, seed=1, downgrade="lease")

    (found,) = simulate.simulations(a_policy(), people, asked).values()
    assert found["population"]["noise"]["visit"] == people.noise.visit > 0


def test_a_control_that_the_policy_does_not_know_is_refused() -> None:
    cell = MeasuredCell("one", 20.0, 0.0, 10.0, {"reno": [(1.0, 2.0)]})
    asked = Asked(clients=100, days=1.0, seed=1, downgrade="lease", run=[cell])

    with pytest.raises(InputError, match="no prior for TCP with reno"):
        simulate.simulations(a_policy(), population.read(None), asked)


@pytest.mark.parametrize(
    ("ours", "h2", "h3", "low", "holds"),
    [
        (0.03, 0.10, 0.20, 0.0, True),
        (0.04, 0.10, 0.20, 0.0, False),
        (0.04, 0.30, 0.10, 0.0, False),
        (0.018, 0.015, 0.20, -0.001, True),
        (0.018, 0.015, 0.20, 0.001, False),
    ],
)
def test_the_bound_is_a_third_of_the_better_rule_or_no_worse_where_that_is_small(
    ours: float, h2: float, h3: float, low: float, holds: bool
) -> None:
    assert a_segment(ours, h2, h3, low).holds is holds


def test_regret_of_a_share_of_h3_is_that_of_its_parts() -> None:
    found = lab.regrets({"always-h2": 0.0, "always-h3": 1.0, LEARNED: 0.5}, 2.0, 1.0, 1.0)

    assert found == pytest.approx({"always-h2": 1.0, "always-h3": 0.0, LEARNED: 0.5})


@pytest.mark.needs("engine")
def test_measured_times_judge_a_policy_by_what_it_did_in_each_cell() -> None:
    policy = a_policy()._replace(text=(Path(__file__).parent / "made.toml").read_text())
    worse = MeasuredCell("near", 20.0, 0.0, 100.0, {"cubic": [(1.0, 1.2)] * 8})
    better = MeasuredCell("far", 150.0, 0.04, 10.0, {"cubic": [(2.0, 1.0)] * 8})
    asked = Asked(clients=600, days=14.0, seed=1, downgrade="clear", max_age_s=86_400)

    found = lab.judge([Case(policy, [worse, better])], population.read(None), asked)

    near, far = found.rows
    assert near.regret["always-h2"] == pytest.approx(0.0)
    assert far.regret["always-h2"] == pytest.approx(1.0)
    assert far.h3_share[LEARNED] > 0.5 > near.h3_share[LEARNED]
    (judgement,) = found.judgements
    assert judgement.regret[LEARNED].value < min(judgement.regret[rule].value for rule in ALWAYS)
    assert "TCP with cubic, 2 cells" in terminal.of_lab(found)
    beyond = judgement.beyond[LEARNED].value
    assert beyond == pytest.approx(judgement.regret[LEARNED].value - judgement.regret["informed"].value)
    assert beyond >= 0
    off = {"cubic": Error(points=2, sd=0.05, low=0.04, high=0.06)}
    assert "is off by 0.050 (0.040–0.060" in terminal.of_halves(off, found)


def test_means_drawn_again_vary_as_means_do() -> None:
    """Of n observations by a variance of s²/n, s² with n - 1 in its denominator; within 12 %, four standard
    errors of a variance of 2000."""
    rng = np.random.default_rng(1)
    for count in (2, 4, 10):
        observed = rng.standard_normal(count)
        means = observed @ lab.again(count, rng)
        assert means.mean() == pytest.approx(observed.mean(), abs=4 * observed.std() / 40)
        assert means.var() == pytest.approx(observed.var(ddof=1) / count, rel=0.12)


def test_intervals_are_as_wide_as_gateways_and_blocks_differ() -> None:
    """Of 200 intervals more than 170 cover the truth, of what ten gateways do with blocks that are all alike,
    and with as many as vary. 170 or fewer of 92 % come once in 1000 times."""
    rng = np.random.default_rng(1)
    covered = [0, 0]
    for seed in range(200):
        each = 0.5 + 0.1 * rng.standard_normal((lab.DRAWS, 1))
        shares = {cell: np.tile(each, (1, len(RULES))) for cell in ("near", "far")}
        alike = lab.Half(shares, dict.fromkeys(shares, np.tile([2.0, 1.0, 1.0], (4, 1))))
        same = {cell: np.full((lab.DRAWS, len(RULES)), 0.5) for cell in shares}
        h2_s = 2 + 0.2 * rng.standard_normal((2, 2, 8))
        varied = [
            lab.Half(
                same,
                {cell: np.column_stack([of, np.ones((8, 2))]) for cell, of in zip(same, half, strict=True)},
            )
            for half in h2_s
        ]
        for place, halves in enumerate(([alike, alike], varied)):
            found = lab.judgement("cubic", list(same), halves, seed, drawn_cells=False).regret[LEARNED]
            covered[place] += found.low <= 0.5 <= found.high

    assert min(covered) > 170


def test_noise_of_blocks_is_nobody_s_regret() -> None:
    """Of 400 cells in which both protocols take equally long, always h2 regrets nothing on average: within
    four standard errors, which a right one leaves once in 16 000 times."""
    rng = np.random.default_rng(1)
    regrets = []
    for _ in range(400):
        pairs = [(float(h2), float(h3)) for h2, h3 in np.exp(0.2 * rng.standard_normal((4, 2)))]
        means = lab.judging(pairs).mean(axis=0)
        regrets.append(lab.regrets({"always-h2": 0.0}, *means)["always-h2"])

    assert abs(np.mean(regrets)) < 4 * np.std(regrets) / 20


def test_every_second_block_teaches_and_the_others_judge() -> None:
    pairs = [(float(place), 1.0) for place in range(5)]
    cell = MeasuredCell("one", 20.0, 0.0, 10.0, {"cubic": pairs})

    assert cell.of_blocks(0).times["cubic"] + cell.of_blocks(1).times["cubic"] == [
        *pairs[0::2],
        *pairs[1::2],
    ]


def test_what_is_told_marks_what_is_above_the_bound() -> None:
    whole = {
        "clients": 2,
        "keys": 2,
        "requests": 3,
        "pinned": {"pinned_h2": None},
        "holdout": {"told": None, "truth": None, "groups": [1, 0, 0]},
        "table": {"capacity": 10, "keys": 2, "evicted": 0},
    }
    report = outcome.read(whole | {"segments": [a_segment(0.05, 0.1, 0.2).model_dump()]})
    judgements = bound.of_reports({"cubic": report})
    text = terminal.of_simulations({"cubic": {"population": report}}, judgements, a_policy(), 7)

    assert "above the bound" in text
    assert "Seed 7" in text
    assert "TCP with cubic: the bound does not hold." in text
    assert "Best fixed is always-h2, and ours has 50% of its regret" in text
    assert (
        "has only Alt-Svc, too. Beyond it: learned 5.00%, always-h2 10.00%; for these the bound does" in text
    )
    assert report.by("all")[0].better == "always-h2"

"""How much networks differ that look alike is told by a run in which some do."""

import math

import numpy as np
import pytest

from pronghorn.errors import InputError
from pronghorn.mapping.domain import Array, Point
from pronghorn.policy import between_clients as between
from pronghorn.policy.interval import Interval
from pronghorn.policy.measured import MeasuredCell

BLOCKS, NOISE = 8, 0.06


def nothing(control: str, point: Point) -> float:
    return 0.0 * len(control) * point.loss


def a_cell(
    name: str, rng: np.random.Generator, ratio: float, rtt_ms: float, rate_mbit: float
) -> MeasuredCell:
    pairs = [(2.0, 2.0 * math.exp(ratio + NOISE * rng.standard_normal())) for _ in range(BLOCKS)]
    return MeasuredCell(f"small/{name}", rtt_ms, 0.004, rate_mbit, {"cubic": pairs})


def a_run(sd: float, seed: int, *, slope: float = 0.0, groups: int = 3, each: int = 8) -> list[MeasuredCell]:
    """Places whose surface is wrong by a tenth on the whole, and at each of them networks that differ, the
    more the further the place is away (`further`)."""
    rng = np.random.default_rng(seed)
    found = []
    for place in range(groups):
        rtt_ms = 20.0 * 2.0**place
        wrong = 0.1 * rng.standard_normal()
        differs = math.hypot(sd, slope * further("cubic", Point(rtt_ms / 1e3, 0.004, 30e6)))
        for number in range(each):
            ratio = wrong + differs * rng.standard_normal()
            found.append(a_cell(f"{place} {number}", rng, ratio, rtt_ms, 30.0 + 0.1 * number))
    return found


def further(control: str, point: Point) -> float:
    """A surface on which h3 saves the more, the further away a network is: 0, −0.4, −0.8."""
    return nothing(control, point) - 0.4 * math.log2(point.rtt_s / 0.020)


def covered(found: list[Interval], true: float) -> int:
    return sum(one.low <= true <= one.high for one in found)


def test_the_interval_covers_the_true_difference_as_often_as_it_promises() -> None:
    """Of 100 intervals of 95 % fewer than 87 cover once in a thousand times (binomial)."""
    true = 0.12
    found = [between.of_cells(a_run(true, seed), nothing)["cubic"] for seed in range(100)]

    assert all(one.slope is None for one in found)
    assert covered([one.sd for one in found], true) >= 87
    squares = np.array([one.sd.value**2 for one in found])
    error = squares.std(ddof=1) / math.sqrt(len(squares))
    assert abs(squares.mean() - true**2) < 4 * error


def test_so_does_that_of_what_the_ratio_adds_and_of_what_is_left_without_it() -> None:
    """As above, for each of the two."""
    sd, slope = 0.06, 0.25
    runs = [a_run(sd, seed, slope=slope) for seed in range(100)]
    found = [between.of_cells(run, further)["cubic"] for run in runs]

    slopes = [one.slope for one in found if one.slope]
    assert len(slopes) == 100
    assert covered(slopes, slope) >= 87
    assert covered([one.sd for one in found], sd) >= 87
    assert np.median([one.value for one in slopes]) == pytest.approx(slope, abs=0.03)


def test_a_difference_that_is_the_same_everywhere_is_not_taken_for_one_that_grows() -> None:
    found = [between.of_cells(a_run(0.12, seed), further)["cubic"] for seed in range(20)]

    assert sum(one.slope is not None and one.slope.low == 0.0 for one in found) >= 16


def test_places_of_about_one_ratio_tell_no_slope() -> None:
    found = between.of_cells(a_run(0.1, seed=3), lambda control, point: 0.5 + 0.3 * further(control, point))
    assert found["cubic"].slope is None
    assert found["cubic"].between() == (found["cubic"].sd.value, 0.0)


def test_networks_that_do_not_differ_beyond_their_noise_have_an_interval_down_to_nothing() -> None:
    found = [between.of_cells(a_run(0.0, seed), nothing)["cubic"] for seed in range(20)]

    assert sum(one.sd.low == 0.0 for one in found) >= 16
    assert max(one.sd.value for one in found) < NOISE


def test_what_a_surface_gets_wrong_for_all_of_a_place_is_no_difference_between_its_networks() -> None:
    run = a_run(0.1, seed=3)
    right = between.of_cells(run, nothing)["cubic"]
    wrong = between.of_cells(run, lambda control, point: 5.0 * point.rtt_s + 0.0 * len(control))["cubic"]

    assert wrong.sd.value == pytest.approx(right.sd.value, rel=0.02)


def test_a_path_that_looks_like_no_other_says_nothing() -> None:
    rng = np.random.default_rng(1)
    run = a_run(0.1, seed=3)
    lonely = a_cell("lonely", rng, 2.0, 300.0, 1.0)

    with_it, without = (between.of_cells(cells, nothing)["cubic"] for cells in ([*run, lonely], run))
    assert (with_it.cells, with_it.groups) == (without.cells, without.groups) == (24, 3)
    assert with_it.sd == without.sd


def test_other_sites_are_not_alike_on_equal_networks() -> None:
    run = [cell._replace(name=f"{place}/same") for place, cell in enumerate(a_run(0.1, seed=3))]

    with pytest.raises(InputError, match="no two of the run's paths"):
        between.of_cells(run, nothing)


def test_several_controls_count_by_the_cells_that_they_have_to_spare() -> None:
    def of(value: float) -> Interval:
        return Interval(value, 0.0, 1.0)

    many = between.Spread(cells=24, groups=3, sd=of(0.1), slope=of(0.3))
    few = between.Spread(cells=4, groups=3, sd=of(0.2), slope=None)

    assert between.pooled([many, few]) == pytest.approx((math.sqrt((21 * 0.01 + 1 * 0.04) / 22), 0.3))


def test_what_few_cells_cannot_bound_has_no_end() -> None:
    run = [
        one for one in a_run(0.06, 1, slope=0.25) if one.name.endswith((" 0", " 1")) and "/1 " not in one.name
    ]
    (found,) = between.of_cells(run, further).values()

    assert found.slope is not None
    assert (found.cells, found.groups, found.slope.high) == (4, 2, math.inf)


def test_noise_that_is_known_is_taken_out() -> None:
    distances: Array = np.array([0.3, -0.3, 0.3, -0.3, 0.3, -0.3])

    exact, noisy = (
        between.spread(distances, np.full(6, variance), [0] * 6, np.zeros(6)).sd.value
        for variance in (1e-9, 0.05)
    )
    assert exact == pytest.approx(math.sqrt(6 * 0.09 / 5), rel=1e-3)
    assert noisy**2 == pytest.approx(exact**2 - 0.05, rel=1e-3)

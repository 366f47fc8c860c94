"""Policies are judged on points that their fit did not see."""

import math
from pathlib import Path

import numpy as np
import pytest

from pronghorn.errors import InputError
from pronghorn.mapping import design
from pronghorn.mapping.domain import Array, Point
from pronghorn.mapping.surface import fit as fit_surface
from pronghorn.policy import fit, halves, maps, unseen
from pronghorn.policy.halves import Half
from pronghorn.policy.maps import SeenMap
from pronghorn.policy.measured import MeasuredCell

from . import made_maps
from .made_maps import BLOCK_SD, DOMAIN


def rough(places: Array) -> Array:
    """A slope with ridges that a map of few points can't follow."""
    return np.asarray(made_maps.slope(places) + 0.2 * np.sin(40 * places.sum(axis=1)))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> SeenMap:
    return maps.read(made_maps.write(tmp_path_factory.mktemp("maps") / "one"))


@pytest.fixture(scope="module")
def both(seen: SeenMap) -> tuple[Half, Half]:
    return halves.halves([seen], {})


def test_what_was_measured_of_like_networks_counts_in_both_halves(seen: SeenMap) -> None:
    like = [
        MeasuredCell(f"small/{place}", 60.0, 0.004, 30.0, {"cubic": [(1.0, ratio), (1.0, 1.02 * ratio)]})
        for place, ratio in enumerate((0.8, 0.9, 1.0))
    ]
    for half in halves.halves([seen], {}, like):
        assert half.policy.noise.alike["cubic"].cells == 3


def test_each_point_is_judged_by_a_policy_that_did_not_see_it(seen: SeenMap, both: tuple[Half, Half]) -> None:
    judged = [one.point for half in both for left in half.left_out for one in left.observations]
    assert sorted(judged) == sorted(one.point for one in seen.observations)
    first, second = both
    assert {one.point for one in first.left_out[0].observations}.isdisjoint(
        one.point for one in second.left_out[0].observations
    )
    assert f"{seen.trials // 2} trials" in first.policy.about


def test_equal_maps_have_equal_halves(seen: SeenMap, both: tuple[Half, Half]) -> None:
    again = halves.halves([seen], {})
    assert again[0].left_out == both[0].left_out
    assert np.array_equal(again[0].policy.priors[0].mean, both[0].policy.priors[0].mean)


def test_the_error_on_unseen_points_is_that_of_the_surface_against_the_truth(
    seen: SeenMap, both: tuple[Half, Half]
) -> None:
    error = halves.errors(both)["cubic"]

    squares = []
    for half in both:
        (prior,) = half.policy.priors
        points = [one.point for one in half.left_out[0].observations]
        true = made_maps.slope(np.array([DOMAIN.unit(point) for point in points]))
        foretold = [fit.at(half.policy.nodes, prior, point) for point in points]
        squares += list((true - np.array(foretold)) ** 2)
    assert error.points == len(seen.observations)
    assert error.low <= math.sqrt(float(np.mean(squares))) <= error.high


def test_a_surface_at_its_nodes_is_what_it_says_there_and_beyond_the_ends_the_end(
    both: tuple[Half, Half],
) -> None:
    policy = both[0].policy
    (prior,), nodes = policy.priors, policy.nodes

    for place in np.ndindex(*prior.mean.shape):
        point = Point(*(axis[index] for axis, index in zip(nodes, place, strict=True)))
        assert fit.at(nodes, prior, point) == pytest.approx(prior.mean[place])
    far = Point(10.0, 0.9, 1e12)
    assert fit.at(nodes, prior, far) == pytest.approx(prior.mean[-1, -1, -1])


def test_a_surface_that_cannot_follow_its_map_says_so_by_its_left_out_points(tmp_path: Path) -> None:
    smooth = maps.read(made_maps.write(tmp_path / "smooth"))
    ridged = maps.read(made_maps.write(tmp_path / "ridged", rough))

    def sd(one: SeenMap) -> float:
        return unseen.surface_sd(one, fit_surface(design.data_of(one.domain, one.observations)))

    assert sd(smooth) < 0.05
    assert sd(ridged) == pytest.approx(0.2 / math.sqrt(2), rel=0.35)


def test_left_out_points_are_foretold_by_all_others_and_by_nothing_else(seen: SeenMap) -> None:
    theta = fit_surface(design.data_of(seen.domain, seen.observations))
    found = unseen.left_out(seen, theta)

    assert found.points == len(seen.observations)
    assert found.low < found.sd < found.high < 3 * BLOCK_SD


def test_noise_of_blocks_is_no_error_of_the_surface() -> None:
    rng = np.random.default_rng(1)
    distances = 0.05 * rng.standard_normal(4000) + 0.2 * rng.standard_normal(4000)

    found = unseen.of_distances(distances, np.full(4000, 0.04))
    assert found.low <= 0.05 <= found.high


def test_a_failed_load_is_the_worst_outcome_and_two_of_them_none(seen: SeenMap) -> None:
    pairs = ((1.0, None), (None, 2.0), (None, None), (1.0, 3.0))
    changed = seen._replace(loads=(pairs, *seen.loads[1:]))

    assert halves.cells(changed)[0].times == {"cubic": [(1.0, 4.0), (8.0, 2.0), (1.0, 3.0)]}


def test_a_map_of_few_points_has_no_half_to_judge_by(seen: SeenMap) -> None:
    with pytest.raises(InputError, match="half of its points are 5 that count"):
        halves.halves([seen.only(range(10))], {})

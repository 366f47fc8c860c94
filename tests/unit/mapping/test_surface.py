"""The Gaussian process against what can be worked out by hand."""

import numpy as np
import pytest

from pronghorn.mapping import posterior
from pronghorn.mapping.noise import UNKNOWN_VARIANCE, block_variances
from pronghorn.mapping.surface import CENTRE, OFFSET_SD, Data, Surface, fit, objective


def some_data(n: int = 12) -> Data:
    rng = np.random.default_rng(5)
    places = rng.uniform(size=(n, 3))
    means = 0.3 * places[:, 0] - 0.2 * places[:, 1] ** 2 + 0.01 * rng.standard_normal(n)
    return Data(places, means, np.full(n, 1e-4))


def test_the_gradient_is_that_of_the_objective() -> None:
    data, theta, step = some_data(), CENTRE + np.array([0.2, -0.3, 0.1, 0.4, -0.5]), 1e-6
    slopes = [
        (objective(theta + step * one, data)[0] - objective(theta - step * one, data)[0]) / (2 * step)
        for one in np.eye(5)
    ]

    assert objective(theta, data)[1] == pytest.approx(slopes, rel=1e-4, abs=1e-4)


def test_one_observation_moves_the_surface_by_the_share_of_variance_that_is_not_noise() -> None:
    data = Data(np.full((1, 3), 0.5), np.array([0.2]), np.array([0.01]))
    variance = OFFSET_SD**2 + np.exp(2 * CENTRE[3])
    whole = variance + 0.01 + np.exp(2 * CENTRE[4])

    mean, covariance = Surface(data, CENTRE).at(data.places)

    assert mean[0] == pytest.approx(0.2 * variance / whole)
    assert covariance[0, 0] == pytest.approx(variance - variance**2 / whole)


def test_a_left_out_observation_is_foretold_as_by_a_surface_without_it() -> None:
    data = some_data()
    theta = fit(data)
    others = Data(data.places[1:], data.means[1:], data.variances[1:])
    mean, covariance = Surface(others, theta).at(data.places[:1])
    spread = np.sqrt(covariance[0, 0] + data.variances[0] + np.exp(2 * theta[4]))

    expected = (data.means[0] - mean[0]) / spread

    assert Surface(data, theta).left_out()[0] == pytest.approx(expected, rel=1e-6)


def test_draws_have_the_surfaces_mean_and_spread() -> None:
    data = some_data()
    theta, places = fit(data), np.array([[0.1, 0.9, 0.5], [0.5, 0.5, 0.5]])

    drawn = posterior.draws(data, np.tile(theta, (12, 1)), places, np.random.default_rng(1))

    mean, covariance = Surface(data, theta).at(places)
    # A mean of 2400 draws is off by four standard errors once in 16 000 times, a standard deviation likewise.
    assert np.abs(drawn.mean(axis=0) - mean) == pytest.approx(0, abs=4 * np.sqrt(covariance.max() / 2400))
    assert drawn.std(axis=0) == pytest.approx(np.sqrt(np.diag(covariance)), rel=0.06)


def test_parameters_that_are_drawn_lie_about_the_best_ones() -> None:
    data = some_data(30)
    mode = fit(data)

    drawn = posterior.parameters(data, mode, np.random.default_rng(1))

    assert drawn.shape == (posterior.PARAMETERS, 5)
    assert np.all(np.abs(drawn - mode) < 5)


def test_noise_is_judged_by_the_neighbours() -> None:
    rng = np.random.default_rng(3)
    places = np.array([[x, 0.5, 0.5] for x in np.linspace(0, 1, 40)])
    blocks = [list(rng.normal(0, 0.02 if place[0] < 0.5 else 0.2, size=3)) for place in places]

    low, high = np.sqrt(block_variances(np.array([[0.0, 0.5, 0.5], [1.0, 0.5, 0.5]]), places, blocks))

    assert low < 0.07
    assert 0.13 < high < 0.28


def test_without_a_second_block_anywhere_the_noise_is_taken_to_be_large() -> None:
    place = np.zeros((1, 3))

    assert block_variances(place, place, [[0.1]]) == pytest.approx(UNKNOWN_VARIANCE)

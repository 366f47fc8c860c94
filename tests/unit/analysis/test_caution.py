"""Means of skewed times in few blocks are flagged."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from pronghorn.analysis.caution import kurtosis, of_means, skewness


def test_the_skewness_is_fisher_s() -> None:
    assert skewness(np.array([1.0, 2.0, 3.0])) == 0
    assert skewness(np.array([0.0, 0.0, 0.0, 1.0])) == pytest.approx(2 / math.sqrt(3))
    assert skewness(np.full(5, 0.1)) == 0


def test_one_stall_among_a_dozen_is_named_with_the_blocks_that_it_takes() -> None:
    steady = np.linspace(1, 1.1, 12)
    stalled = np.append(steady[:11], 9.0)
    assert of_means({"h3": steady, "h2": steady}) is None
    said = of_means({"h3": stalled, "h2": steady})
    assert said == (
        "the mean's interval is not reliable: values as skewed as those of h3 (skewness 3.0) need 91 blocks"
    )


def test_heavy_tails_are_named_whatever_the_skewness() -> None:
    """Student's t of two degrees of freedom by its quantiles, as logarithms."""
    uniform = (np.arange(200) + 0.5) / 200
    logs = (2 * uniform - 1) / np.sqrt(2 * uniform * (1 - uniform))
    heavy, normal = np.exp(0.05 * logs), np.exp(0.05 * norm.ppf(uniform))
    assert kurtosis(logs) > 8
    assert abs(kurtosis(norm.ppf(uniform))) < 0.3
    assert of_means({"h3": normal, "h2": normal}) is None
    said = of_means({"h3": heavy, "h2": normal})
    assert said is not None
    assert "values with tails as heavy as those of h3 (excess kurtosis of the logarithms" in said


def test_failed_loads_have_no_mean_to_be_flagged() -> None:
    assert of_means({"h3": np.array([1.0, 2.0, 3.0, math.inf]), "h2": np.ones(4)}) is None

"""Medians, quantiles and means, by hand."""

import math

import numpy as np
import pytest

from pronghorn.analysis.figures import figures, median, nearest_rank, thin


def test_figures_of_ten_values() -> None:
    found = figures(np.arange(1.0, 11.0), with_mean=True)
    assert found.model_dump() == {
        "median": 5.5,
        "mean": 5.5,
        "p90": 9.0,
        "p99": 10.0,
        "min": 1.0,
        "max": 10.0,
    }


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (9, 9), (10, 9), (11, 10), (12, 11), (20, 18), (100, 90)])
def test_nearest_rank_of_p90(n: int, rank: int) -> None:
    assert nearest_rank(np.arange(1.0, n + 1), 0.9) == rank


@pytest.mark.parametrize(
    ("n", "marked"), [(0, []), (9, ["p90", "p99"]), (10, ["p99"]), (11, ["p99"]), (99, ["p99"]), (100, [])]
)
def test_quantiles_that_are_merely_the_maximum_are_marked(n: int, marked: list[str]) -> None:
    assert thin(n) == marked


def test_a_failure_is_the_worst_outcome() -> None:
    values = np.array([1.0, 2.0, 3.0, math.inf])
    found = figures(values, with_mean=False)
    assert (found.median, found.mean, found.min, found.max, found.p90) == (2.5, None, 1.0, None, None)
    assert median(np.array([1.0, math.inf])) == math.inf


def test_nothing_has_no_figures() -> None:
    assert figures(np.array([]), with_mean=True).median is None
    assert math.isnan(median(np.array([])))
    assert math.isnan(nearest_rank(np.array([]), 0.9))

"""An arm against itself is seldom told apart."""

from pathlib import Path

import pytest

from .same_arms import decided, most_decided, verdicts

pytestmark = pytest.mark.needs("namespaces")

SEEDS = (1, 2, 3)


def test_three_runs_of_the_same_arm_twice_do_not_all_decide(tmp_path: Path) -> None:
    found = verdicts(tmp_path, SEEDS, ["lte"], at_once=3)

    assert sum(decided(run["lte"]) for run in found) <= most_decided(len(SEEDS)), found

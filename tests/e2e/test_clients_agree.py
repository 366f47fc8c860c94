"""Chromium and the native loader rank the arms alike."""

from pathlib import Path

import pytest

from . import agreement
from .agreement import Ranked

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

BLOCKS = 6
"""The fewest with which a verdict can be had. Their intervals hold 93 % at least (docs/methodology.md): equal
arms are told apart in 7 % of comparisons at most, and two clients with that share contradict each other in
one of 400. So a contradiction counts where another run, with another seed, has it on the same path too: on
one of three paths chance brings that about in one of 50 000."""


def test_where_both_clients_decide_they_agree(tmp_path: Path) -> None:
    runs: list[list[Ranked]] = []
    contradicted = set(agreement.PATHS)
    for seed in (1, 2):
        ranked = agreement.rank(
            tmp_path / f"seed-{seed}", "page-15k", arms=("h2", "h3"), blocks=BLOCKS, seed=seed
        )
        assert [one.path for one in ranked] == list(agreement.PATHS)
        runs.append(ranked)
        contradicted &= {one.path for one in ranked if one.opposed}
        if not contradicted:
            return
    pytest.fail(f"the clients contradict each other on {', '.join(sorted(contradicted))}: {runs}")

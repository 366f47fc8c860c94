"""Chromium and the native loader rank the arms alike."""

from pathlib import Path

import pytest

from . import agreement
from .agreement import Ranked

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

BLOCKS = 6
"""The fewest with which a verdict can be had. Their intervals hold 93 % at least (docs/methodology.md): equal
arms are told apart in 7 % of comparisons at most, and two clients with that share contradict each other in
one of 400. So a contradiction counts where another run, with another seed, has it too: chance brings that
about in one of 160 000."""

PATH = "lte-poor"
"""Where the arms differ most. `make verify` has the other paths, and more blocks."""


def test_where_both_clients_decide_they_agree(tmp_path: Path) -> None:
    contradicting: list[list[Ranked]] = []
    for seed in (1, 2):
        folder = tmp_path / f"seed-{seed}"
        ranked = agreement.rank(
            folder, "page-15k", arms=("h2", "h3"), blocks=BLOCKS, paths=(PATH,), seed=seed
        )
        assert [one.path for one in ranked] == [PATH]
        if not ranked[0].opposed:
            return
        contradicting.append(ranked)
    pytest.fail(f"the clients contradict each other: {contradicting}")

"""Chromium and the native loader rank the arms alike."""

from pathlib import Path

import pytest

from . import agreement

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

BLOCKS = 6
"""The fewest with which a verdict can be had. Twelve tell equal arms apart in 3.5 % of comparisons at most
(docs/methodology.md); two clients with that share contradict each other in one of 1600."""


def test_where_both_clients_decide_they_agree(tmp_path: Path) -> None:
    ranked = agreement.rank(tmp_path, "page-15k", arms=("h2", "h3"), blocks=BLOCKS)

    assert [one.path for one in ranked] == list(agreement.PATHS)
    assert not [one for one in ranked if one.opposed], ranked

"""Twenty times `kill -9` leave nothing behind and cost no trial."""

from pathlib import Path

import pytest

from ..e2e.killing import kill_and_resume

pytestmark = pytest.mark.needs("namespaces")


def test_kill_9_at_twenty_random_moments(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, kills=20, blocks=300, seed=3)

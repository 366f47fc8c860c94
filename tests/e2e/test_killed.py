"""Nothing outlives a run, whatever ends it, and what was measured before is used after."""

import signal
from pathlib import Path

import pytest

from .killing import kill_and_resume

pytestmark = pytest.mark.needs("namespaces")


def test_kill_9_leaves_nothing_behind_and_costs_no_trial(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, kills=3, blocks=60, seed=1)


def test_ctrl_c_ends_in_order_leaves_nothing_behind_and_costs_no_trial(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, kills=1, blocks=60, seed=2, number=signal.SIGINT)

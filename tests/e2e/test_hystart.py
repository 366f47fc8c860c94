"""Jitter ends the slow start of the kernel's CUBIC early, and that is told. It needs the host for itself:
what else makes acknowledgements late is jitter too."""

import asyncio
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from . import pages
from .examined import beside, codes, examine, text
from .pages import Named
from .stages import Definition, Scene

pytestmark = pytest.mark.needs("engine", "namespaces")

JITTERY: Definition = {
    "down": {
        "rate": "50Mbit",
        "delay": "30ms",
        "jitter": "12ms",
        "queue": "1MB",
    },
    "up": {"rate": "50Mbit", "delay": "30ms", "queue": "1MB"},
}


def test_hystart_that_jitter_deceives_is_seen_in_the_flight(tmp_path: Path, identity: Certificates) -> None:
    pages.write(tmp_path / "site", [Named("large", "image", 3_000_000)])
    asked = Scene("h3", tmp_path / "site", identity, JITTERY, client="native", limit="60s")
    asked = asked._replace(artifacts=("flight",))
    found = asyncio.run(examine(beside(asked, "h2@cubic"), tmp_path / "run", times=5))
    assert "slow start ended without a loss in " in text(found, "slow-start-left-early")
    reno = asyncio.run(examine(beside(asked, "h2@reno"), tmp_path / "reno"))
    assert "slow-start-left-early" not in codes(reno)

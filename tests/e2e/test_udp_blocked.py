"""Where a network lets no UDP but DNS through, browsers that would come to HTTP/3 by themselves load all over
HTTP/2, and the run says so."""

from pathlib import Path

import pytest

from . import programme
from .programme import Run

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

FALLING_BACK = ("h3~altsvc", "h3~altsvc+resumed", "h3~https")
EXPERIMENT = f"""
sites = ["small"]
paths = ["firewalled"]
clients = ["chromium"]
arms = {["h2", *FALLING_BACK]!r}
repeat = 1
seed = 1

[path.firewalled]
down = {{ rate = "20Mbit", delay = "50ms", queue = "256kB", udp = "block" }}
up = {{ rate = "20Mbit", delay = "50ms", queue = "256kB", udp = "block" }}
"""
ATTEMPTS = 3
"""How often it is run where a busy host contaminates the one block."""


def test_arms_with_a_discovery_fall_back_to_h2_and_a_warning_tells_the_cost(tmp_path: Path) -> None:
    (tmp_path / "blocked.toml").write_text(EXPERIMENT, encoding="utf-8")

    for attempt in range(ATTEMPTS):
        result = programme.run("run", "blocked.toml", "--out", f"found-{attempt}", folder=tmp_path)
        assert result.status == 0, result.stderr
        run = Run(tmp_path / f"found-{attempt}")
        if run.summary().cells[0].blocks:
            break

    trials = {trial.arm: trial for trial in run.trials() if trial.status != "contaminated"}
    for arm in ("h2", *FALLING_BACK):
        trial = trials[arm]
        assert (trial.status, trial.detail) == ("ok", None)
        assert trial.page is not None
        assert [resource.protocol for resource in trial.page.resources] == ["h2"] * 21
        assert [request.protocol for request in trial.origin_log] == ["h2"] * 21
        assert trial.counters is not None and trial.counters.up is not None
        assert bool(trial.counters.up.udp_dropped) == (arm != "h2"), arm
    warned = [each["text"] for each in run.manifest()["warnings"] if each["code"] == "fallback"]
    assert len(warned) == len(FALLING_BACK)
    for arm, text in zip(FALLING_BACK, warned, strict=True):
        assert text.startswith(f"{arm} on small/firewalled/builtin/chromium (the path blocks UDP): 21 of 21")
        assert "times as long as h2's" in text

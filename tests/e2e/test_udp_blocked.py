"""Where a network lets no UDP but DNS through, browsers that would come to HTTP/3 by themselves load all over
HTTP/2, and the run says so."""

from pathlib import Path

import pytest

from . import programme

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

FALLING_BACK = ("h3~altsvc", "h3~altsvc+resumed", "h3~https")
ARMS = ("h2", *FALLING_BACK)
EXPERIMENT = f"""
sites = ["small"]
paths = ["firewalled"]
clients = ["chromium"]
arms = {list(ARMS)!r}
repeat = 1
seed = 1

[path.firewalled]
down = {{ rate = "20Mbit", delay = "50ms", queue = "256kB", udp = "block" }}
up = {{ rate = "20Mbit", delay = "50ms", queue = "256kB", udp = "block" }}
"""


def test_arms_with_a_discovery_fall_back_to_h2_and_a_warning_tells_the_cost(tmp_path: Path) -> None:
    (tmp_path / "blocked.toml").write_text(EXPERIMENT, encoding="utf-8")

    found = programme.load_every_arm("blocked.toml", arms=ARMS, folder=tmp_path, enough=programme.has_blocks)

    assert {trial.arm for trial in found.loads} == set(ARMS)
    for trial in found.loads:
        assert trial.page is not None
        assert (trial.page.outcome, trial.page.detail) == ("ok", None)
        assert [resource.protocol for resource in trial.page.resources] == ["h2"] * 21
        assert [request.protocol for request in trial.origin_log] == ["h2"] * 21
        if trial.status == "contaminated":
            continue
        assert trial.counters is not None and trial.counters.up is not None
        assert bool(trial.counters.up.udp_dropped) == (trial.arm != "h2"), trial.key
    if found.forgiven:
        # Every attempt at the block was contaminated, in every run: there was nothing to warn of.
        return
    warned = [each["text"] for each in found.run.manifest()["warnings"] if each["code"] == "fallback"]
    assert len(warned) == len(FALLING_BACK)
    for arm, text in zip(sorted(FALLING_BACK), sorted(warned), strict=True):
        assert text.startswith(f"{arm} on small/firewalled/builtin/chromium (the path blocks UDP): 21 of 21")
        assert "times as long as h2's" in text

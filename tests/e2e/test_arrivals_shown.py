"""A run's arrivals stand in its report, as handshakes and as a timeline, and agree with its client."""

from pathlib import Path

import pytest

from pronghorn.report.arrived import of_load
from pronghorn.report.ladder.rungs import ladder
from pronghorn.report.timeline.lanes import lanes

from . import programme

pytestmark = [pytest.mark.needs("engine", "guest"), pytest.mark.beside]

LOSSY = """
sites = ["small"]
paths = ["lossy"]
arms = ["h2", "h3"]
repeat = 1
seed = 3
artifacts = ["arrivals"]
clock = "virtual"

[path.lossy]
down = { rate = "50Mbit", delay = "10ms", loss = "3%", queue = "256kB" }
up = { rate = "50Mbit", delay = "10ms", queue = "256kB" }
"""
ROUND_TRIP_S = 0.02


def test_handshakes_and_the_timeline_of_a_lossy_load_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text(LOSSY, encoding="utf-8")
    found = programme.load_every_arm(
        "experiment.toml",
        arms=("h2", "h3"),
        folder=tmp_path,
        enough=programme.has_blocks,
    )
    run, report = found.run, found.run.report()
    assert '<details class="ladders">' in report
    assert '<details class="timeline">' in report
    assert 'class="lacking"' not in report
    assert "ServerHello" in report

    for trial in run.trials():
        if trial.status == "contaminated":
            continue
        seen, offset_s = of_load(run.directory, trial)
        phases = {one.name: one for one in ladder(seen, offset_s).phases}
        shook = ["QUIC"] if trial.arm == "h3" else ["TCP", "TLS"]
        assert list(phases) == [*shook, "request"]
        for phase in phases.values():
            assert phase.to_s - phase.from_s >= ROUND_TRIP_S
        # What the path saw lies between what the client did and what the client saw of it.
        assert trial.page is not None
        assert trial.page.load_s is not None
        first = trial.page.connections[0]
        assert (first.start_s or 0.0) <= phases[shook[0]].from_s
        assert phases["request"].to_s <= trial.page.load_s
        if trial.arm == "h2":
            assert first.connected_s is not None
            assert phases["TCP"].to_s <= first.connected_s
        # The timeline's lanes wait as long as the trial's record says.
        assert trial.why is not None
        assert trial.why.head_of_line is not None
        drawn = lanes(seen, offset_s)
        told = trial.why.head_of_line
        assert sum(lane.others_s for lane in drawn) == pytest.approx(told.stalled_s, abs=1e-6)
        assert sum(lane.own_s for lane in drawn) == pytest.approx(told.own_stalled_s, abs=1e-6)
        assert sum(lane.others_byte_s for lane in drawn) == pytest.approx(told.byte_seconds, abs=1e-3)

    again = programme.run("report", str(run.directory), folder=tmp_path)
    assert again.status == 0, again.stderr
    assert run.report() == report

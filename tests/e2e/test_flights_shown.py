"""A run's flights stand in its report, and a browser's loads lie on their axis."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from pronghorn import sites
from pronghorn.certificates import Certificates
from pronghorn.model.flight import Flight

from . import experiments, programme, reading, stages
from .stages import FAR, Scene

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

ONE_WAY_S = 0.05
"""Of the path `FAR`."""


@pytest.mark.needs("chromium")
def test_the_report_overlays_what_the_arms_connections_did_for_everybody_to_read(tmp_path: Path) -> None:
    experiments.write(tmp_path, arms=["h1", "h2", "h3"], repeat=1, sites=["small"])
    run = programme.load_every_arm(
        *("experiment.toml", "--set", 'artifacts=["flight"]'),
        arms=("h1", "h2", "h3"),
        folder=tmp_path,
        enough=programme.has_blocks,
    ).run
    report = run.report()
    assert "what the server's connections did over time" in report
    # How many connections a browser opens over HTTP/1.1 depends on how soon its answers come.
    for stack in ("connections?: cubic of linux", "1 connection: cubic of quinn-proto"):
        assert re.search(stack, report.replace("\u00a0", " ")), stack
    file = run.directory / "report.html"
    with reading.reader() as reader, reader.opened(file, width=reading.PHONE) as page:
        reading.unfold(page)
        assert reading.faults(page) == []

    for trial in run.trials():
        (run.directory / trial.artifacts["flight"]).unlink()
    again = programme.run("report", str(run.directory), folder=tmp_path)
    assert again.status == 0, again.stderr
    assert "flight.json can&#39;t be read: no such file" in run.report()


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("arm", ["h2", "h3"])
def test_chromiums_load_lies_on_the_flights_axis(arm: str, identity: Certificates, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    sites.build("small", 1, tmp_path / "site")
    scene = Scene(arm, tmp_path / "site", identity, path=FAR, artifacts=("flight",))
    (found,), _ = asyncio.run(stages.load(scene, tmp_path / "stage"))
    assert (found.page.outcome, found.page.detail) == ("ok", None)
    assert found.page.started_monotonic_s is not None
    assert found.page.load_s is not None
    written = json.loads((tmp_path / "stage/artifacts/flight.json").read_text(encoding="utf-8"))
    flight = Flight.model_validate(written)
    offset_s = flight.clock_base_monotonic_s - found.page.started_monotonic_s
    seen_s = [one.samples.at_s[0] + offset_s for one in flight.connections if one.host == "server"]
    assert seen_s
    assert ONE_WAY_S - found.page.ahead_s <= min(seen_s) < found.page.load_s


def test_no_round_trip_is_told_before_one_was_measured(identity: Certificates, tmp_path: Path) -> None:
    """With early data the origin's end is looked at a round trip before its first acknowledgement."""
    (tmp_path / "site").mkdir()
    sites.build("small", 1, tmp_path / "site")
    scene = Scene("h3+0rtt", tmp_path / "site", identity, path=FAR, client="native", artifacts=("flight",))
    (found,), _ = asyncio.run(stages.load(scene, tmp_path / "stage"))
    assert found.page.outcome == "ok", found.page.detail
    written = json.loads((tmp_path / "stage/artifacts/flight.json").read_text(encoding="utf-8"))
    [server] = [one["samples"] for one in written["connections"] if one["host"] == "server"]
    for column in ("srtt_s", "min_rtt_s"):
        told = [value for value in server[column] if value is not None]
        assert told
        assert all(value >= 2 * ONE_WAY_S for value in told)
        assert all(
            value is None
            for value, acked in zip(server[column], server["acked_bytes"], strict=True)
            if acked == 0
        )

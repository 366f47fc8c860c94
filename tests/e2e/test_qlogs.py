"""The qlogs of a load are as the drafts of qlog 0.3 define them, on both ends."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from ..qlog_schema import Event, validated
from . import pages, stages
from .pages import Named
from .stages import Scene

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

NAMED = [Named("large", "image", 600_000)]
ROUND_TRIP_MS = 40
LOSSY: stages.Definition = {
    "down": {"rate": "8Mbit", "delay": "20ms", "queue": "60kB", "loss": "3%"},
    "up": {"rate": "8Mbit", "delay": "20ms", "queue": "60kB"},
}
"""Of some 420 packets, at least one is lost but for one time in 300 000."""


@pytest.mark.parametrize(
    ("arm", "files"),
    [
        ("h3", {"client-0": "client", "server-0": "server"}),
        ("h3@bbr+0rtt", {"client-0": "client", "server-0": "server", "server-1": "server"}),
    ],
)
def test_each_qlog_of_a_load_is_as_the_drafts_define_it(
    arm: str, files: dict[str, str], identity: Certificates, tmp_path: Path
) -> None:
    pages.write(tmp_path / "site", NAMED)
    scene = Scene(arm, tmp_path / "site", identity, path=LOSSY, client="native", artifacts=("qlog",))
    (found,), _ = asyncio.run(stages.load(scene, tmp_path / "stage"))
    assert found.page.outcome == "ok", found.page.detail
    written = {file.stem: file.read_bytes() for file in (tmp_path / "stage/artifacts/qlog").iterdir()}
    assert set(written) == set(files)
    qlogs = {name: validated(content) for name, content in written.items()}
    for name, end in files.items():
        vantage_point = qlogs[name].header.trace.vantage_point
        assert vantage_point is not None
        assert vantage_point.type == end

    measured = qlogs[max(name for name, end in files.items() if end == "server")].events
    names = Counter(event.name for event in measured)
    assert names["recovery:packet_lost"] > 0
    assert sum(of("raw", "length", measured)) > NAMED[0].size
    assert min(of("smoothed_rtt", None, measured)) >= ROUND_TRIP_MS
    types = {event.data["header"]["packet_type"] for event in measured if "header" in event.data}
    assert {"initial", "1RTT"} <= types
    assert ("0RTT" in types) == arm.endswith("+0rtt")


def of(member: str, inner: str | None, events: list[Event]) -> list[float]:
    """The numbers that events have of a member of their data, or of a member of that."""
    values = [event.data[member] for event in events if member in event.data]
    return [float(value if inner is None else value[inner]) for value in values]

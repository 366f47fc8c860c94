"""What Chromium leaves beside the journal: HAR, NetLog, screenshot and filmstrip."""

import asyncio
import json
from pathlib import Path

import pytest

from pronghorn import sites
from pronghorn.certificates import Certificates
from pronghorn.execute.stage import Measurement

from .stages import FAR, Scene, load

pytestmark = [pytest.mark.needs("namespaces", "chromium"), pytest.mark.beside]

ARTIFACTS = ("har", "netlog", "screenshot", "filmstrip")
PNG = b"\x89PNG\r\n\x1a\n"
PHASES = {"blocked", "dns", "connect", "send", "wait", "receive", "ssl"}
REQUESTS = 21
TRIES = 3
ROUNDING_S = 1e-9


@pytest.fixture(scope="module")
def left(identity: Certificates, tmp_path_factory: pytest.TempPathFactory) -> tuple[Measurement, Path]:
    """A load of the site `small` over h2, and the folder of its artifacts: the first of a few that was seen
    as it came, since a crowded host may draw nothing before the page is there, or tell of it too late."""
    root = tmp_path_factory.mktemp("small")
    sites.build("small", 1, root)
    for _ in range(TRIES):
        folder = tmp_path_factory.mktemp("left")
        (found,), _ = asyncio.run(load(Scene("h2", root, identity, path=FAR, artifacts=ARTIFACTS), folder))
        assert (found.page.outcome, found.page.detail) == ("ok", None)
        if seen_as_it_came(found, folder / "artifacts"):
            break
    return found, folder / "artifacts"


def seen_as_it_came(found: Measurement, folder: Path) -> bool:
    """Whether the filmstrip begins before the page does, and the page's paints were told."""
    frames = json.loads((folder / "filmstrip.json").read_text(encoding="utf-8"))["frames"]
    vitals = found.page.model_dump()["vitals"]
    blank_first = len(frames) >= 2 and frames[0]["completeness"] == 0.0
    return blank_first and None not in (vitals["fcp_s"], vitals["lcp_s"])


def test_the_archive_is_har_1_2_and_tells_what_the_record_tells(left: tuple[Measurement, Path]) -> None:
    found, folder = left
    log = json.loads((folder / "load.har").read_text(encoding="utf-8"))["log"]

    assert log["version"] == "1.2"
    assert {"name", "version"} <= log["creator"].keys() & log["browser"].keys()
    (page,) = log["pages"]
    assert page["pageTimings"]["onLoad"] / 1e3 == pytest.approx(found.page.load_s)
    assert len(log["entries"]) == REQUESTS
    for entry, resource in zip(log["entries"], found.page.resources, strict=True):
        assert entry["pageref"] == page["id"]
        assert entry["startedDateTime"] >= page["startedDateTime"]
        request, response = entry["request"], entry["response"]
        assert (request["method"], request["url"]) == ("GET", f"https://origin.pronghorn.test{resource.path}")
        assert (response["status"], response["httpVersion"]) == (200, "h2")
        assert response["content"]["size"] == response["bodySize"] == resource.bytes
        assert {header["name"] for header in response["headers"]} >= {"content-length", "content-type"}
        assert entry["timings"].keys() == PHASES
        assert entry["time"] == pytest.approx(
            sum(entry["timings"][phase] for phase in PHASES - {"ssl"} if entry["timings"][phase] >= 0)
        )
        assert entry["cache"] == {}


def test_the_filmstrip_ends_complete_and_gives_the_speed_index(left: tuple[Measurement, Path]) -> None:
    found, folder = left
    strip = json.loads((folder / "filmstrip.json").read_text(encoding="utf-8"))
    frames = strip["frames"]

    assert len(frames) >= 2
    assert [frame["time_s"] for frame in frames] == sorted(frame["time_s"] for frame in frames)
    assert (frames[0]["completeness"], frames[-1]["completeness"]) == (0.0, 1.0)
    vitals = found.page.model_dump()["vitals"]
    assert vitals["speed_index_s"] == strip["speed_index_s"]
    assert 0 < strip["speed_index_s"] <= frames[-1]["time_s"] + ROUNDING_S
    assert 0 < vitals["fcp_s"] <= vitals["lcp_s"]


def test_screenshot_and_netlog_are_whole(left: tuple[Measurement, Path]) -> None:
    _, folder = left
    netlog = json.loads((folder / "netlog.json").read_text(encoding="utf-8"))

    assert (folder / "screenshot.png").read_bytes().startswith(PNG)
    assert netlog["events"]
    assert "HTTP2_SESSION" in netlog["constants"]["logEventTypes"]

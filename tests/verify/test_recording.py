"""A site of six hosts, recorded and replayed: each server answers what was recorded, over each protocol."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.model.replay_settings import ReplaySettings
from pronghorn.trust import misses

from ..e2e.replayed import Answers, Replayed
from . import made_site

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

POLL = "https://shop.example/poll"
UNRECORDABLE = {"/live", "/events"}
"""The WebSocket and the event stream."""

ONCE = Counter({("https://shop.example/twice", 304, 0): 1})
"""What servers that heed no conditions answer as they did without one (docs/replay.md)."""

AT_ONCE = {"replay": ReplaySettings(think="none")}
"""How fast the recorded server was on this machine is nothing to wait for."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `pronghorn record` has it."""
    folder = tmp_path_factory.mktemp("recording")
    identity = certificates.make(folder)
    with made_site.serving(identity) as port:
        where = ("--trust", str(identity.chain), "--resolve", f"*.example=127.0.0.1:{port}")
        words = ["record", made_site.PAGE, "--out", str(folder / "archive"), *where]
        done = subprocess.run(
            [sys.executable, "-m", "pronghorn", *words],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return folder / "archive"


@pytest.fixture(scope="module")
def replayed(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    return Replayed(archive, tmp_path_factory.mktemp("replayed"), often=(POLL,))


def test_all_that_it_has_is_recorded(replayed: Replayed) -> None:
    site, asked = replayed.archive.site, replayed.archive.exchanges
    assert set(site.hosts) == set(made_site.HOSTS)
    assert len({one.url for one in asked}) > 150
    assert {one.status for one in asked} == {200, 201, 204, 206, 301, 302, 303, 304, 307, 404}
    assert {one.method for one in asked} == {"GET", "HEAD", "OPTIONS", "POST", "PUT"}
    codings = {one.header("content-encoding") for one in asked}
    assert codings == {None, "br", "gzip", "zstd"}
    assert site.left_out["WebSocket"] == 1
    assert site.made.bodies == 0
    for one in asked:
        answer = made_site.ANSWERS.get(one.target.host + one.target.path.partition("?")[0])
        if answer is not None and (one.method, one.status) in (("GET", 200), ("POST", 201), ("GET", 404)):
            assert one.body is not None
            assert replayed.archive.body(one.body) == answer.body, one.url


@pytest.mark.parametrize(
    ("origin", "unheeded"),
    [
        ("builtin", Counter()),
        pytest.param("nginx", ONCE, marks=pytest.mark.needs("nginx")),
        pytest.param("caddy", ONCE, marks=pytest.mark.needs("caddy")),
        pytest.param("haproxy", ONCE, marks=pytest.mark.needs("haproxy", "nginx")),
    ],
)
def test_chromium_loads_from_each_server_what_was_recorded(
    replayed: Replayed, origin: str, unheeded: Answers, tmp_path: Path
) -> None:
    for arm, measured in replayed.loads("chromium", tmp_path, origin=origin, settings=AT_ONCE):
        assert measured.page.outcome == "ok", (arm, measured.page.detail)
        assert misses.fault(replayed.replay, measured.page, measured.log.requests, ()) is None
        assert {one.path for one in misses.of(measured.log.requests)} <= UNRECORDABLE
        loaded = replayed.loaded(measured)
        assert replayed.of_load() - loaded - unheeded == Counter(), arm
        answers = replayed.recorded() + Counter({("https://shop.example/twice", 200, 250): 1})
        assert loaded - (answers if unheeded else replayed.recorded()) == Counter(), arm


def test_the_native_client_asks_for_what_chromium_does(
    replayed: Replayed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Chromium goes on for a moment after the load event, at which the native client's load ends."""
    by_chromium = dict(replayed.loads("chromium", tmp_path / "chromium", settings=AT_ONCE))
    for arm, measured in replayed.loads("native", tmp_path / "native", settings=AT_ONCE):
        assert measured.page.outcome == "ok", (arm, measured.page.detail)
        native, other = replayed.loaded(measured), replayed.loaded(by_chromium[arm])
        apart = {"native alone": sorted(native - other), "Chromium alone": sorted(other - native)}
        load_s, other_s = measured.page.load_s, by_chromium[arm].page.load_s
        with capsys.disabled():
            print(f"\n{arm}: native {load_s:.2f} s, Chromium {other_s:.2f} s; {apart}", end="")
        assert (native - other).total() <= 0.01 * other.total(), apart
        late = replayed.recorded() - replayed.of_load()
        assert (other - native - late).total() <= 0.01 * other.total(), apart

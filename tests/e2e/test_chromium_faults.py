"""A browser that crashes or hangs in mid-load is a failed load with its reason, and nothing of it is left;
nothing of the browser's own travels across the path."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.execute.stage import Measurement

from . import programme, remains
from .benches import until
from .captures import Capture
from .pages import Named, write
from .stages import FAR, Scene, load, stage

pytestmark = [pytest.mark.needs("namespaces", "chromium"), pytest.mark.beside]

SLOW = {
    "down": {"rate": "1Mbit", "delay": "20ms", "queue": "1MB"},
    "up": {"rate": "1Mbit", "delay": "20ms", "queue": "1MB"},
}
MARK = "chromium-faults"

MID_LOAD_S = 3.0
"""When something happens to the browser: its page is under way even where its start took long."""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that takes 16 s over `SLOW`."""
    root = tmp_path_factory.mktemp("large") / "site"
    write(root, [Named("large", "script", 2_000_000)])
    return root


def struck(
    strike: Callable[[], None], root: Path, identity: Certificates, folder: Path, limit: str
) -> Measurement:
    """A load during which something happens to the browser."""

    async def one() -> Measurement:
        async with stage(Scene("h2", root, identity, path=SLOW, limit=limit), folder) as opened:
            loading = asyncio.create_task(opened.load(1))
            await asyncio.sleep(MID_LOAD_S)
            strike()
            found = await loading
            await opened.close()
            return found

    return asyncio.run(one())


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """A mark in the environment of whatever this test starts."""
    monkeypatch.setenv(programme.MARK, MARK)
    return MARK


def main_processes(mark: str) -> list[int]:
    """The browser itself, without its zygotes, renderers and services."""
    return [
        pid
        for pid, line in remains.descendants(mark).items()
        if "--remote-debugging-pipe" in line and "--type=" not in line
    ]


def renderers(mark: str) -> list[int]:
    """The browser's processes that draw pages. What they write over their command line hides the mark, so
    they are found from the browser on."""
    children: dict[int, list[int]] = {}
    for status in remains.PROC.glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            parent = next(line for line in status.read_text().splitlines() if line.startswith("PPid:"))
            children.setdefault(int(parent.split()[1]), []).append(int(status.parent.name))
    found, waiting = [], main_processes(mark)
    while waiting:
        waiting.extend(children.get(pid := waiting.pop(), []))
        with contextlib.suppress(OSError):
            if b"--type=renderer" in (remains.PROC / str(pid) / "cmdline").read_bytes():
                found.append(pid)
    return found


def assert_nothing_is_left(mark: str) -> None:
    """A process that was killed is there until its end is noticed."""
    asyncio.run(until("nothing is left", lambda: remains.descendants(mark) == {}))


def signal_all(pids: list[int], number: signal.Signals) -> None:
    """Sends a signal to processes that must be there."""
    assert pids
    for pid in pids:
        os.kill(pid, number)


@pytest.mark.parametrize("victims", [main_processes, renderers])
def test_a_crash_in_mid_load_fails_the_load_and_leaves_nothing(
    victims: Callable[[str], list[int]], mark: str, large: Path, identity: Certificates, tmp_path: Path
) -> None:
    found = struck(lambda: signal_all(victims(mark), signal.SIGKILL), large, identity, tmp_path, limit="60s")

    assert (found.page.outcome, found.page.reason) == ("failed", "browser")
    assert "crashed" in str(found.page.detail)
    assert_nothing_is_left(mark)


def test_a_hang_in_mid_load_fails_the_load_and_leaves_nothing(
    mark: str, large: Path, identity: Certificates, tmp_path: Path
) -> None:
    found = struck(
        lambda: signal_all(main_processes(mark), signal.SIGSTOP), large, identity, tmp_path, limit="6s"
    )

    assert (found.page.outcome, found.page.reason) == ("failed", "browser")
    assert "hung" in str(found.page.detail)
    assert_nothing_is_left(mark)


def test_a_load_that_takes_too_long_is_cut_at_its_limit(
    large: Path, identity: Certificates, tmp_path: Path
) -> None:
    (found,), _ = asyncio.run(load(Scene("h3", large, identity, path=SLOW, limit="5s"), tmp_path))

    assert (found.page.outcome, found.page.reason, found.page.load_s) == ("failed", "timeout", None)
    assert found.page.resources[0].status == 200


def test_a_load_without_any_answer_is_cut_at_its_limit_too(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    """Until a document has come, the browser holds back what its page is asked."""
    dead = {**FAR, "down": {**FAR["down"], "outage": {"at": "0s", "for": "1min"}}}
    (found,), _ = asyncio.run(load(Scene("h2", tiny, identity, path=dead, limit="5s"), tmp_path))

    assert (found.page.outcome, found.page.reason) == ("failed", "timeout"), found.page.detail
    [document] = found.page.resources
    assert (document.path, document.protocol, document.error) == ("/", None, None)
    assert document.start_s is not None and 0 <= document.start_s < 2.5


def test_where_udp_is_blocked_forced_h3_fails_to_connect(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    blocked = {**FAR, "down": {**FAR["down"], "udp": "block"}}
    (found,), _ = asyncio.run(load(Scene("h3", tiny, identity, path=blocked, limit="60s"), tmp_path))

    assert (found.page.outcome, found.page.reason) == ("failed", "connect")
    assert found.page.resources[0].protocol is None


@pytest.mark.needs("tshark")
@pytest.mark.parametrize(
    ("arm", "beside", "allowed"),
    [("h2", (), "tcp.port == 443"), ("h3~https", (), "tcp.port == 443 or udp.port == 443 or udp.port == 53")],
)
def test_nothing_of_the_browsers_own_is_on_the_path(
    arm: str, beside: tuple[str, ...], allowed: str, tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    scene = Scene(arm, tiny, identity, artifacts=("pcapng",), arms_beside=beside)

    async def idle_after_a_load() -> Measurement:
        async with stage(scene, tmp_path) as opened:
            found = await opened.load(1)
            await asyncio.sleep(3.0)
            await opened.close()
            return found

    found = asyncio.run(idle_after_a_load())
    home = tmp_path / "home"
    home.mkdir()
    capture = Capture(tmp_path / "artifacts" / "path.pcapng", home)

    assert found.page.outcome == "ok"
    assert capture.count(allowed) > 0
    assert capture.rows(f"not ({allowed})", "frame.number", "_ws.col.info") == []
    names = capture.values("dns", "dns.qry.name")
    assert names <= {"origin.pronghorn.test"}

"""What was planted on purpose lands in its own part of the load time, and bytes wait at the head of the line
only where something was lost."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pronghorn.model.arrivals import read
from pronghorn.model.trial import Trial
from pronghorn.model.why import Part

from . import pages
from .pages import Named
from .programme import Run, assert_ended, run

pytestmark = [pytest.mark.needs("engine", "guest"), pytest.mark.beside]

PATHS = """
[path.clean]
down = { rate = "50Mbit", delay = "20ms", queue = "1MB" }
up = { rate = "50Mbit", delay = "20ms", queue = "1MB" }

[path.deaf]
down = { rate = "50Mbit", delay = "20ms", queue = "1MB" }
up = { rate = "50Mbit", delay = "20ms", queue = "1MB", loss = { packets = [1, 2] } }

[path.holed]
down = { rate = "50Mbit", delay = "20ms", queue = "1MB", loss = { packets = [100] } }
up = { rate = "50Mbit", delay = "20ms", queue = "1MB" }
"""

STALL_S = 0.1

STALLING = f"""\
import asyncio, os

body = b"<!doctype html>" + b"x" * 5000
fields = [(b"content-type", b"text/html"), (b"content-length", str(len(body)).encode())]


async def app(scope, receive, send):
    if scope["type"] == "http":
        if scope["path"] == "/":
            await asyncio.sleep({STALL_S})
        await send({{"type": "http.response.start", "status": 200, "headers": fields}})
        await send({{"type": "http.response.body", "body": body}})
"""

ORIGIN = '''
[origins.stalling]
command = """exec hypercorn app:app --workers 0 \\
    --certfile "$PRONGHORN_CERTIFICATE" --keyfile "$PRONGHORN_KEY" \\
    --bind "$PRONGHORN_ADDRESS:$PRONGHORN_PORT" --quic-bind "$PRONGHORN_ADDRESS:$PRONGHORN_PORT" """
'''

_MOST_OTHER = 0.05


def _measured(folder: Path, text: str, *more: str) -> list[Trial]:
    """The trials that an experiment leaves, those on a crowded host too."""
    (folder / "experiment.toml").write_text(text, encoding="utf-8")
    out = folder / "out"
    asked = ("--set=attempts=1", "--jobs=1", *more)
    result = run("run", "experiment.toml", "--clock", "virtual", "--out", str(out), *asked, folder=folder)
    assert_ended(result)
    found = [one for one in Run(out).trials() if one.page is not None and one.page.load_s is not None]
    assert found
    return found


def _part(trial: Trial, part: Part) -> float:
    """The seconds of a part of a trial whose parts add up to its time and leave little over."""
    assert trial.why is not None
    assert trial.why.reason is None, trial.why.reason
    load_s = trial.metrics.load_s
    assert load_s is not None
    assert sum(trial.why.parts.values()) == pytest.approx(load_s, rel=0.02)
    assert trial.why.parts["other"] <= _MOST_OTHER * load_s, trial.why.parts
    return trial.why.parts[part]


def _experiment(paths: Sequence[str], arms: Sequence[str], more: str = "") -> str:
    lists = f"paths = {list(paths)!r}\narms = {list(arms)!r}\n"
    return f'sites = ["small"]\n{lists}repeat = 1\nseed = 1\n{more}{PATHS}'


def test_a_lost_first_packet_is_recovery_and_nothing_waits_where_nothing_was_lost(tmp_path: Path) -> None:
    """Two packets are lost, since QUIC's first flight has as many; TCP's second is the SYN again, which comes
    a second after the first, as the third does one or two seconds after it."""
    for trial in _measured(tmp_path, _experiment(["clean", "deaf"], ["h1", "h2", "h3"])):
        recovery_s = _part(trial, "recovery")
        assert trial.why is not None and trial.why.head_of_line is not None
        waits = trial.why.head_of_line
        assert waits.counted == 21
        if trial.cell.path == "clean":
            assert recovery_s == 0
            assert (waits.stalled_s, waits.byte_seconds) == (0, 0)
            assert (waits.own_stalled_s, waits.own_byte_seconds) == (0, 0)
        else:
            assert recovery_s >= (0.9 if trial.arm == "h3" else 1.9)


def test_a_lost_packet_makes_others_wait_as_long_as_a_hand_computes(tmp_path: Path) -> None:
    """Over h2 what the other streams' next bytes wait is the time from when they came until the lost packet's
    bytes did; over h3 its own stream's later bytes wait alone."""
    # Packet 100 is one of six images that are all on the way by then, on a slow host as well.
    pages.write(tmp_path / "site", [Named(f"large{number}", "image", 60_000) for number in range(6)])
    text = _experiment(["holed"], ["h2", "h3"]).replace('["small"]', '["dir:site"]')
    for trial in _measured(tmp_path, text, "--set", 'artifacts=["arrivals"]'):
        assert trial.why is not None and trial.why.head_of_line is not None
        (connection,) = read(tmp_path / "out" / trial.artifacts["arrivals"]).connections
        assert connection.packets.fate.count("loss") == 1
        pieces = connection.pieces
        lost = [place for place, fate in enumerate(pieces.first_fate) if fate == "loss"]
        told = {one.id: one for one in trial.why.head_of_line.streams}
        struck = set(pieces.stream[lost].tolist())
        for stream in {one.id for one in connection.streams}:
            # A packet may end one stream and begin another; over QUIC each is then sent again by itself.
            missed = [place for place in lost if pieces.stream[place] == stream] or lost
            repaired_s = pieces.arrived_s[missed].max()
            late = (pieces.packet > connection.packets.fate.index("loss")) & (pieces.arrived_s < repaired_s)
            waiting = pieces.arrived_s[late & (pieces.stream == stream)]
            by_hand_s = float(repaired_s - waiting.min()) if len(waiting) else 0.0
            others, own = (told[stream].stalled_s, told[stream].own_stalled_s) if stream in told else (0, 0)
            assert others == pytest.approx(by_hand_s * (trial.arm == "h2" and stream not in struck), abs=1e-3)
            assert own == pytest.approx(by_hand_s * (stream in struck), abs=1e-3)
        assert trial.why.head_of_line.stalled_s > 0 or trial.arm == "h3"
        assert trial.why.head_of_line.own_stalled_s > 0 or trial.arm == "h2"


def test_a_receiver_with_a_small_window_is_flow_control(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_bytes(b"<!doctype html>" + b"x" * 2_000_000)
    text = _experiment(["clean"], ["h2", "h3"], 'compression = "none"\n[knobs]\nstream_window = "64kB"\n')
    text = text.replace('["small"]', '["dir:site"]')
    for trial in _measured(tmp_path, text):
        flow_control_s = _part(trial, "flow_control")
        assert trial.why is not None
        assert flow_control_s == max(trial.why.parts.values()), trial.why


def test_a_server_that_stalls_is_the_servers_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "app.py").write_text(STALLING, encoding="utf-8")
    text = _experiment(["clean"], ["h1", "h2", "h3"], ORIGIN).replace('["small"]', '["tiny"]')
    for trial in _measured(tmp_path, text):
        assert trial.status != "failed", trial.detail
        assert _part(trial, "server") == pytest.approx(STALL_S, abs=0.5 * STALL_S)

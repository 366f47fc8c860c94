"""`pronghorn path`: any command behind a path, as a person starts it."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest

from . import programme, remains
from .benches import PROGRAMS
from .killing import assert_nothing_remains, wait_until
from .ordinary import ordinary_user
from .path_command import PYTHON, path, within

pytestmark = pytest.mark.needs("namespaces")

ECHO = f"{PYTHON} {PROGRAMS / 'udp_echo.py'}"
PINGS = f"{PYTHON} {PROGRAMS / 'udp_pings.py'}"
PORT = 4000
_STRUCK = """\
trap 'echo struck; over=yes' {signal}
touch ready
while [ -z "$over" ]; do sleep 0.1; done
sleep 0.5; echo once; exit 9
"""


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 7"], 7),
        (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
        (["sh", "-c", "kill -INT $$"], 130),
        (["no-such-program"], 127),
        ([str(PROGRAMS)], 126),
    ],
)
def test_the_exit_status_is_the_commands_as_in_a_shell(
    command: list[str], status: int, tmp_path: Path
) -> None:
    assert path("delay=1ms", "--", *command, folder=tmp_path).status == status


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["delai=1ms", "--", "true"], "did you mean 'delay'?"),
        (["delay=1ms"], "no COMMAND"),
        (["delay=1ms", "--"], "no COMMAND"),
        (["delay=1ms", "--server", "a 'b", "--", "true"], "--server"),
        (["delay=1ms", "--server", "no-such-program", "--", "true"], "no-such-program"),
        (["delay=1ms", "--json", "no/such/folder", "--", "true"], "no/such/folder"),
        (["delay=1ms", "--", ""], "no COMMAND"),
        (["delay=1ms", "--json", "one", "--graph", "./one", "--", "true"], "named twice"),
        (
            ["delay=1ms", "--capture", "/dev/null", "--", "true"],
            "/dev/null: this is a device or a pipe; a capture needs a file",
        ),
        (["down.trace=wrong.trace", "--", "true"], "wrong.trace, line 2: 5 after 10"),
        (["down.schedule=wrong.csv", "--", "true"], "wrong.csv, line 2: "),
        (["delay=1ms", "jitter=1ms", "jitter.table=empty", "--", "true"], "empty, line 1: "),
    ],
)
def test_bad_usage_is_one_message_and_exit_status_2(arguments: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.trace").write_text("10\n5\n")
    (tmp_path / "wrong.csv").write_text("time,rate\n0s,much\n")
    (tmp_path / "empty").touch()
    result = path(*arguments, folder=tmp_path)
    assert result.status == 2
    assert said in result.stderr
    assert len([line for line in result.stderr.splitlines() if not line.startswith("  ")]) == 1


def test_an_unknown_congestion_control_is_the_hosts_lack_and_names_what_there_is(tmp_path: Path) -> None:
    result = path("delay=1ms", "--cc", "none-such", "--", "true", folder=tmp_path)
    assert result.status == 3
    assert "reno" in result.stderr


def test_input_and_output_are_the_commands_and_counters_go_elsewhere(tmp_path: Path) -> None:
    started = subprocess.run(
        [*within("delay=1ms", "--json", "told.json", "--seed", "5", "--", "cat")],
        input="through\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=programme.environment(),
        timeout=60,
    )
    assert started.stdout == "through\n"
    assert "packets in" in started.stderr
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["seed"] == 5
    assert told["status"] == 0
    assert told["path"]["down"]["delay_ns"] == 1_000_000


def test_the_command_finds_the_far_sides_program_which_finds_it(tmp_path: Path) -> None:
    """Every round trip takes at least the path's, and both ends know both addresses."""
    server = f"sh -c 'echo $PRONGHORN_SERVER $PRONGHORN_CLIENT >&2; exec {ECHO} {PORT}'"
    command = f"echo $PRONGHORN_SERVER $PRONGHORN_CLIENT >&2; exec {PINGS} $PRONGHORN_SERVER {PORT} 5 0"
    result = path(
        "delay=15ms", "--json", "told.json", "--server", server, "--", "sh", "-c", command, folder=tmp_path
    )
    assert result.status == 0, result.stderr
    assert min(map(int, result.stdout.split())) >= 30_000_000
    told = json.loads((tmp_path / "told.json").read_text())
    assert result.stderr.count(f"{told['server_address']} {told['client_address']}\n") == 2
    assert told["counters"]["up"]["packets_out"] == 5
    assert told["counters"]["down"]["packets_out"] == 5


def test_a_far_sides_program_that_ends_early_is_told(tmp_path: Path) -> None:
    result = path("delay=1ms", "--server", "sh -c 'exit 4'", "--", "sleep", "3", folder=tmp_path)
    assert result.status == 0
    assert "ended early: exit status: 4" in result.stderr


def test_a_graph_is_drawn(tmp_path: Path) -> None:
    command = f"exec {PINGS} $PRONGHORN_SERVER {PORT} 20 0.01"
    result = path(
        *("delay=5ms", "rate=1Mbit", "--graph", "told.svg", "--server", f"{ECHO} {PORT}"),
        *("--", "sh", "-c", command),
        folder=tmp_path,
    )
    assert result.status == 0, result.stderr
    drawing = (tmp_path / "told.svg").read_text()
    assert drawing.startswith("<svg")
    assert all(name in drawing for name in ("throughput", "bottleneck", "dropped"))


def test_what_cannot_be_written_at_the_end_is_told_with_the_commands_status(tmp_path: Path) -> None:
    files = ("--json", "/dev/full", "--graph", "told.svg")
    result = path("delay=1ms", *files, "--", "sh", "-c", "exit 5", folder=tmp_path)
    assert result.status == 3
    assert "/dev/full: No space left on device. COMMAND had ended with status 5." in result.stderr
    assert (tmp_path / "told.svg").read_text().startswith("<svg")


@pytest.mark.needs("root")
def test_where_a_user_may_not_write_is_told_before_the_command_runs() -> None:
    with ordinary_user() as user:
        arguments = ("delay=1ms", "--json", "/etc/told.json", "--", "echo", "ran")
        result = user.run("path", *arguments, tun_mode="666")
    assert (result.status, result.stdout) == (2, "")
    assert "/etc/told.json: this file can't be written." in result.stderr


@pytest.mark.parametrize("streams", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full", "2> >(exec true)"])
def test_closed_and_full_streams_change_nothing_about_the_end(streams: str, tmp_path: Path) -> None:
    within_path = shlex.join(within("delay=1ms", "--json", "told", "--", "sh", "-c", "sleep 0.2; exit 7"))
    ended = subprocess.run(
        ["bash", "-c", f"{within_path} {streams}"], cwd=tmp_path, check=False, capture_output=True
    )
    assert ended.returncode == 7, ended.stderr
    assert json.loads((tmp_path / "told").read_text())["status"] == 7


def test_a_list_that_nobody_can_read_is_one_message_and_one_that_nobody_reads_none(tmp_path: Path) -> None:
    for stdout, status, said in (("/dev/full", 3, b"stdout can't be written"), (">(exec true)", 0, b"")):
        listed = f"{shlex.join(within('--list'))} > {stdout}"
        ended = subprocess.run(["bash", "-c", listed], cwd=tmp_path, check=False, stderr=subprocess.PIPE)
        assert (ended.returncode, said in ended.stderr) == (status, True), ended.stderr
        assert ended.stderr.count(b"\n") <= 1


def test_the_terminals_ctrl_c_reaches_the_command_once(tmp_path: Path) -> None:
    """As in a shell; the counters are printed all the same, and the status is the command's."""
    terminal, inside = os.openpty()
    process = subprocess.Popen(
        [*within("delay=1ms", "--", "sh", "-c", _STRUCK.format(signal="INT"))],
        stdin=inside,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=programme.environment(),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(inside)
    _wait_for(tmp_path / "ready")
    os.write(terminal, b"\x03")
    stdout, stderr = process.communicate(timeout=60)
    os.close(terminal)
    assert (process.returncode, stdout) == (9, "struck\nonce\n"), stderr
    assert "packets in" in stderr


def test_a_signal_to_the_program_is_passed_on_to_the_command(tmp_path: Path) -> None:
    started = programme.start(
        "path", "delay=1ms", "--", "sh", "-c", _STRUCK.format(signal="TERM"), folder=tmp_path
    )
    _wait_for(tmp_path / "ready")
    started.process.terminate()
    result = started.ended()
    assert (result.status, result.stdout) == (9, "struck\nonce\n"), result.stderr


def test_kill_9_leaves_nothing(tmp_path: Path) -> None:
    before = remains.held()
    inner = within("delay=1ms", "--server", "sleep 99", "--", "sh", "-c", "touch ready; sleep 99")
    started = programme.start("path", "delay=1ms", "--server", "sleep 99", "--", *inner, folder=tmp_path)
    _wait_for(tmp_path / "ready")
    namespaces = remains.network_namespaces(remains.descendants(started.mark))
    namespaces.discard(remains.own_network_namespace())
    assert len(namespaces) >= 4
    started.process.kill()
    started.ended()
    assert_nothing_remains(started, before, namespaces)


def test_nothing_outlives_the_command(tmp_path: Path) -> None:
    started = programme.start(
        *("path", "delay=1ms", "--server", "sleep 99", "--", "sh", "-c", "setsid sleep 99 & echo on"),
        folder=tmp_path,
    )
    result = started.ended()
    assert (result.status, result.stdout) == (0, "on\n")
    # A process that was killed is there until its end is noticed.
    wait_until(lambda: "nothing left", lambda: not remains.descendants(started.mark))


def _wait_for(file: Path) -> None:
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline, f"{file} does not come"
        time.sleep(0.02)

"""Secrets stay with their owner: TLS secrets of what is captured, and what stands in our environment."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from .path_command import path
from .programme import Started, environment, run, start
from .remains import descendants

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.beside]

KEEPING = 'echo secret >> "$SSLKEYLOGFILE"; echo "$SSLKEYLOGFILE"; exec sleep 600'
TIMES = 600
"""Looks at what goes away, a twentieth of a second apart."""


def capturing(folder: Path) -> tuple[Started, Path]:
    """A command behind a path that has left a secret, and the file in which it is."""
    one = start("path", "delay=1ms", "--capture", "x.pcapng", "--", "sh", "-c", KEEPING, folder=folder)
    assert one.process.stdout is not None
    kept = Path(one.process.stdout.readline().strip())
    assert kept.read_text(encoding="utf-8") == "secret\n"
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert not kept.is_relative_to(folder)
    return one, kept


def gone(file: Path) -> bool:
    """Waits until a file has gone."""
    for _ in range(TIMES):
        if not file.exists():
            return True
        time.sleep(0.05)
    return False


def test_kill_9_leaves_no_tls_secrets_behind(tmp_path: Path) -> None:
    one, kept = capturing(tmp_path)
    one.process.kill()
    one.process.communicate()
    assert gone(kept.parent.parent)
    assert list(tmp_path.iterdir()) == []


def test_what_was_killed_at_once_is_swept_by_the_next_start(tmp_path: Path) -> None:
    one, kept = capturing(tmp_path)
    while left := descendants(one.mark):
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    one.process.communicate()
    assert path("delay=1ms", "--quiet", "--", "true", folder=tmp_path).status == 0
    assert not kept.parent.parent.exists()


STACKS = """\
sites = ["tiny"]
paths = ["near"]
arms = ["h1"]
repeat = 1
attempts = 1

[clients.mine]
command = "env > client; exit 3"
env = ["MY_*"]

[origins.mine]
command = "env > origin; exit 4"

[origins.builtin]

[path.near]
down = { delay = "1ms" }
up = { delay = "1ms" }
"""


def test_commands_of_ones_own_get_a_short_list_of_variables_and_what_their_table_names(
    tmp_path: Path,
) -> None:
    (tmp_path / "own.toml").write_text(STACKS, encoding="utf-8")
    told = environment(GITHUB_TOKEN="t", MY_LEVEL="debug", SSLKEYLOGFILE=str(tmp_path / "keys"), TZ="UTC")
    run("run", "own.toml", "--out", "out", folder=tmp_path, env=told)
    client, origin = (
        dict(line.split("=", 1) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines())
        for name in ("client", "origin")
    )
    for found in (client, origin):
        assert found.keys().isdisjoint({"GITHUB_TOKEN", "PYTHONPATH"})
        assert found.get("SSLKEYLOGFILE") != told["SSLKEYLOGFILE"]
        assert found["TZ"] == "UTC"
        assert found["PATH"] == told["PATH"]
        assert found["PRONGHORN_PROTOCOL"] == "h1"
    assert client["MY_LEVEL"] == "debug"
    assert "MY_LEVEL" not in origin

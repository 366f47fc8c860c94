"""A signal before the program's work has begun."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pronghorn import command
from pronghorn.errors import Interrupted


def test_ctrl_c_while_modules_are_read_ends_the_program_in_silence(tmp_path: Path) -> None:
    struck = f"import os\nos.kill(os.getpid(), {signal.SIGINT:d})\n"
    (tmp_path / "typer.py").write_text(struck, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "pronghorn", "path"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        check=False,
        capture_output=True,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, b"", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_engine_before_its_command_is_an_interruption(number: signal.Signals) -> None:
    with pytest.raises(Interrupted) as raised:
        command._outcome(b"", 128 + number)
    assert raised.value.exit_status == 128 + number

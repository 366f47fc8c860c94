"""CPUs that never halt, while trials are measured. An idle CPU of a virtual machine is taken away and comes
back late: packets leave late, and much of the time counts as stolen, however little anybody uses."""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pronghorn.engine import locate
from pronghorn.errors import HostError

VARIABLE = "PRONGHORN_AWAKE"
"""Names the file with its CPU time, so that engines don't count it as another program's."""

HELP = "Keep the CPUs from idling while measuring: on virtual machines idle CPUs wake up late."


@contextlib.contextmanager
def keeping(wanted: bool) -> Iterator[None]:
    """Keeps this host's CPUs awake where that is `wanted`; HostError where it can't be."""
    if not wanted:
        yield
        return
    program = locate()
    with tempfile.TemporaryDirectory(prefix="pronghorn-awake-") as folder:
        notes = Path(folder) / "cpu"
        keeper = _start(program, notes)
        with keeper:
            try:
                assert keeper.stdout is not None and keeper.stderr is not None
                if keeper.stdout.readline() != "awake\n":
                    raise HostError(
                        f"--awake: {keeper.stderr.read().strip() or 'the CPUs can not be kept awake'}.",
                        hint="Leave out --awake.",
                    )
                os.environ[VARIABLE] = str(notes)
                yield
            finally:
                os.environ.pop(VARIABLE, None)
                # It ends when nobody holds this any more, be it that we were killed.
                assert keeper.stdin is not None
                keeper.stdin.close()


def kept() -> bool:
    """Whether the CPUs are kept awake now."""
    return VARIABLE in os.environ


def _start(program: Path, notes: Path) -> subprocess.Popen[str]:
    """In a process group of its own, so that the terminal's Ctrl-C ends trials first."""
    try:
        return subprocess.Popen(
            [program, "awake", notes],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise HostError(
            f"{program}: can't be run: {error.strerror}.", hint="Rebuild it with 'make build'."
        ) from error

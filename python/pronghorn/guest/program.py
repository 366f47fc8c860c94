"""One program in a guest of its own: with our streams, environment and folder."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from pronghorn.engine import EngineDied
from pronghorn.errors import PronghornError
from pronghorn.guest import machine
from pronghorn.guest.kernels import Kernel
from pronghorn.host import temporary_folders

_PR_SET_PDEATHSIG = 1
_TRIED_WITHIN_S = 60.0
"""Guests start in a tenth of a second."""


def run(kernel: Kernel, seed: int, argv: Sequence[str]) -> int:
    """Runs a program in a guest of its own, with our stdin, stdout, stderr, environment and folder; its exit
    status. The guest, its clock included, stands still while the program waits for its stdin, which is read
    from its beginning where it is a file. EngineDied where the guest breaks, HostError where it can't be
    run."""
    with _started(kernel, seed, argv, stdin=_reopenable(0)) as running:
        copying = [
            threading.Thread(target=_copied, args=(stream, descriptor))
            for stream, descriptor in ((running.process.stdout, 1), (running.process.stderr, 2))
        ]
        for thread in copying:
            thread.start()
        for thread in copying:
            thread.join()
        return running.status()


def output(kernel: Kernel, seed: int, argv: Sequence[str], *, within_s: float | None = None) -> bytes:
    """What a program says in a guest of its own, without a stdin. EngineDied where the guest breaks or takes
    longer than it may."""
    with _started(kernel, seed, argv, stdin=False) as running:
        try:
            said, _ = running.process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired as error:
            raise EngineDied(f"the guest did not end within {error.timeout:.0f} s") from error
        running.status()
        return said


def why_not(kernel: Kernel) -> str | None:
    """Why guests with that kernel don't start on this machine; None: they do."""
    try:
        output(kernel, 1, ["true"], within_s=_TRIED_WITHIN_S)
    except PronghornError as error:
        return error.message
    return None


class _Running(NamedTuple):
    """A guest with one program, and the file that takes its exit status."""

    process: subprocess.Popen[bytes]
    result: Path

    def status(self) -> int:
        """The program's, when the guest has ended."""
        ended = self.process.wait()
        told = self.result.read_text() if self.result.exists() else ""
        if not told.isdecimal():
            raise EngineDied(f"the guest broke (exit status {ended}){': ' if told else ''}{told}")
        return int(told)


@contextmanager
def _started(kernel: Kernel, seed: int, argv: Sequence[str], *, stdin: bool) -> Iterator[_Running]:
    """A guest with one program, which ends with the block."""
    with temporary_folders.held(None) as folder:
        asked, result = folder / "program.json", folder / "status"
        asked.write_text(
            json.dumps(
                {
                    "argv": list(argv),
                    "environment": {**machine.inside(os.environ), temporary_folders.IN_GUEST: "1"},
                    "directory": str(Path.cwd()),
                    "stdin": stdin,
                    "result": str(result),
                }
            ),
            encoding="utf-8",
        )
        here = machine.numbered(folder, machine.LEAST_NUMBER + 1)
        # Their ends are ours, so that a terminal stays as it is.
        consoles = ["con0=null", "con1=null,fd:1", "con2=null,fd:2", f"uml_dir={here.name}"]
        command = machine.command(kernel, consoles, ["run", f"{here.name}/{asked.name}"])
        try:
            process = subprocess.Popen(
                command,
                stdin=None if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=machine.environment(kernel, seed),
                pass_fds=(machine.engine().number, here.number),
                preexec_fn=_die_with_parent,
            )
        except OSError as error:
            raise machine.not_run(kernel, error) from error
        finally:
            os.close(here.number)
        try:
            yield _Running(process, result)
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()


def _copied(stream: IO[bytes] | None, descriptor: int) -> None:
    """Hands on what a stream gives to a descriptor of ours, until either ends."""
    if stream is None:
        return
    with contextlib.suppress(OSError):
        while piece := os.read(stream.fileno(), 65536):
            rest = memoryview(piece)
            while rest:
                rest = rest[os.write(descriptor, rest) :]


def _die_with_parent() -> None:
    """Has the kernel kill the calling process when the one that started it ends (prctl(2))."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _reopenable(descriptor: int) -> bool:
    """Whether a guest can open by itself what we have open there: not a socket, and nothing that is
    closed."""
    try:
        os.close(os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK))
    except OSError:
        return False
    return True

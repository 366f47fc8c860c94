"""An engine in a guest: started, spoken to over a terminal of its own, ended.

The guest reads a line by a call that stops all of it, so that it needs no CPU and its clock stands still
while it isn't asked (`crates/engine/src/guest.rs`)."""

import asyncio
import contextlib
import datetime
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import tty
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from pronghorn.engine import Engine, EngineDied, locate
from pronghorn.environment import passed_on
from pronghorn.errors import HostError
from pronghorn.guest.kernels import Kernel

EPOCH_NS = 1_767_225_600 * 10**9
"""When a guest starts by its own clock: the first of January 2026, UTC. What happens in it must not hang on
when it is run."""

MEMORY = "1536M"
"""What a guest may use; only what it does use is taken from the machine."""

_MEMORY_BYTES = 1536 * 2**20
_SHARED_MEMORY = Path("/dev/shm")
PREFIX = "pronghorn-work-"
"""Of temporary folders, which the next start sweeps where a killed one left them
(`host/temporary_folders.py`)."""

_SEED = "PRONGHORN_GUEST_SEED"
_TICKS_S = 1 / os.sysconf("SC_CLK_TCK")
_LINE_LIMIT = 64 * 2**20
_NOT_FOR_GUESTS = ("LD_PRELOAD", "TMPDIR", "PRONGHORN_AWAKE", "PRONGHORN_ISOLATION")

_FOLDER_NUMBER = 100
_NO_PLACES = ("con0=null,fd:2", "uml_dir=/dev/null")
"""Its console goes to stderr. Where it would note its number for programs that don't exist here there is no
folder, so that nothing is left behind."""

CAPABILITIES = "~0x4000000000000010"
"""What OpenSSL and its relatives are told of the CPU (OPENSSL_ia32cap(3)): that it has neither RDRAND nor a
time stamp counter. Either would give them random numbers that no seed settles."""


class Guest(Engine):
    """An engine in a guest of its own."""

    virtual = True

    @classmethod
    async def boot(
        cls, kernel: Kernel, seed: int, *, program: Path | None = None, starts_ns: int = EPOCH_NS
    ) -> Self:
        """Starts one with `kernel`, whose random numbers follow from `seed` and whose clock starts at
        `starts_ns`, in nanoseconds since 1970; HostError where it can't be run."""
        program = program or locate()
        ours, theirs = os.openpty()
        try:
            tty.setraw(theirs)
            try:
                process = await asyncio.create_subprocess_exec(
                    *_command(kernel, program, starts_ns=starts_ns),
                    stdin=theirs,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                    limit=_LINE_LIMIT,
                    start_new_session=True,
                    env=_environment(kernel, seed),
                )
            except OSError as error:
                raise _not_run(kernel, error) from error
            reading, answers, requests = await _streams(ours)
        except BaseException:
            os.close(ours)
            os.close(theirs)
            raise
        guest = cls(process, answers, requests)
        guest._theirs, guest._reading = theirs, reading
        guest._end = asyncio.create_task(guest._tell_end(answers))
        await guest._begin()
        return guest

    _theirs: int
    _reading: asyncio.BaseTransport
    _end: asyncio.Task[None]

    async def let_pass(self, seconds: float) -> None:
        """Lets that much of the guest's time pass."""
        await self.request("idle", for_s=seconds)

    def cpu_s(self) -> float | None:
        """The CPU time of the guest so far, of its kernel and all that runs in it, in seconds."""
        return sum(_used(self._process.pid), start=0.0)

    async def stop(self) -> None:
        """Ends the guest at once: what it has written is on the machine's disk with each answer."""
        self.kill()
        await super().stop()
        await self._end
        self._reading.close()
        os.close(self._theirs)

    async def _tell_end(self, answers: asyncio.StreamReader) -> None:
        """A guest that has ended answers no more: the terminal itself, which is held here too, doesn't
        tell."""
        await self._process.wait()
        answers.feed_eof()

    async def _begin(self) -> None:
        """Tells it how programs are to be started."""
        environment = {name: value for name, value in passed_on().items() if name not in _NOT_FOR_GUESTS}
        boot = {
            "environment": {**environment, "OPENSSL_ia32cap": CAPABILITIES},
            "directory": str(Path.cwd()),
        }
        requests = self._requests
        if requests is None:
            raise EngineDied("the guest has no terminal")
        requests.write(json.dumps(boot).encode() + b"\n")
        with contextlib.suppress(OSError):
            await requests.drain()


class Guests:
    """Engines in guests of one kernel, each trial's in its own."""

    virtual = True
    starts_at = datetime.datetime.fromtimestamp(EPOCH_NS / 10**9, datetime.UTC)

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def noted(self) -> Mapping[str, str]:
        """Its kernel, and whether its random numbers are settled."""
        settled = "by the seed" if self.kernel.random else "by chance"
        return {"kernel": self.kernel.version, "release": self.kernel.release, "random_numbers": settled}

    async def start(self, seed: int) -> Engine:
        """Boots one."""
        return await Guest.boot(self.kernel, seed)


def run(kernel: Kernel, seed: int, argv: Sequence[str]) -> int:
    """Runs a program in a guest of its own, with our stdin, stdout, stderr, environment and folder; its exit
    status. The guest, its clock included, stands still while the program waits for its stdin. EngineDied
    where the guest breaks, HostError where it can't be run."""
    stdin = _reopenable(0)
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        asked, result = Path(folder) / "program.json", Path(folder) / "status"
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_GUESTS}
        asked.write_text(
            json.dumps(
                {
                    "argv": list(argv),
                    "environment": {**environment, "OPENSSL_ia32cap": CAPABILITIES},
                    "directory": str(Path.cwd()),
                    "stdin": stdin,
                    "result": str(result),
                }
            ),
            encoding="utf-8",
        )
        # By a number, so that the kernel's command line is always the same.
        opened = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        numbered = fcntl.fcntl(opened, fcntl.F_DUPFD, _FOLDER_NUMBER)
        os.close(opened)
        here = f"/proc/self/fd/{numbered}"
        consoles = ["con0=null", "con1=null,fd:1", "con2=null,fd:2", f"uml_dir={here}"]
        command = _command(kernel, locate(), consoles, ["run", f"{here}/{asked.name}"])
        try:
            done = subprocess.run(
                command,
                stdin=None if stdin else subprocess.DEVNULL,
                env=_environment(kernel, seed),
                pass_fds=(numbered,),
                check=False,
            )
        except OSError as error:
            raise _not_run(kernel, error) from error
        finally:
            os.close(numbered)
        told = result.read_text() if result.exists() else ""
        if not told.isdecimal():
            raise EngineDied(f"the guest broke (exit status {done.returncode}){': ' if told else ''}{told}")
        return int(told)


def _reopenable(descriptor: int) -> bool:
    """Whether a guest can open by itself what we have open there: not a socket, and nothing that is
    closed."""
    try:
        os.close(os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def _not_run(kernel: Kernel, error: OSError) -> HostError:
    return HostError(
        f"{kernel.program}: can't be run: {error.strerror}.",
        hint=f"Build it anew: pronghorn guest {kernel.version} --anew",
    )


def _command(
    kernel: Kernel,
    program: Path,
    places: Sequence[str] = _NO_PLACES,
    arguments: Sequence[str] = (),
    starts_ns: int = EPOCH_NS,
) -> list[str]:
    """The same for each guest, since its random numbers hang on it (`random_init_early` of the kernel)."""
    return [
        str(kernel.program),
        f"mem={MEMORY}",
        "time-travel=inf-cpu",
        f"time-travel-start={starts_ns}",
        "rootfstype=hostfs",
        "rootflags=/",
        "rw",
        "con=null",
        *places,
        # Nothing but its last words.
        "quiet",
        "loglevel=1",
        # From 6.16 on half as dear as ptrace; where the kernel or the machine has none, it says so and goes
        # on.
        "seccomp=auto",
        "dsp=/proc/self/fd/0",
        f"init={program}",
        # What the kernel doesn't know is in its first process's environment, before that reads what the CPU
        # can do.
        f"OPENSSL_ia32cap={CAPABILITIES}",
        "--",
        "guest",
        *arguments,
    ]


def _environment(kernel: Kernel, seed: int) -> Mapping[str, str]:
    """Of the kernel's process."""
    ours = {name: value for name, value in os.environ.items() if name.startswith("PRONGHORN_")}
    environment = {**ours, "PATH": os.environ.get("PATH", os.defpath), "HOME": "/"}
    environment["TMPDIR"] = str(_memory_folder())
    if kernel.random is not None:
        environment |= {"LD_PRELOAD": str(kernel.random), _SEED: str(seed % 2**64)}
    return environment


def _memory_folder() -> Path:
    """Where a guest's memory lies as an unlinked file: in memory where there is room, else where temporary
    files go."""
    with contextlib.suppress(OSError):
        room = shutil.disk_usage(_SHARED_MEMORY).free
        if os.access(_SHARED_MEMORY, os.W_OK | os.X_OK) and room >= _MEMORY_BYTES:
            return _SHARED_MEMORY
    return Path(tempfile.gettempdir())


async def _streams(
    terminal: int,
) -> tuple[asyncio.BaseTransport, asyncio.StreamReader, asyncio.StreamWriter]:
    """The two directions of a terminal, and what reads it."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LINE_LIMIT)
    protocol = asyncio.StreamReaderProtocol(reader)
    written = os.fdopen(os.dup(terminal), "wb", buffering=0)
    transport, _ = await loop.connect_write_pipe(lambda: asyncio.streams.FlowControlMixin(loop), written)
    reading, _ = await loop.connect_read_pipe(lambda: protocol, os.fdopen(terminal, "rb", buffering=0))
    return (
        reading,
        reader,
        asyncio.StreamWriter(transport, asyncio.StreamReaderProtocol(reader), reader, loop),
    )


def _used(pid: int) -> Iterator[float]:
    """The CPU time of a process, of its children that ended and of those that run, in seconds."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    yield sum(int(field) for field in fields[11:15]) * _TICKS_S
    for child in children:
        yield from _used(int(child))

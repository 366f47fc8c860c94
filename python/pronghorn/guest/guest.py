"""An engine in a guest: started, spoken to over a terminal of its own, ended.

The guest reads a line by a call that stops all of it, so that it needs no CPU and its clock stands still
while it isn't asked (`crates/engine/src/guest.rs`)."""

import asyncio
import contextlib
import ctypes
import datetime
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import tty
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from pronghorn.engine import PATIENCE_S, Engine, EngineDied, locate
from pronghorn.environment import passed_on
from pronghorn.errors import HostError
from pronghorn.guest.kernels import Kernel
from pronghorn.host import temporary_folders

EPOCH_NS = 1_767_225_600 * 10**9
"""When a guest starts by its own clock: the first of January 2026, UTC. What happens in it must not hang on
when it is run."""

MEMORY = "1536M"
"""What a guest may use; only what it does use is taken from the machine."""

_MEMORY_BYTES = 1536 * 2**20
_SHARED_MEMORY = Path("/dev/shm")
_SEED = "PRONGHORN_GUEST_SEED"
_PR_SET_PDEATHSIG = 1
_LEAST_NUMBER = 900
_MOST_PATIENCE_S = 1800.0
"""How long an answer of a guest is waited for at least."""

_TICKS_S = 1 / os.sysconf("SC_CLK_TCK")
_LINE_LIMIT = 64 * 2**20
_NOT_FOR_GUESTS = ("LD_PRELOAD", "TMPDIR", "PRONGHORN_AWAKE", "PRONGHORN_ISOLATION")

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
        ours, theirs = os.openpty()
        opened = _program(program or locate())
        try:
            tty.setraw(theirs)
            try:
                process = await asyncio.create_subprocess_exec(
                    *_command(kernel, opened.name, starts_ns=starts_ns),
                    stdin=theirs,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                    limit=_LINE_LIMIT,
                    start_new_session=True,
                    env=_environment(kernel, seed),
                    pass_fds=(opened.number,),
                )
            except OSError as error:
                raise _not_run(kernel, error) from error
        except BaseException:
            os.close(ours)
            os.close(theirs)
            raise
        try:
            reading, answers, requests = await _streams(ours)
        except BaseException:
            process.kill()
            os.close(theirs)
            raise
        guest = cls(process, answers, requests)
        guest._theirs, guest._reading = theirs, reading
        guest._end = asyncio.create_task(guest._tell_end())
        try:
            await guest._begin()
        except BaseException:
            await guest.stop()
            raise
        return guest

    _theirs: int
    _reading: asyncio.BaseTransport
    _end: asyncio.Task[None]

    async def request(self, op: str, *, patience_s: float = PATIENCE_S, **parameters: Any) -> dict[str, Any]:
        """As of any engine. What takes a guest long by our clock is a matter of the CPU that it gets: a trial
        must not hang on that, so that only one that never ends is given up."""
        return await super().request(op, patience_s=max(patience_s, _MOST_PATIENCE_S), **parameters)

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
        os.close(self._theirs)

    async def _tell_end(self) -> None:
        """A guest that has ended answers no more: the terminal itself, which is held here too, doesn't
        tell."""
        await self._process.wait()
        self._reading.close()

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
        program = hashlib.sha256(self.kernel.program.read_bytes()).hexdigest()
        return {
            "kernel": self.kernel.version,
            "release": self.kernel.release,
            "program": program,
            "random_numbers": settled,
        }

    async def start(self, seed: int) -> Engine:
        """Boots one."""
        return await Guest.boot(self.kernel, seed)


def run(kernel: Kernel, seed: int, argv: Sequence[str]) -> int:
    """Runs a program in a guest of its own, with our stdin, stdout, stderr, environment and folder; its exit
    status. The guest, its clock included, stands still while the program waits for its stdin, which is read
    from its beginning where it is a file. EngineDied where the guest breaks, HostError where it can't be
    run."""
    with _started(kernel, seed, argv, stdin=_reopenable(0)) as running:
        outputs = [
            threading.Thread(target=_copied, args=(stream, descriptor))
            for stream, descriptor in ((running.process.stdout, 1), (running.process.stderr, 2))
        ]
        for output in outputs:
            output.start()
        for output in outputs:
            output.join()
        return running.status()


def output(kernel: Kernel, seed: int, argv: Sequence[str]) -> bytes:
    """What a program says in a guest of its own, without a stdin."""
    with _started(kernel, seed, argv, stdin=False) as running:
        said, _ = running.process.communicate()
        running.status()
        return said


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
        environment = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_GUESTS}
        asked.write_text(
            json.dumps(
                {
                    "argv": list(argv),
                    "environment": {
                        **environment,
                        "OPENSSL_ia32cap": CAPABILITIES,
                        temporary_folders.IN_GUEST: "1",
                    },
                    "directory": str(Path.cwd()),
                    "stdin": stdin,
                    "result": str(result),
                }
            ),
            encoding="utf-8",
        )
        engine, here = _program(locate()), _numbered(folder, _LEAST_NUMBER + 1)
        # Their ends are ours, so that a terminal stays as it is.
        consoles = ["con0=null", "con1=null,fd:1", "con2=null,fd:2", f"uml_dir={here.name}"]
        command = _command(kernel, engine.name, consoles, ["run", f"{here.name}/{asked.name}"])
        try:
            process = subprocess.Popen(
                command,
                stdin=None if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(kernel, seed),
                pass_fds=(engine.number, here.number),
                preexec_fn=_die_with_parent,
            )
        except OSError as error:
            raise _not_run(kernel, error) from error
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


class _Numbered(NamedTuple):
    """A file that is named by a descriptor of ours, so that a kernel's command line is the same wherever the
    file stands."""

    number: int

    @property
    def name(self) -> str:
        """Its name for whoever has the descriptor."""
        return f"/proc/self/fd/{self.number}"


def _numbered(path: Path, least: int) -> _Numbered:
    """The file under the first number from `least` on that is free, which has to be closed."""
    opened = os.open(path, os.O_PATH)
    try:
        return _Numbered(fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, least))
    finally:
        os.close(opened)


@cache
def _program(path: Path) -> _Numbered:
    """The engine's file, under one number as long as we run."""
    return _numbered(path, _LEAST_NUMBER)


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
        hint="Build it anew: pronghorn guest --anew",
    )


def _command(
    kernel: Kernel,
    program: str,
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
        runs = not os.statvfs(_SHARED_MEMORY).f_flag & os.ST_NOEXEC
        if os.access(_SHARED_MEMORY, os.W_OK | os.X_OK) and room >= _MEMORY_BYTES and runs:
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

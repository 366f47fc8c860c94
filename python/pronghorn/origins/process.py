"""A server's process on a bench: started, waited for, and asked what it said before it failed."""

import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn import reading
from pronghorn.engine import PATIENCE_S, Engine, EngineError
from pronghorn.environment import passed_on
from pronghorn.host import cpu_time
from pronghorn.model.trial import OriginConnection
from pronghorn.origins.base import OriginFailed

READY_S = 15.0
"""How long a server may take to listen, in seconds."""

_LOOK_S = 0.01
_LAST_BREATH_S = 1.0

_SERVER = "server"
_LAST_LINES = 12
_LAST_BYTES = 64 * 1024

MOST_LOG = 256 * 2**20
"""The longest access log of a page load, in bytes: a line a request."""


class Listens(NamedTuple):
    """What a server is ready by: its port, and whether it listens there over TCP and over UDP."""

    port: int
    tcp: bool = True
    udp: bool = True


class Process:
    """A server's process on the server's host. What it writes goes to `NAME.out` and `NAME.err` in its
    folder. The bench's end is its end."""

    def __init__(self, engine: Engine, name: str, number: int, pid: int, stdout: Path, stderr: Path) -> None:
        self._engine = engine
        self._name = name
        self._pid = pid
        self._pid_here: int | None = None
        self.number = number
        self.stdout = stdout
        self.stderr = stderr

    def cpu_s(self) -> float | None:
        """CPU time that it and all below it have used, in seconds; None where that isn't known.

        The engine tells its number in the engine's own PID namespace. Those of a guest's processes mean
        nothing here."""
        here = self.number_here()
        return None if here is None else cpu_time.used_s(lambda _: (here,))

    def number_here(self) -> int | None:
        """Its number in this PID namespace; None where that isn't known."""
        if self._engine.virtual:
            return None
        self._pid_here = self._pid_here or cpu_time.numbered(self._engine.pid, self._pid)
        return self._pid_here

    async def signal(self, number: int) -> None:
        """Sends it a signal; OriginFailed where it has ended."""
        try:
            await self._engine.request("kill", process=self.number, signal=int(number))
        except EngineError as error:
            raise OriginFailed(
                f"{self._name} could not be sent signal {int(number)}: {error.message}"
            ) from error

    async def end(self, number: int, patience_s: float) -> None:
        """Ends it by a signal, and where it goes on for `patience_s` after that by SIGKILL."""
        await self.signal(number)
        for timeout_s in (patience_s, READY_S):
            ok = await self._engine.request(
                "wait", process=self.number, timeout_s=timeout_s, patience_s=PATIENCE_S + timeout_s
            )
            if ok["status"] is not None:
                return
            await self.signal(signal.SIGKILL)
        raise OriginFailed(f"{self._name} did not end")

    async def listening(
        self, listens: Listens, *, said: Sequence[Path] = (), timeout_s: float = READY_S
    ) -> None:
        """Returns once it listens; OriginFailed where it ends before or does not get there in time, with the
        last lines of the files `said`, or else of its stderr."""
        ok = await self._engine.request(
            "listening",
            host=_SERVER,
            **listens._asdict(),
            process=self.number,
            timeout_s=timeout_s,
            patience_s=PATIENCE_S + timeout_s,
        )
        if not ok["listening"] or ok["status"] is not None:
            transports = [name for name, asked in (("TCP", listens.tcp), ("UDP", listens.udp)) if asked]
            over = f" ({' and '.join(transports)})" if ok["status"] is None else ""
            raise self._failed(f"port {listens.port}{over}", ok["status"], said, timeout_s)

    async def listening_at(
        self, socket: Path, *, said: Sequence[Path] = (), timeout_s: float = READY_S
    ) -> None:
        """As `listening`, of a server whose address is a UNIX socket."""
        until = time.monotonic() + timeout_s
        while not socket.is_socket():
            ok = await self._engine.request("wait", process=self.number, timeout_s=_LOOK_S)
            if ok["status"] is not None or time.monotonic() > until:
                raise self._failed(socket.name, ok["status"], said, timeout_s)

    async def ended(self) -> str | None:
        """How it ended, as a clause; None while it runs. One whose connections break is given a moment to
        end as well."""
        ok = await self._engine.request("wait", process=self.number, timeout_s=_LAST_BREATH_S)
        return None if ok["status"] is None else f"{self._name} {_ending(ok['status'])}"

    def _failed(self, at: str, ended: int | None, said: Sequence[Path], timeout_s: float) -> OriginFailed:
        how = (
            f"did not listen on {at} within {timeout_s:g} s"
            if ended is None
            else f"{_ending(ended)} before it listened on {at}"
        )
        return OriginFailed(with_last_lines(f"{self._name} {how}", *(said or (self.stderr,))))


async def start(
    engine: Engine,
    name: str,
    argv: Sequence[str],
    folder: Path,
    listens: Listens | Path,
    *,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    said: Sequence[Path] = (),
    timeout_s: float = READY_S,
) -> Process:
    """Starts a server, which writes to `folder` and works there unless `directory` says otherwise, and
    returns when it listens, at ports or at a UNIX socket. OriginFailed, as a sentence with its last lines,
    where it can't be started, where another program has its port, and where it does not get ready; the lines
    are those of the files `said`, or else of its stderr.

    The port is looked at first, since servers that set SO_REUSEPORT (socket(7)) would share a taken one in
    silence."""
    if isinstance(listens, Path):
        process = await _spawn(engine, name, argv, folder, environment, directory or folder)
        await process.listening_at(listens, said=said, timeout_s=timeout_s)
        return process
    for kind in ("tcp", "udp"):
        if getattr(listens, kind) and await _taken(engine, listens.port, kind):
            raise OriginFailed(
                f"{name} was not started: another program on its host has port {listens.port} "
                f"({kind.upper()})"
            )
    process = await _spawn(engine, name, argv, folder, environment, directory or folder)
    await process.listening(listens, said=said, timeout_s=timeout_s)
    return process


async def run(
    engine: Engine,
    name: str,
    argv: Sequence[str],
    folder: Path,
    *,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = READY_S,
) -> Path:
    """Runs a program to its end, however it ends, and returns the file that took its stderr; OriginFailed
    where it can't be started."""
    return (await _run(engine, name, argv, folder, environment, timeout_s))[0]


async def succeed(
    engine: Engine, name: str, argv: Sequence[str], folder: Path, *, environment: Mapping[str, str]
) -> None:
    """Runs a program to its end; OriginFailed with its last lines unless that is status 0."""
    said, status = await _run(engine, name, argv, folder, environment, READY_S)
    if status != 0:
        how = f"did not end within {READY_S:g} s" if status is None else _ending(status)
        raise OriginFailed(with_last_lines(f"{name} {how}", said))


def with_last_lines(sentence: str, *files: Path) -> str:
    """A sentence, and the end of what stands in `files`."""
    lines = last_lines(*files)
    return f"{sentence}; its last lines:\n{lines}" if lines else f"{sentence}; it wrote nothing"


def last_lines(*files: Path) -> str:
    """The last lines of files that a server writes, as text; empty where there are none."""
    return "\n".join(line for file in files for line in _tail(file)[-_LAST_LINES:])


def whole_lines(file: Path) -> list[str]:
    """The lines of a log that are complete, without one that is being written."""
    try:
        text = reading.content(file, MOST_LOG, "a server's log").decode(errors="replace")
    except reading.Missing:
        return []
    except reading.Unreadable as error:
        raise OriginFailed(f"{file.name}: {error}") from None
    return text.split("\n")[:-1]


async def tcp_connections(engine: Engine, port: int) -> list[OriginConnection]:
    """The TCP connections that a server has on `port` now, each with the congestion control of its sending
    end as the kernel tells (sock_diag(7)). The kernel does not know which protocol they carry."""
    ok = await engine.request("sockets", host=_SERVER)
    return [
        OriginConnection(congestion_control=entry["tcp_congestion_control"])
        for entry in ok["tcp"]
        if entry["local_port"] == port
    ]


async def _run(
    engine: Engine,
    name: str,
    argv: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] | None,
    timeout_s: float,
) -> tuple[Path, int | None]:
    """The file that took its stderr, and its status; None where it goes on."""
    process = await _spawn(engine, name, argv, folder, environment, folder)
    ok = await engine.request(
        "wait", process=process.number, timeout_s=timeout_s, patience_s=PATIENCE_S + timeout_s
    )
    return process.stderr, ok["status"]


async def _spawn(
    engine: Engine,
    name: str,
    argv: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] | None,
    directory: Path,
) -> Process:
    out, err = folder / f"{name}.out", folder / f"{name}.err"
    try:
        ok = await engine.request(
            "spawn",
            host=_SERVER,
            argv=list(argv),
            env=passed_on() | dict(environment or {}),
            inherit=False,
            stdout=str(out),
            stderr=str(err),
            directory=str(directory),
        )
    except EngineError as error:
        raise OriginFailed(f"{name} could not be started: {error.message}") from error
    return Process(engine, name, int(ok["process"]), int(ok["pid"]), out, err)


async def _taken(engine: Engine, port: int, kind: str) -> bool:
    asked = {"tcp": kind == "tcp", "udp": kind == "udp"}
    ok = await engine.request("listening", host=_SERVER, port=port, process=None, timeout_s=0.0, **asked)
    return bool(ok["listening"])


def _tail(file: Path) -> list[str]:
    try:
        with reading.opened(file) as stream:
            stream.seek(max(0, file.stat().st_size - _LAST_BYTES))
            text = stream.read(_LAST_BYTES).decode(errors="replace")
    except (reading.Unreadable, OSError):
        return []
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _ending(status: int) -> str:
    return f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"

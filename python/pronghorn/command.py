"""One command behind an emulated path: the engine's mode `path`, which has this process's terminal
(docs/engine.md)."""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pronghorn.engine import EngineDied, EngineError, locate, record
from pronghorn.errors import EXIT_BUG, HostError, Interrupted, PronghornError
from pronghorn.model import foreign
from pronghorn.model.bounds import Count, Moment, Number, Seconds, Seed, Text, Whole
from pronghorn.model.from_engine import FromEngine
from pronghorn.model.path import PathSpec
from pronghorn.model.trial import Counters

_PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2}
_MOST_ENTRIES = 10**7
_SI_KERNEL = 0x80
"""A signal's code if the terminal sent it (sigaction(2)): the command received it as well."""


@dataclass(frozen=True)
class Asked:
    """What is to run, and where. `server`: the far side's program; None: the far side is what is around us.
    `sample_interval_s`: how often the counters are sampled; None: never. `capture`: the file that takes
    a capture of the path; None: none is taken."""

    path: PathSpec
    seed: int
    command: Sequence[str]
    server: Sequence[str] | None = None
    congestion_control: str | None = None
    sample_interval_s: float | None = None
    capture: Path | None = None


class LinkSample(FromEngine):
    """One link's counters at one time. `bottleneck_s`: what all packets that left have spent at the
    bottleneck."""

    packets_out: Count
    bytes_out: Count
    dropped: Count
    bottleneck_s: Number


class Sample(FromEngine):
    """Both links' counters at one time, which counts from the command's start."""

    time_s: Moment
    down: LinkSample
    up: LinkSample


class Series(FromEngine):
    """Counters over time."""

    interval_s: Seconds
    samples: list[Sample]


class Outcome(FromEngine):
    """How the command and its path fared. `status` is the command's as a shell has it."""

    status: Whole
    seed: Seed
    level: Count
    client_address: Text
    server_address: Text
    far_host_address: Text
    uplink: Text | None = None
    congestion_control: Annotated[Text, Field(validation_alias="tcp_congestion_control")]
    congestion_control_by: Annotated[Text, Field(validation_alias="tcp_congestion_control_by")]
    notes: list[Text] = Field(default_factory=list)
    server_status: Whole | None = None
    counters: Counters
    series: Series | None = None


def random_seed() -> int:
    """A seed of which nothing is known before; short enough to be typed."""
    return secrets.randbelow(2**32)


def run(asked: Asked) -> Outcome:
    """Runs the command to its end; the terminal is its alone meanwhile.

    EngineError where the path can't be; PronghornError with the exit status where the command could not be
    started: 2, 3, or 126 and 127 as in a shell.
    """
    request = {
        "path": asked.path.to_engine(),
        "seed": asked.seed,
        "command": list(asked.command),
        "server": None if asked.server is None else list(asked.server),
        "tcp_congestion_control": asked.congestion_control,
        "sample_interval_s": asked.sample_interval_s,
        "capture": str(asked.capture.absolute()) if asked.capture else None,
    }
    with _memory("request") as asking, _memory("report") as telling:
        with os.fdopen(os.dup(asking), "wb") as file:
            file.write(json.dumps(request).encode())
        os.lseek(asking, 0, os.SEEK_SET)
        status = _attend(asking, telling)
        os.lseek(telling, 0, os.SEEK_SET)
        with os.fdopen(os.dup(telling), "rb") as file:
            told = file.read()
    return _outcome(told, status)


@contextmanager
def _memory(name: str) -> Iterator[int]:
    """A file in memory."""
    descriptor = os.memfd_create(name)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _attend(asking: int, telling: int) -> int:
    """Runs the engine to its end and gives it what others send to us; its exit status, 128 and more for a
    signal."""
    program = locate()
    watched = _PASSED_ON | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        with _terminal_given_back():
            engine = subprocess.Popen(
                [program, "path", "--request-fd", str(asking), "--report-fd", str(telling)],
                pass_fds=(asking, telling),
            )
            while engine.poll() is None:
                told = signal.sigwaitinfo(watched)
                if told.si_signo != signal.SIGCHLD and told.si_code != _SI_KERNEL:
                    with contextlib.suppress(ProcessLookupError):
                        engine.send_signal(told.si_signo)
    except OSError as error:
        raise HostError(
            f"{program}: can't be run: {error.strerror}.", hint="Rebuild it with 'make build'."
        ) from error
    finally:
        while signal.sigtimedwait(_PASSED_ON, 0):
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return engine.returncode if engine.returncode >= 0 else 128 - engine.returncode


@contextmanager
def _terminal_given_back() -> Iterator[None]:
    """A shell behind the path takes the terminal for its own jobs and can't give it back, for our process
    group isn't visible to it."""
    try:
        owner = os.tcgetpgrp(0)
    except OSError:
        owner = None
    try:
        yield
    finally:
        if owner is not None and owner == os.getpgrp():
            ignored = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            with contextlib.suppress(OSError, termios.error):
                os.tcsetpgrp(0, owner)
            signal.signal(signal.SIGTTOU, ignored)


def _outcome(told: bytes, status: int) -> Outcome:
    try:
        report = foreign.json_table(told, most_items=_MOST_ENTRIES)
    except ValueError:
        if status in {128 + number for number in _PASSED_ON}:
            raise Interrupted("interrupted before the command was started.", exit_status=status) from None
        if status == EXIT_BUG:
            raise EngineDied(
                "a bug in the engine; its own message is above.",
                hint="Report it with this message and the command line.",
                exit_status=EXIT_BUG,
            ) from None
        raise HostError(
            f"the engine ended without a report (exit status {status}).", hint="Run 'pronghorn doctor'."
        ) from None
    if "error" in report:
        error = report["error"]
        said, hint = error["message"], error.get("mend")
        if error.get("key") is not None:
            raise EngineError(error["kind"], said, hint, key=error["key"], line=error.get("line"))
        raise PronghornError(said, hint=hint, exit_status=report["status"])
    return record(Outcome, report)

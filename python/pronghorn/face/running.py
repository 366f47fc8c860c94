"""Making a run from Python: by a process of its own, as from the command line. So it works in notebooks and
threads, and Ctrl-C ends it in order."""

import contextlib
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pronghorn.errors import InputError, PronghornError
from pronghorn.face.opened import Run, open_run
from pronghorn.model import toml_text
from pronghorn.runs.directory import default_name

_LAST_LINES = 20


class RunFailed(PronghornError):
    """A run that measured nothing: `status` is the program's exit status (docs/commands.md), `message` the
    last that it said."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message, exit_status=status)
        self.status = status

    def __reduce__(self) -> tuple[type["RunFailed"], tuple[int, str]]:
        return RunFailed, (self.status, self.message)


def run(
    experiment: str | Path | Mapping[str, Any] | None = None,
    *,
    out: str | Path | None = None,
    clock: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Run:
    """Runs an experiment and opens what it left.

    `experiment` is a shipped one's name, a TOML file or its table; None: the default one. `settings` override
    its keys, such as `{"repeat": 6, "paths": ["lte"]}`. `out` is the run's directory, otherwise
    runs/TIME-NAME. With `progress` stderr has what the command line shows there. RunFailed where nothing
    could be measured; KeyboardInterrupt after Ctrl-C, which keeps what was measured.
    """
    name = (
        experiment.get("name", "run")
        if isinstance(experiment, Mapping)
        else Path(experiment or "default").stem
    )
    directory = Path(out) if out is not None else default_name(str(name))
    words = ["run", "--out", str(directory), "--json"]
    for option, value in (("--clock", clock), ("--seed", seed), ("--jobs", jobs)):
        if value is not None:
            words += [option, str(value)]
    for key, value in (settings or {}).items():
        words += ["--set", f"{key}={_told(value)}"]
    with contextlib.ExitStack() as stack:
        if isinstance(experiment, Mapping):
            words.append(stack.enter_context(_written({"name": "run", **experiment})))
        elif experiment is not None:
            words.append(str(experiment))
        status, said = _finished(words, progress=progress)
    if status == 130:
        raise KeyboardInterrupt
    if status != 0:
        raise RunFailed(status, "\n".join(said))
    return open_run(directory)


@contextlib.contextmanager
def _written(table: Mapping[str, Any]) -> Iterator[str]:
    """A table as a file here, where the folders that it names are looked for."""
    try:
        text = toml_text.dumps(dict(table))
    except TypeError as error:
        raise InputError(f"the experiment's table: {error}.") from None
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix=".pronghorn-", suffix=".toml", dir=Path.cwd()
    ) as file:
        file.write(text)
        file.flush()
        yield file.name


def _told(value: Any) -> str:
    try:
        return toml_text.inline(value)
    except TypeError as error:
        raise InputError(f"settings: {error}.") from None


def _finished(words: Sequence[str], *, progress: bool) -> tuple[int, Sequence[str]]:
    """The exit status of the program with these words, and the last lines of its stderr. It has a session of
    its own, so that Ctrl-C reaches it once, from here."""
    said: deque[str] = deque(maxlen=_LAST_LINES)
    with subprocess.Popen(
        [sys.executable, "-m", "pronghorn", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            for line in process.stderr or ():
                said.append(line.rstrip("\n"))
                if progress:
                    print(line, end="", file=sys.stderr)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
    return process.returncode, said

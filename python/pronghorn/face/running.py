"""Making a run from Python: by a process of its own, as from the command line. So it works in notebooks and
threads, and Ctrl-C ends it in order."""

import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pronghorn.errors import PronghornError
from pronghorn.face.opened import Run, open_run
from pronghorn.model import toml_text
from pronghorn.runs.directory import default_name

_LAST_LINES = 20


class RunFailed(PronghornError):
    """A run that measured nothing: `status` is the program's exit status (docs/commands.md), `message` the
    last that it said."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


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
        words += ["--set", f"{key}={toml_text.inline(value)}"]
    with tempfile.TemporaryDirectory() as temporary:
        if isinstance(experiment, Mapping):
            file = Path(temporary) / "experiment.toml"
            file.write_text(toml_text.dumps(dict(experiment)), encoding="utf-8")
            words.append(str(file))
        elif experiment is not None:
            words.append(str(experiment))
        status, said = _finished(words, progress=progress)
    if status == 130:
        raise KeyboardInterrupt
    if status != 0:
        raise RunFailed(status, "\n".join(said))
    return open_run(directory)


def _finished(words: Sequence[str], *, progress: bool) -> tuple[int, Sequence[str]]:
    """The exit status of the program with these words, and the last lines of its stderr."""
    said: deque[str] = deque(maxlen=_LAST_LINES)
    with subprocess.Popen(
        [sys.executable, "-m", "pronghorn", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            for line in process.stderr or ():
                said.append(line.rstrip("\n"))
                if progress:
                    print(line, end="", file=sys.stderr)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
    return process.returncode, said

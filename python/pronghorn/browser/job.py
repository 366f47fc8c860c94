"""What the agent is told at its start, and the messages between it and the client's session.

Messages are JSON, one a line, over a Unix socket: a request `{"do": NAME}` has one answer, `{"ok": VALUE}` or
`{"failed": {"reason", "detail"}}`. The agent's first line says that it is ready."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SOCKET = "agent.sock"
JOB = "job.json"
PROFILE = "profile"

LINE_LIMIT = 64 * 2**20
"""The longest message, in bytes."""

HAR, NETLOG, SCREENSHOT, FILMSTRIP = "har", "netlog", "screenshot", "filmstrip"
"""The artifacts that a load can leave."""


class Job(NamedTuple):
    """What is to be loaded, and by what.

    `executable` is the browser's program, `switches` its command line beyond what Playwright gives it, `url`
    the document's, `limit_s` cuts a load; `width`, `height` in CSS pixels; without `cache` every request goes
    to the network. `artifacts` are the files to be written, by name. `alone`: no origin but the
    document's can be reached, but for the `recorded` hosts of a page that is replayed; `tolerate` are globs
    of requests that may fail."""

    executable: str
    switches: list[str]
    url: str
    limit_s: float
    width: int
    height: int
    cpu_slowdown: float
    cache: bool
    artifacts: Mapping[str, str]
    alone: bool
    tolerate: Sequence[str]
    recorded: Sequence[str] = ()

    def write(self, folder: Path) -> None:
        """Leaves it in the agent's folder."""
        (folder / JOB).write_text(json.dumps(self._asdict()), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "Job":
        """As `write` left it."""
        table: dict[str, Any] = json.loads((folder / JOB).read_text(encoding="utf-8"))
        return cls(**table)


class Failed(Exception):
    """The browser did not do what it was told: `reason` is a word for counting, the text the sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason

"""Runs in virtual time as the tests make them: their experiments, and what of their journals is the same."""

import json
from pathlib import Path
from typing import Any

LONG = """
[path.long]
down = { delay = "50ms" }
up = { delay = "50ms" }
"""

NEAR = """
[path.near]
down = { delay = "0.25ms" }
up = { delay = "0.25ms" }
"""

LOSSY = """
[path.lossy]
down = { rate = "20Mbit", delay = "20ms", queue = "64kB", loss = "2%", jitter = "2ms" }
up = { rate = "20Mbit", delay = "20ms", queue = "64kB" }
"""

BY_THE_WALL_CLOCK = ("started", "metrics.wall_s", "metrics.overhead_s", "cpu.guest_s")
"""What of a trial depends on the host: when it was made, and what it took there."""


def experiment(folder: Path, defined: str, **keys: object) -> Path:
    """An experiment in virtual time, in a file of its own."""
    table = {"sites": ["tiny"], "arms": ["h2", "h3"], "repeat": 2, "seed": 7, "clock": "virtual"} | keys
    text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
    file = folder / "experiment.toml"
    file.write_text(text + defined, encoding="utf-8")
    return file


def lines(run: Path) -> list[dict[str, Any]]:
    """A journal's lines without what depends on the wall clock."""
    found = [json.loads(line) for line in (run / "trials.jsonl").read_text(encoding="utf-8").splitlines()]
    for record in found:
        for name in BY_THE_WALL_CLOCK:
            table, _, key = name.rpartition(".")
            (record.get(table, {}) if table else record).pop(key, None)
    return found

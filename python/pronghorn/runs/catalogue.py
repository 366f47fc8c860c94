"""Which runs and maps a folder holds: what each is of, how far it came, and what it takes of the disk.

No run is changed. Whether one is in use is asked of its lock, which is given back at once."""

import fcntl
import json
import os
import stat
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn import reading
from pronghorn.model import artifacts, foreign, load, stacks
from pronghorn.model.path.texts import FOLDER as TRACES
from pronghorn.runs.directory import (
    CORRUPT_MANIFEST,
    EXPERIMENT,
    MANIFEST,
    PARQUET,
    REPORT,
    SUMMARY,
)
from pronghorn.runs.journal import CORRUPT, JOURNAL

MAP, MAP_PAGE, BATCHES = "map.toml", "map.html", "batches"

_OF_RUNS = {EXPERIMENT, MANIFEST, CORRUPT_MANIFEST, JOURNAL, CORRUPT, PARQUET, SUMMARY, REPORT}
_FOLDERS_OF_RUNS = {artifacts.FOLDER, TRACES, stacks.CONFIGURATIONS}
_EXPORTS = {"export.csv", "export.json", "export.parquet"}
_OF_MAPS = {MAP, "map.json", "map.svg", MAP_PAGE, BATCHES}

_DEEPEST = 3
"""How deep in the folder runs are searched: runs/replications/STUDY/RUN."""

_PARTS = {artifacts.FOLDER: "artifacts", BATCHES: "batches", JOURNAL: "trials", PARQUET: "trials"}


class Entry(NamedTuple):
    """A run or a map (`kind`): its `name` within the folder, what it is of, when it began (UTC in ISO 8601,
    empty where that isn't known), how it stands (`done`, `stopped`, `in use`, `damaged`), its trials, the
    number of each arm's verdicts (`h3 faster`), and the bytes of disk that its parts take."""

    path: Path
    name: str
    kind: str
    title: str
    started: str
    state: str
    trials: int
    verdicts: Mapping[str, int]
    disk_bytes: Mapping[str, int]

    @property
    def total_bytes(self) -> int:
        """What it takes in all."""
        return sum(self.disk_bytes.values())

    @property
    def page(self) -> Path:
        """Its report, or its map."""
        return self.path / (MAP_PAGE if self.kind == "map" else REPORT)


def kind_of(path: Path) -> str | None:
    """`run`, `map`, or None for a folder that is neither. A link to one is neither, either."""
    if path.is_symlink() or not path.is_dir():
        return None
    if _is_file(path / MAP):
        return "map"
    if _is_file(path / EXPERIMENT) and (_is_file(path / JOURNAL) or _is_file(path / MANIFEST)):
        return "run"
    return None


def found(folder: Path) -> list[Entry]:
    """The runs and maps below a folder, the newest first; a map's batches are its own."""
    entries = [entry(path, folder) for path in _paths(folder, 0)]
    return sorted(entries, key=lambda each: (each.started, each.name), reverse=True)


def entry(path: Path, folder: Path) -> Entry:
    """One run or map, which `kind_of` says it is."""
    kind = kind_of(path) or "run"
    manifest = _json(path / MANIFEST)
    trials = _trials(path / JOURNAL) + sum(
        _trials(batch / JOURNAL) for batch in sorted((path / BATCHES).glob("*")) if kind == "map"
    )
    return Entry(
        path=path,
        name=str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path),
        kind=kind,
        title=_title(path, kind),
        started=_started(path, manifest, kind),
        state=_state(path, manifest, kind),
        trials=trials,
        verdicts=_verdicts(path / SUMMARY),
        disk_bytes=disk_bytes(path),
    )


def others(path: Path) -> list[str]:
    """What a run's or a map's folder holds that Pronghorn didn't put there."""
    own = _OF_RUNS | _FOLDERS_OF_RUNS | _EXPORTS | (_OF_MAPS if kind_of(path) == "map" else set())
    drafts = {f"{name}.draft" for name in own}
    return sorted(each.name for each in path.iterdir() if each.name not in own | drafts)


def in_use(path: Path) -> bool:
    """Whether a pronghorn is at work in it."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(opened)
    return False


def disk_bytes(path: Path) -> dict[str, int]:
    """The bytes of disk that a run takes, by part: `artifacts`, `batches`, `trials`, `other`."""
    found: Counter[str] = Counter()
    for folder, folders, names in os.walk(path):
        for name in (*folders, *names):
            file = Path(folder, name)
            part = _PARTS.get(file.relative_to(path).parts[0], "other")
            try:
                found[part] += file.lstat().st_blocks * 512
            except OSError:
                continue
    return dict(found)


def _paths(folder: Path, depth: int) -> Iterator[Path]:
    try:
        below = sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink())
    except OSError:
        return
    for path in below:
        if kind_of(path):
            yield path
        elif depth < _DEEPEST:
            yield from _paths(path, depth + 1)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _title(path: Path, kind: str) -> str:
    table = _toml(path / (MAP if kind == "map" else EXPERIMENT))
    title = table.get("site" if kind == "map" else "name")
    title = title if isinstance(title, str) else "?"
    return f"map of {title}" if kind == "map" else title


def _started(path: Path, manifest: Mapping[str, Any], kind: str) -> str:
    if kind == "map":
        began = (_json(batch / MANIFEST).get("started") for batch in (path / BATCHES).glob("*"))
        return min((each for each in began if isinstance(each, str)), default="")
    started = manifest.get("started")
    return started if isinstance(started, str) else ""


def _state(path: Path, manifest: Mapping[str, Any], kind: str) -> str:
    if in_use(path):
        return "in use"
    if kind == "map":
        return "done" if (path / MAP_PAGE).is_file() else "stopped"
    if not manifest:
        return "damaged" if (path / MANIFEST).exists() else "stopped"
    return "done" if manifest.get("ended") else "stopped"


def _verdicts(file: Path) -> dict[str, int]:
    """How often each arm has which verdict, by `h3 faster`, over the cells: of the median that decides (as
    `CellSummary.led`). Read without its model, which would refuse a summary of another version."""
    cells = _json(file).get("cells")
    said: Counter[str] = Counter()
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict) or not isinstance(comparisons := cell.get("comparisons"), list):
            continue
        leading = "requests_per_second" if cell.get("client") == load.CLIENT else "load"
        for each in comparisons:
            if isinstance(each, dict) and (each.get("metric"), each.get("statistic")) == (leading, "median"):
                said[f"{each.get('arm')} {each.get('verdict')}"] += 1
    return dict(said)


def _trials(file: Path) -> int:
    """The lines behind the journal's first, which is its header."""
    if not _is_file(file):
        return 0
    lines = 0
    with file.open("rb") as opened:
        while piece := opened.read(2**20):
            lines += piece.count(b"\n")
    return max(0, lines - 1)


def _json(file: Path) -> dict[str, Any]:
    try:
        return dict(foreign.json_table(reading.content(file, reading.MOST_JSON, "a run's file")))
    except (reading.Unreadable, foreign.Malformed, json.JSONDecodeError):
        return {}


def _toml(file: Path) -> dict[str, Any]:
    try:
        return foreign.toml(reading.text(file, reading.MOST_TOML, "a run's file"))
    except (reading.Unreadable, tomllib.TOMLDecodeError, ValueError):
        return {}

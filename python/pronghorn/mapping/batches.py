"""The real trials of a map: each batch of points is an ordinary run, in a directory of its own beneath the
map's.

So a batch has journal, manifest, summary and report like any run, its contaminated blocks are repeated, and
what was interrupted goes on where it stood.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.analysis.blocks import select
from pronghorn.analysis.failing import commonest
from pronghorn.analysis.times import has_failed
from pronghorn.errors import InputError
from pronghorn.mapping.domain import Point
from pronghorn.mapping.explore import BLOCKS
from pronghorn.mapping.observed import Observation, log_ratio
from pronghorn.mapping.terms import ARMS, Terms
from pronghorn.model import belonging, experiment_file, experiment_table, load, stacks
from pronghorn.model.experiment import Experiment
from pronghorn.model.loaded import Failure
from pronghorn.model.path import PathProfile
from pronghorn.model.source import Source
from pronghorn.model.trial import Cell, Trial
from pronghorn.runs import directory as files
from pronghorn.runs import journal, left_out, prepare
from pronghorn.runs.directory import RunDirectory

FOLDER = "batches"

LEAST_QUEUE_BYTES = 64_000
"""A link's queue holds what is in flight over one round trip (Villamizar & Song, "High Performance TCP in
ANSNET", 1994), and never less than this."""

_OPTIONS = {
    "sites": "--site",
    "origins": "--origin",
    "clients": "--client",
    "arms": "--arms",
    "margin": "--margin",
}

Run = Callable[[Experiment, RunDirectory], None]
"""Executes an experiment into its directory."""


class SeenBlock(NamedTuple):
    """One block: each arm's load time in seconds, None where it failed, and the bounded log ratio of them,
    None where both failed."""

    number: int
    load_s: dict[str, float | None]
    log_ratio: float | None


class SeenPoint(NamedTuple):
    """A point with its blocks that count, and how many of its trials were discarded as contaminated."""

    point: Point
    batch: int
    blocks: tuple[SeenBlock, ...]
    contaminated: int

    @property
    def observation(self) -> Observation:
        """What the map learns of it."""
        ratios = tuple(block.log_ratio for block in self.blocks if block.log_ratio is not None)
        return Observation(self.point, ratios, len(self.blocks) - len(ratios))


class Batches:
    """The batches of the map in `folder`, of which those that were begun are read, and finished, first.
    `seen`, `cautions` (each warning's code, text and remedy, with the batches that have it) and `failures`
    (the commonest of each batch) grow with them."""

    def __init__(self, terms: Terms, folder: Path, run: Run) -> None:
        self._terms = terms
        self._folder = folder / FOLDER
        self._run = run
        self._count = 0
        self.seen: list[SeenPoint] = []
        self.cautions: dict[str, dict[str, Any]] = {}
        self.failures: list[Failure] = []

    def begun(self) -> list[Observation]:
        """The points of all batches that were begun; the last one is finished where it was interrupted."""
        found: list[Observation] = []
        while (self._next() / files.EXPERIMENT).is_file():
            stored = str(self._next() / files.EXPERIMENT)
            found += self._batch(
                experiment_file.read(stored, prepare.vocabulary(), overrides=[], seed=None, recorded=True)
            )
        return found

    def measure(self, points: Sequence[Point]) -> list[Observation]:
        """Measures the next batch."""
        return self._batch(experiment(self._terms, points, self._count + 1))

    @property
    def blocks(self) -> int:
        """The blocks that count."""
        return sum(len(one.blocks) for one in self.seen)

    @property
    def contaminated(self) -> int:
        """The trials that were discarded, and repeated with their blocks."""
        return sum(one.contaminated for one in self.seen)

    def _next(self) -> Path:
        return self._folder / f"{self._count + 1:03d}"

    def _batch(self, planned: Experiment) -> list[Observation]:
        folder = self._next()
        if not (folder / files.REPORT).is_file() or _lacks_trials(folder, planned):
            with RunDirectory(folder, resume=True) as claimed:
                self._run(planned, claimed)
        self._count += 1
        trials = journal.read(folder, belonging.of(planned)).trials
        seen = _read(trials, planned, self._terms, self._count)
        if (failure := commonest([one for one in trials if one.status == "failed"])) is not None:
            self.failures.append(failure)
        self.seen += seen
        self._note_cautions(folder, [path.name for path in planned.paths])
        return [one.observation for one in seen]

    def _note_cautions(self, folder: Path, paths: Sequence[str]) -> None:
        noted_there = files.read_manifest(folder)
        left_out.say(noted_there.warnings)
        for caution in noted_there.notes.get("warnings", []):
            told = {**caution, "text": counted(caution["text"], paths), "batches": []}
            noted = self.cautions.setdefault(caution["code"], told)
            if self._count not in noted["batches"]:
                noted["batches"].append(self._count)


def experiment(terms: Terms, points: Sequence[Point], number: int) -> Experiment:
    """The experiment that measures a batch of points; InputError where the terms can't be."""
    if terms.client == load.CLIENT:
        raise InputError(f"--client {terms.client}: a map is made of page loads.")
    if stacks.is_url(terms.origin):
        raise InputError(f"--origin {terms.origin}: a map needs emulated paths, and a live server has none.")
    table: dict[str, Any] = {
        "name": f"Map of {terms.site}, batch {number}",
        "sites": [terms.site],
        "paths": [point.name for point in points],
        "origins": [terms.origin],
        "clients": [terms.client],
        "arms": list(terms.arms),
        "repeat": BLOCKS,
        "margin": terms.margin,
        "seed": terms.seed,
        "preflight": number == 1,
        "clock": terms.clock,
        "path": {point.name: path_of(point) for point in points},
    }
    source = Source("pronghorn map", "")
    source.overrides.update({(key,): f"{option} {_shown(table[key])}" for key, option in _OPTIONS.items()})
    found = experiment_table.parse(
        table, source, prepare.vocabulary(), default_seed=terms.seed, folder=Path.cwd()
    )
    if len(found.arms) != ARMS:
        raise InputError(f"--arms {','.join(terms.arms)}: a map compares two arms. Name two, such as h2,h3.")
    return found


def path_of(point: Point) -> dict[str, Any]:
    """The path's TOML table: half of the round trip each way, the same rate and queue both ways, and the loss
    on the way down, where the bytes are."""
    queue = max(LEAST_QUEUE_BYTES, round(point.rate_bit_per_s * point.rtt_s / 8))
    link = {"rate": _rate(point.rate_bit_per_s), "delay": _delay(point.rtt_s), "queue": f"{queue}B"}
    loss = {"loss": f"{point.loss * 100:.7f}".rstrip("0").rstrip(".") + "%"} if point.loss else {}
    return {"down": link | loss, "up": dict(link)}


def point_of(path: PathProfile) -> Point:
    """The point that `path_of` made a path of."""
    if path.spec is None or path.spec.down.rate_bit_per_s is None:
        raise InputError(f"{path.place}: path '{path.name}' is not a path of a map.")
    lost = path.spec.down.loss
    return Point(path.spec.round_trip_s, lost.mean if lost else 0.0, float(path.spec.down.rate_bit_per_s))


def counted(text: str, paths: Sequence[str]) -> str:
    """`text` with each list of three or more of these `paths` cut to their number."""
    one = "|".join(re.escape(path) for path in sorted(paths, key=len, reverse=True))
    several = rf"(?:{one})(?:(?:, | and )(?:{one})){{2,}}"
    return re.sub(several, lambda found: f"{len(re.findall(one, found[0]))} paths", text)


def arm_of(planned: Experiment) -> str:
    """The arm that is compared with the baseline."""
    return next(arm.name for arm in planned.arms if arm.name != planned.baseline)


def _lacks_trials(folder: Path, planned: Experiment) -> bool:
    """Whether a finished batch has records that can't be used; they are set aside and measured again."""
    warnings = journal.read(folder, belonging.of(planned)).warnings
    left_out.say(warnings)
    return bool(warnings)


def _read(trials: Sequence[Trial], planned: Experiment, terms: Terms, number: int) -> list[SeenPoint]:
    sorted_ = select(trials, [arm.name for arm in planned.arms])
    seen = []
    for path in planned.paths:
        cell = Cell(site=planned.sites[0], path=path.name, origin=terms.origin, client=terms.client)
        found = sorted_.get(cell)
        blocks = tuple(_seen(block, planned) for block in found.blocks) if found else ()
        discarded = sum(found.contaminated.values()) if found else 0
        seen.append(SeenPoint(point_of(path), number, blocks, discarded))
    return seen


def _seen(block: dict[str, Trial], planned: Experiment) -> SeenBlock:
    return SeenBlock(
        number=next(iter(block.values())).block,
        load_s={
            arm.name: None if has_failed(block[arm.name]) else block[arm.name].metrics.load_s
            for arm in planned.arms
        },
        log_ratio=log_ratio(block[arm_of(planned)], block[planned.baseline]),
    )


def origin_versions(folder: Path, origin: str) -> list[str]:
    """What the manifests of the batches in a map's directory say of the origin's version: one, unless it was
    replaced meanwhile; none where no manifest says it."""
    found = set()
    for manifest in sorted((folder / FOLDER).glob(f"*/{files.MANIFEST}")):
        told = files.read_manifest(manifest.parent).notes.get("origins", {}).get(origin, {}).get("version")
        if told is not None:
            found.add(str(told))
    return sorted(found)


def _shown(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value)


def _rate(bit_per_s: float) -> str:
    whole = round(bit_per_s)
    return f"{whole}bit" if whole % 1000 else f"{whole // 1000}kbit"


def _delay(rtt_s: float) -> str:
    half_ns = round(rtt_s * 1e9 / 2)
    return f"{half_ns}ns" if half_ns % 1000 else f"{half_ns // 1000}us"

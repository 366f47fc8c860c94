"""An experiment: what is compared with what, where and how often; parsed from its TOML table."""

import hashlib
import json
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from pronghorn.errors import unknown
from pronghorn.model import arm as arms
from pronghorn.model import path as paths
from pronghorn.model import units
from pronghorn.model.arm import Arm
from pronghorn.model.browser import BrowserSettings
from pronghorn.model.path import PathProfile
from pronghorn.model.source import Source
from pronghorn.model.trial import Cell

DEFAULT_REPEAT = 20
DEFAULT_LIMIT = "180s"
DEFAULT_MARGIN = "3%"
DEFAULT_CACHE_CONTROL = "no-store"
NO_PAUSE = "0s"

KEYS = (
    "name", "sites", "paths", "origins", "clients", "arms", "baseline",
    "repeat", "state", "pause", "limit", "margin", "seed", "jobs", "artifacts", "path",
)  # fmt: skip

State = Literal["fresh", "kept"]
STATES = ("fresh", "kept")
"""Whether each load has a bench, an origin and a client of its own, or all loads of an arm in a cell share
them."""

ARTIFACTS = ("pcapng",)
"""What trials can be asked to leave beside their line in the journal."""


class Vocabulary(NamedTuple):
    """The names that an experiment may use: sites, origins, clients, and the shipped paths with their
    profiles."""

    sites: tuple[str, ...]
    origins: tuple[str, ...]
    clients: tuple[str, ...]
    paths: dict[str, PathProfile]


class Experiment(BaseModel):
    """A resolved experiment: every name known, every default filled in, the seed fixed.

    `repeat` is the number of blocks a cell; `limit_s` cuts a trial; `margin` is the equivalence margin as a
    share; `jobs` the trials side by side, None where the host decides; `artifacts` what each trial leaves
    beside its line in the journal; `pause` is what lies between the loads of a cell whose state is kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    sites: tuple[str, ...]
    paths: tuple[PathProfile, ...]
    origins: tuple[str, ...]
    clients: tuple[str, ...]
    arms: tuple[Arm, ...]
    baseline: str
    repeat: int
    limit: str
    margin_text: str
    seed: int
    jobs: int | None = None
    artifacts: tuple[str, ...] = ()
    state: State = "fresh"
    pause: str = NO_PAUSE
    cache_control: str = DEFAULT_CACHE_CONTROL
    browser: BrowserSettings = BrowserSettings()

    @property
    def dns(self) -> bool:
        """Whether names are looked up across the path: in every arm, as soon as one of them discovers HTTP/3
        so."""
        return any(arm.discovery == "https" for arm in self.arms)

    @property
    def limit_s(self) -> float:
        """How long a trial's load may last, in seconds."""
        return units.time_ns(self.limit) / 1e9

    @property
    def kept(self) -> bool:
        """Whether an arm's bench, origin and client stay open over all blocks of a cell."""
        return self.state == "kept"

    @property
    def pause_s(self) -> float:
        """What lies between two loads of a cell whose state is kept, in seconds."""
        return units.time_ns(self.pause) / 1e9

    @property
    def margin(self) -> float:
        """The equivalence margin as a share, 0.03 for ±3 %."""
        return units.share(self.margin_text)

    def cells(self) -> list[Cell]:
        """Every combination of site, path, origin and client, in the order written."""
        return [
            Cell(site=site, path=path.name, origin=origin, client=client)
            for site in self.sites
            for path in self.paths
            for origin in self.origins
            for client in self.clients
        ]

    def path(self, name: str) -> PathProfile:
        """The profile of one of the experiment's paths."""
        return next(path for path in self.paths if path.name == name)

    def arm(self, name: str) -> Arm:
        """One of the experiment's arms."""
        return next(arm for arm in self.arms if arm.name == name)

    def on_direct(self) -> "Experiment":
        """The same experiment without an emulated network."""
        return self.model_copy(update={"paths": (paths.direct(),)})

    def resolved(self) -> dict[str, Any]:
        """The experiment as a TOML table which needs no other file: parsing it gives this experiment
        again."""
        table: dict[str, Any] = {
            "name": self.name,
            "sites": list(self.sites),
            "paths": [path.name for path in self.paths],
            "origins": list(self.origins),
            "clients": list(self.clients),
            "arms": [arm.name for arm in self.arms],
            "baseline": self.baseline,
            "repeat": self.repeat,
            "limit": self.limit,
            "margin": self.margin_text,
            "seed": self.seed,
        }
        if self.jobs is not None:
            table["jobs"] = self.jobs
        if self.artifacts:
            table["artifacts"] = list(self.artifacts)
        if self.kept:
            table |= {"state": self.state, "pause": self.pause}
        definitions = {path.name: path.definition for path in self.paths if path.name != paths.DIRECT}
        return {**table, "path": definitions} if definitions else table

    def digest(self) -> str:
        """SHA-256 (hex) of what decides the plan and its meaning; `jobs` does neither."""
        table = {key: value for key, value in self.resolved().items() if key != "jobs"}
        return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()


def parse(
    table: dict[str, Any], source: Source, vocabulary: Vocabulary, *, default_seed: int, folder: Path
) -> Experiment:
    """The experiment in `table`; InputError with its place where something is wrong.

    `default_seed` holds where the experiment names none; `folder` is what a site's relative `dir:PATH` starts
    from."""
    source.refuse_unknown((), table, KEYS)
    reader = _Reader(table, source)
    profiles = _profiles(table, source, vocabulary)
    arm_list = _arms(reader)
    return Experiment(
        name=reader.text("name", Path(source.name).stem),
        sites=tuple(_site(name, reader, vocabulary, folder) for name in reader.names("sites")),
        paths=tuple(profiles[name] for name in reader.known("paths", "path", tuple(profiles))),
        origins=reader.known("origins", "origin", vocabulary.origins, ("builtin",)),
        clients=reader.known("clients", "client", vocabulary.clients, ("native",)),
        arms=arm_list,
        baseline=_baseline(reader, arm_list),
        repeat=_repeat(reader),
        limit=_limit(reader),
        margin_text=_margin(reader),
        seed=reader.whole("seed", default_seed, least=0, most=2**63 - 1),
        jobs=reader.whole("jobs", None, least=1, most=1024) if "jobs" in table else None,
        artifacts=_artifacts(reader),
        state=_state(reader),
        pause=_pause(reader),
    )


class _Reader:
    def __init__(self, table: dict[str, Any], source: Source) -> None:
        self.table = table
        self.source = source

    def text(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.source.error((key,), f"{value!r} is no text.")
        return value

    def whole(self, key: str, default: Any, *, least: int, most: int) -> Any:
        value = self.table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.source.error((key,), f"{value!r} is no whole number from {least} to {most}.")
        return value

    def names(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        if key not in self.table and default is not None:
            return default
        if key not in self.table:
            raise self.source.error((), f"key '{key}' is missing; it is a list of names.")
        value = self.table[key]
        if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
            raise self.source.error(
                (key,), f'{value!r} is no list of names; write at least one, such as ["…"].'
            )
        for index, item in enumerate(value):
            if item in value[:index]:
                hint = " Equal arms are told apart by a label, such as 'h2#again'." if key == "arms" else ""
                raise self.source.error((key,), f"{item!r} is listed twice.{hint}", element=item)
        return tuple(value)

    def known(
        self, key: str, kind: str, allowed: tuple[str, ...], default: tuple[str, ...] | None = None
    ) -> tuple[str, ...]:
        names = self.names(key, default)
        for name in names:
            if name not in allowed:
                raise self.source.error((key,), unknown(kind, name, allowed), element=name)
        return names


def _profiles(table: dict[str, Any], source: Source, vocabulary: Vocabulary) -> dict[str, PathProfile]:
    definitions = table.get("path", {})
    if not isinstance(definitions, dict):
        raise source.error(("path",), "a path is defined in a table of its own, [path.NAME].")
    profiles = {**vocabulary.paths, paths.DIRECT: paths.direct()}
    for name, definition in definitions.items():
        if name == paths.DIRECT:
            raise source.error(
                ("path", name), f"{name!r} is the path without an emulated network; choose another name."
            )
        profiles[name] = paths.parse(name, definition, source, ("path", name))
    return profiles


def _site(name: str, reader: _Reader, vocabulary: Vocabulary, folder: Path) -> str:
    if name.startswith("dir:"):
        root = (folder / name.removeprefix("dir:")).resolve()
        if not root.is_dir():
            raise reader.source.error(("sites",), f"{name!r}: {root} is no folder.", element=name)
        return f"dir:{root}"
    if name not in vocabulary.sites:
        raise reader.source.error(
            ("sites",), unknown("site", name, (*vocabulary.sites, "dir:PATH")), element=name
        )
    return name


def _arms(reader: _Reader) -> tuple[Arm, ...]:
    parsed: list[Arm] = []
    for name in reader.names("arms"):
        try:
            arm = arms.parse(name)
        except arms.ArmError as error:
            raise reader.source.error(("arms",), str(error), element=name) from None
        for earlier in parsed:
            if earlier.identity == arm.identity:
                raise reader.source.error(
                    ("arms",),
                    f"{name!r} is listed twice: {earlier.name!r} is the same arm. "
                    f"Equal arms are told apart by a label, such as '{name}#again'.",
                    element=name,
                )
        parsed.append(arm)
    return tuple(parsed)


def _baseline(reader: _Reader, arm_list: tuple[Arm, ...]) -> str:
    names = [arm.name for arm in arm_list]
    default = next((arm.name for arm in arm_list if arm.protocol == "h2"), names[0])
    baseline = reader.text("baseline", default)
    if baseline not in names:
        raise reader.source.error(("baseline",), unknown("arm", baseline, names))
    return baseline


def _repeat(reader: _Reader) -> int:
    if isinstance(reader.table.get("repeat"), dict):
        raise reader.source.error(
            ("repeat",),
            "repeating until a verdict stands (a table) is not yet available; write a whole number of "
            "blocks.",
        )
    return int(reader.whole("repeat", DEFAULT_REPEAT, least=1, most=1_000_000))


def _state(reader: _Reader) -> State:
    name = reader.text("state", "fresh")
    if name not in STATES:
        raise reader.source.error(("state",), unknown("state", name, STATES))
    return "kept" if name == "kept" else "fresh"


def _pause(reader: _Reader) -> str:
    value = reader.table.get("pause", NO_PAUSE)
    if "pause" in reader.table and _state(reader) != "kept":
        raise reader.source.error(
            ("pause",), 'a pause lies between loads of one client; allowed with state = "kept" only.'
        )
    try:
        units.time_ns(value)
    except units.UnitError as error:
        raise reader.source.error(("pause",), f"{error}.") from None
    return str(value)


def _artifacts(reader: _Reader) -> tuple[str, ...]:
    names = reader.known("artifacts", "artifact", ARTIFACTS, ())
    if names and _state(reader) == "kept":
        raise reader.source.error(
            ("artifacts",),
            "artifacts are written when a bench closes, and a kept one closes after many loads; "
            'allowed with state = "fresh" only.',
        )
    return names


def _limit(reader: _Reader) -> str:
    value = reader.table.get("limit", DEFAULT_LIMIT)
    try:
        if units.time_ns(value) == 0:
            raise units.UnitError(f"{value!r}: a limit must be greater than zero")
    except units.UnitError as error:
        raise reader.source.error(("limit",), f"{error}.") from None
    return str(value)


def _margin(reader: _Reader) -> str:
    value = reader.table.get("margin", DEFAULT_MARGIN)
    try:
        if units.share(value) >= 1:
            raise units.UnitError(f"{value!r}: a margin must be less than 100%")
    except units.UnitError as error:
        raise reader.source.error(("margin",), f"{error}.") from None
    return str(value)

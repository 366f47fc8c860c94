"""An experiment: what is compared with what, where and how often."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from pronghorn.model import (
    background,
    experiment_digest,
    experiment_knobs,
    explanation,
    load,
    replay_settings,
    sampling,
    site_settings,
    stacks,
    units,
)
from pronghorn.model import events as server_events
from pronghorn.model import experiment_values as values
from pronghorn.model import path as paths
from pronghorn.model.arm import Arm
from pronghorn.model.background import Background
from pronghorn.model.browser import BrowserSettings
from pronghorn.model.cell import GUEST, HOST
from pronghorn.model.certificate import CertificateSettings
from pronghorn.model.events import ServerEvent
from pronghorn.model.experiment_knobs import KnobTables
from pronghorn.model.explanation import Explanation
from pronghorn.model.load import LoadSettings
from pronghorn.model.own_stack import OwnStack
from pronghorn.model.path import PathProfile
from pronghorn.model.recorded_site import RecordedSite
from pronghorn.model.replay_settings import ReplaySettings
from pronghorn.model.sampling import Sampling
from pronghorn.model.site_settings import Compression
from pronghorn.model.trial import MOST_ATTEMPTS, Cell

LIVE_SITE = "live"
"""The name of a live server's page as a site: it is whatever the server answers."""


class Experiment(BaseModel):
    """A resolved experiment: every name known, every default filled in, the seed fixed.

    `repeat` is the number of blocks a cell, the most of them where `sampling` says when to stop; `attempts`
    how often a block is tried until none of its trials is contaminated; `limit_s` cuts a trial; `margin` is
    the equivalence margin as a share, `margin_s` the one of differences of times; `jobs` the trials side
    by side, None where the host decides; `artifacts` what each trial leaves beside its line in the journal;
    `pause` is what lies between the loads of a cell whose state is kept.
    `cache_control` goes on every response, where it is the one of warm arms but on documents; `compression`
    says whether the text of the sites lies there compressed, and `hosts` whose absolute addresses are a
    folder's own, where that isn't to be found in the folder; `replay` says how recorded sites are served and
    loaded; `own_origins` and `own_clients` are those that
    the experiment defines itself. `texts` are files that it names, by the names under which a run keeps them;
    `authority` is that of the authority which vouches for live servers, None: the system's do. `explain`
    holds the differences between arms that its summary takes apart. `knobs` are settings of the arms'
    transports; with `fair` those that are left unsaid are equal in all arms, as far as somebody honours them
    (`knobs/fair.py`).
    `load` is what the client of that name makes; `published` the name of the measurements that the run is
    held against. `background` is a load that runs beside each page load, `events` are done to the
    origin in each load. `preflight` says what becomes of a
    run whose arms fail in a load before the schedule. `tolerate` are globs, over path and
    query, of the requests that may fail without failing their load. `clock` says whether trials run in real
    time, in guests whose clock is virtual, or each cell both ways; `kernels` are the guests' versions of
    Linux that are compared."""

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
    margin_time: str | None = None
    attempts: int = MOST_ATTEMPTS
    jobs: int | None = None
    artifacts: tuple[str, ...] = ()
    state: values.State = "fresh"
    pause: str = values.NO_PAUSE
    cache_control: str = values.DEFAULT_CACHE_CONTROL
    compression: Compression = site_settings.BEFORE
    hosts: tuple[str, ...] = ()
    certificate: CertificateSettings = CertificateSettings()
    replay: ReplaySettings = ReplaySettings()
    browser: BrowserSettings = BrowserSettings()
    own_origins: dict[str, OwnStack] = {}
    own_clients: dict[str, OwnStack] = {}
    texts: dict[str, str] = {}
    authority: str | None = None
    explain: tuple[Explanation, ...] = ()
    fair: bool = False
    knobs: KnobTables = KnobTables()
    load: LoadSettings | None = None
    published: str | None = None
    background: Background | None = None
    events: tuple[ServerEvent, ...] = ()
    sampling: Sampling | None = None
    preflight: values.Preflight = "on"
    tolerate: tuple[str, ...] = ()
    clock: values.Clock = "real"
    kernels: tuple[str, ...] = ()

    @property
    def virtual(self) -> bool:
        """Whether all its trials run in virtual time."""
        return self.clock == "virtual"

    @property
    def in_guests(self) -> bool:
        """Whether any of its trials run in virtual time."""
        return self.clock != "real"

    @property
    def cell_kernels(self) -> tuple[str, ...]:
        """What its cells have as their kernel."""
        if self.clock == "both":
            return (HOST, *(self.kernels or (GUEST,)))
        return self.kernels if len(self.kernels) > 1 else ("",)

    def version(self, kernel: str) -> str | None:
        """Which version of the guests' kernel is meant by a cell's; None: the newest that is built."""
        if kernel in ("", GUEST):
            return self.kernels[0] if self.kernels else None
        return kernel

    def is_virtual(self, kernel: str) -> bool:
        """Whether trials of cells with that kernel run in virtual time."""
        return self.in_guests and kernel != HOST

    @property
    def dns(self) -> bool:
        """Whether names are looked up across the path: in every arm, as soon as one of them discovers HTTP/3
        so."""
        return not self.live and any(arm.discovery == "https" for arm in self.arms)

    @property
    def document_headers(self) -> dict[str, str]:
        """The headers that HTML documents have of their own. Where the origin's resources may be cached and
        nobody has said how, a document is asked for again (RFC 9111 §5.2.2.4), or a warm visit would make no
        request at all."""
        return {"cache-control": "no-cache"} if self.cache_control == values.CACHEABLE else {}

    @property
    def recorded_sites(self) -> list[str]:
        """Its sites that are archives."""
        return [site for site in self.sites if RecordedSite.of(site)]

    @property
    def live(self) -> bool:
        """Whether its origins are live servers, measured without an emulated path."""
        return any(stacks.is_url(origin) for origin in self.origins)

    @property
    def limit_s(self) -> float:
        """How long a page load may last, in seconds."""
        return units.time_ns(self.limit) / 1e9

    def limit_of(self, client: str) -> float:
        """How long what a client does in a trial may last, in seconds."""
        own = self.load.limit_s if self.load is not None and client == load.CLIENT else None
        return self.limit_s if own is None else own

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

    @property
    def margin_s(self) -> float | None:
        """The equivalence margin of differences of times in seconds, where there is one."""
        return None if self.margin_time is None else units.time_ns(self.margin_time) / 1e9

    def cells(self) -> list[Cell]:
        """Every combination of site, path, origin, client and kernel, in the order written."""
        return [
            Cell(site=site, path=path.name, origin=origin, client=client, kernel=kernel)
            for site in self.sites
            for path in self.paths
            for origin in self.origins
            for client in self.clients
            for kernel in self.cell_kernels
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

    def worded_as(self, other: "Experiment") -> "Experiment":
        """The same experiment with its paths described in another's words, where they have the same paths."""
        if [path.name for path in self.paths] != [path.name for path in other.paths]:
            return self
        described = tuple(own.worded_as(theirs) for own, theirs in zip(self.paths, other.paths, strict=True))
        return self.model_copy(update={"paths": described})

    def resolved(self) -> dict[str, Any]:
        """The experiment as a TOML table which needs no other file: parsing it gives this experiment
        again."""
        table: dict[str, Any] = {
            "name": self.name,
            **({} if self.live else {"sites": list(self.sites)}),
            "paths": [path.name for path in self.paths],
            "origins": stacks.definition(self.origins, self.own_origins),
            "clients": stacks.definition(self.clients, self.own_clients),
            "arms": [arm.name for arm in self.arms],
            "baseline": self.baseline,
            sampling.KEY: self.repeat if self.sampling is None else self.sampling.definition(),
            "limit": self.limit,
            "margin": self.margin_text,
            "seed": self.seed,
            "browser": self.browser.definition(),
        }
        if not self.live:
            table["cache_control"] = self.cache_control
            table["certificate"] = self.certificate.definition()
            table[site_settings.COMPRESSION] = self.compression
        if self.recorded_sites:
            table[replay_settings.KEY] = self.replay.definition()
        if self.hosts:
            table[site_settings.HOST] = list(self.hosts)
        if self.authority is not None:
            table["authority"] = self.authority
        if self.explain:
            table[explanation.KEY] = [one.definition() for one in self.explain]
        if self.attempts != MOST_ATTEMPTS:
            table["attempts"] = self.attempts
        if self.fair:
            table["fair"] = True
        if self.load is not None:
            table[load.KEY] = self.load.definition()
        if self.background is not None:
            table[background.KEY] = self.background.definition()
        if self.events:
            table[server_events.KEY] = [one.definition() for one in self.events]
        if self.tolerate:
            table["tolerate"] = list(self.tolerate)
        if self.in_guests:
            table["clock"] = self.clock
        if self.kernels:
            table["kernels"] = list(self.kernels)
        if self.published is not None:
            table["published"] = self.published
        if knobs := self.knobs.definition():
            table[experiment_knobs.KEY] = knobs
        if self.margin_time is not None:
            table["margin_time"] = self.margin_time
        if self.jobs is not None:
            table["jobs"] = self.jobs
        if self.preflight != "on":
            table["preflight"] = values.PREFLIGHTS[self.preflight]
        if self.artifacts:
            table["artifacts"] = list(self.artifacts)
        if self.kept:
            table |= {"state": self.state, "pause": self.pause}
        others = [path.other for path in self.paths if path.other is not None]
        known = {path.name: path for path in (*others, *self.paths) if path.name != paths.DIRECT}
        definitions = {name: path.definition for name, path in known.items()}
        return {**table, "path": definitions} if definitions else table

    def digest(self) -> str:
        """SHA-256 (hex) of what decides the plan and its meaning."""
        return experiment_digest.of(self.resolved())

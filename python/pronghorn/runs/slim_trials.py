"""Trials without what only a closer look at one of them wants, so that very many fit into memory.

They are trials like any other to whoever asks for their figures. What is left out has a name in the journal
that no key has here, so that it is passed over unread.
"""

import re
from functools import cache, lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pronghorn.model.trial import (
    ArrivalsReport,
    Cell,
    Connection,
    Counters,
    CpuTime,
    HostCounters,
    Lateness,
    LeftOut,
    LinkCounters,
    OriginConnection,
    OriginCount,
    OriginRequest,
    PageLoad,
    Resource,
    Trial,
)
from pronghorn.model.why import HeadOfLine, StreamWaits, Why

_NOTHING, _UNTOLD = Lateness(), CpuTime()
_REQUESTS = re.compile(rb'"resources"\s*:\s*\[\s*\{')
"""How a record begins to tell requests one by one, with whatever white space its writer leaves."""
_NO_FIELDS: set[str] = set()


def _left_out(default: Any = None) -> Any:
    """A field that always has its default; one shared object, since nobody changes a record."""
    return Field(default_factory=lambda: default, validation_alias="")


class SlimLink(LinkCounters):
    """A link's counters without its clock's."""

    model_config = ConfigDict(extra="ignore")

    bytes_in: int = _left_out(0)
    bytes_out: int = _left_out(0)
    queue_high_water_bytes: int = _left_out(0)
    queue_high_water_packets: int = _left_out(0)
    delay_min_s: float | None = _left_out()
    intake_wait: Lateness = _left_out(_NOTHING)
    wake: Lateness = _left_out(_NOTHING)
    handover: Lateness = _left_out(_NOTHING)


class SlimCounters(Counters):
    """The links' counters alone."""

    model_config = ConfigDict(extra="ignore")

    down: SlimLink | None = None
    up: SlimLink | None = None
    host: HostCounters | None = _left_out()
    arrivals: ArrivalsReport | None = _left_out()


class SlimPage(PageLoad):
    """A load without its requests and connections; `told`: whether the whole record has its requests. What it
    left out is one object with what other loads of the page did."""

    model_config = ConfigDict(extra="ignore")

    cpu: CpuTime = _left_out(_UNTOLD)
    connections: list[Connection] = _left_out([])
    resources: list[Resource] = _left_out([])
    told: bool = _left_out(False)

    @field_validator("left_out")
    @classmethod
    def _share(cls, left_out: list[LeftOut]) -> list[LeftOut]:
        return [_shared_reference(one.url, one.why, one.kind) for one in left_out]

    @property
    def tells_requests(self) -> bool:
        """Whether the whole record has its requests one by one."""
        return self.told


class SlimHeadOfLine(HeadOfLine):
    """The waits of all streams together."""

    model_config = ConfigDict(extra="ignore")

    streams: list[StreamWaits] = _left_out([])


class SlimWhy(Why):
    """A load's parts without its single streams."""

    model_config = ConfigDict(extra="ignore")

    head_of_line: SlimHeadOfLine | None = None


class SlimTrial(Trial):
    """A trial without what single requests and connections did."""

    model_config = ConfigDict(extra="ignore")

    page: SlimPage | None = None
    counters: SlimCounters | None = None
    why: SlimWhy | None = None
    warnings: list[str] = _left_out([])
    origin_log: list[OriginRequest] = _left_out([])
    origin_connections: list[OriginConnection] = _left_out([])
    origin_counts: list[OriginCount] = _left_out([])
    origin_tickets: dict[str, dict[str, int]] = _left_out({})
    knobs: dict[str, int | bool | str] = _left_out({})


@lru_cache(maxsize=10_000)
def _shared_reference(url: str, why: str, kind: str) -> LeftOut:
    return LeftOut(url=url, why=why, kind=kind)


@cache
def _shared(cell: Cell) -> Cell:
    return cell


def slim(line: bytes) -> SlimTrial:
    """The trial of a journal's line. ValidationError where it is none."""
    trial = SlimTrial.model_validate_json(line)
    if trial.page is not None:
        trial.page.told = _REQUESTS.search(line) is not None
    trial.cell = _shared(trial.cell)
    _forget_what_was_told(trial)
    return trial


def _forget_what_was_told(record: BaseModel) -> None:
    """Drops the sets of the fields that the journal has, which pydantic keeps with each record for those who
    write again what was read alone: half of a record's memory."""
    object.__setattr__(record, "__pydantic_fields_set__", _NO_FIELDS)
    for value in record.__dict__.values():
        if isinstance(value, BaseModel) and value.__pydantic_fields_set__ is not _NO_FIELDS:
            _forget_what_was_told(value)


class SlimResource(Resource):
    """A resource's times."""

    model_config = ConfigDict(extra="ignore")


class _Loaded(BaseModel):
    resources: list[SlimResource] = []


class _Line(BaseModel):
    page: _Loaded | None = None


def resources(line: bytes) -> list[Resource]:
    """The resources of the load in a journal's line. ValidationError where it is none."""
    page = _Line.model_validate_json(line).page
    return [] if page is None else list(page.resources)

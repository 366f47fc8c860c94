"""Published figures of loads, which a run can be set beside."""

import tomllib
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict


class PublishedFigures(BaseModel):
    """What an article prints of one protocol under one impairment."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    total_s: float
    requests_per_second: float


class PublishedRow(BaseModel):
    """One impairment, by the name that our experiment has for its path. A protocol without a result is
    None."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    path: str
    h1: PublishedFigures | None = None
    h2: PublishedFigures | None = None
    h3: PublishedFigures | None = None

    def of(self, protocol: str) -> PublishedFigures | None:
        """The figures of a protocol."""
        found = {"h1": self.h1, "h2": self.h2, "h3": self.h3}
        return found[protocol]


class PublishedLoad(BaseModel):
    """What was asked of the server, by the names of an experiment's `[load]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    threads: int
    connections: int
    streams: int
    requests: int


class Published(BaseModel):
    """One article's measurements: how they were made, in words and as a `[load]` says it, and their rows. Its
    claims stand in the study of the same name."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    title: str
    client: str
    server: str
    impairment: str
    load: PublishedLoad
    rows: tuple[PublishedRow, ...]

    def row(self, path: str) -> PublishedRow | None:
        """The row of a path; None where nothing was published of it."""
        return next((row for row in self.rows if row.path == path), None)

    @property
    def protocols(self) -> list[str]:
        """Those of which anything was published."""
        return [name for name in ("h1", "h2", "h3") if any(row.of(name) for row in self.rows)]


@cache
def names() -> tuple[str, ...]:
    """The measurements that come with the program."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in _folder().iterdir()))


@cache
def read(name: str) -> Published:
    """One of them; KeyError where there is none of this name."""
    if name not in names():
        raise KeyError(name)
    text = (_folder() / f"{name}.toml").read_text(encoding="utf-8")
    return Published.model_validate(tomllib.loads(text))


def _folder() -> resources.abc.Traversable:
    return resources.files("pronghorn") / "data" / "published"

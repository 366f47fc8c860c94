"""What a load asks of an origin, as an experiment's table `[load]` says it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from pronghorn.model import units
from pronghorn.model.experiment_reader import ExperimentReader

KEY = "load"
CLIENT = "load"
"""The client that makes loads rather than loading pages."""

EXAMPLE = "{ requests = 10000, connections = 100, streams = 100 }"

_KEYS = (
    "threads", "connections", "streams", "requests", "duration", "rate", "distribution", "connect",
    "warm_up", "limit", "document",
)  # fmt: skip

Distribution = Literal["constant", "poisson"]
Connect = Literal["keep", "each"]

_MOST = 2**31 - 1
_MOST_CONNECTIONS = 100_000
_MOST_STREAMS = 100_000
_MOST_THREADS = 1024


class LoadSettings(BaseModel):
    """A load of so many `requests`, or of a `duration`; the other is None. Each of `connections` keeps
    `streams` requests in flight (on h1: pipelined), unless `rate`, in requests a second, says when requests
    start: `distribution` apart. `connect` is `each` where every request has a connection of its own.
    `warm_up` is a time or a number of requests that aren't measured. `document` is the path that is asked
    for, None: the site's document; `limit` cuts the load, None: as the experiment's. Times are as written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    threads: int = 1
    connections: int = 1
    streams: int = 1
    requests: int | None = None
    duration: str | None = None
    rate: float | None = None
    distribution: Distribution = "constant"
    connect: Connect = "keep"
    warm_up: str | int | None = None
    limit: str | None = None
    document: str | None = None

    @property
    def duration_s(self) -> float | None:
        """How long requests are sent, in seconds; None where their number says when it ends."""
        return None if self.duration is None else units.time_ns(self.duration) / 1e9

    @property
    def limit_s(self) -> float | None:
        """When the load is cut, in seconds; None: as the experiment says."""
        return None if self.limit is None else units.time_ns(self.limit) / 1e9

    @property
    def warm_up_s(self) -> float:
        """How long it warms up, in seconds; 0 where it doesn't, or with a number of requests."""
        return units.time_ns(self.warm_up) / 1e9 if isinstance(self.warm_up, str) else 0.0

    def stop(self) -> dict[str, Any]:
        """When it ends, by the names of the engine's protocol."""
        return {"requests": self.requests} if self.requests else {"duration_s": self.duration_s}

    def warmed_up(self) -> dict[str, Any] | None:
        """What isn't measured at its start, by the names of the engine's protocol."""
        if self.warm_up is None or isinstance(self.warm_up, int):
            return {"requests": self.warm_up} if self.warm_up else None
        return {"duration_s": self.warm_up_s}

    def definition(self) -> dict[str, Any]:
        """The TOML table which parses to it again."""
        return self.model_dump(exclude_none=True, exclude_defaults=True)


def parse(reader: ExperimentReader) -> LoadSettings:
    """The load in the table that `reader` reads; InputError where it is wrong."""
    reader.allow(*_KEYS)
    if ("requests" in reader) == ("duration" in reader):
        raise reader.error(
            "duration" if "duration" in reader else None,
            "a load ends after 'requests' or after a 'duration'. Write one of the two.",
        )
    found = endless(reader)
    requests = reader.whole("requests", None, least=1, most=_MOST)
    if requests is not None and requests < found.connections:
        raise reader.error(
            "requests",
            f"{requests} requests leave some of the {found.connections} connections without a request.",
        )
    more = {
        "requests": requests,
        "duration": time(reader, "duration"),
        "warm_up": _warm_up(reader),
        "limit": time(reader, "limit"),
    }
    return found.model_copy(update=more)


def within(reader: ExperimentReader, found: LoadSettings, limit_s: float) -> LoadSettings:
    """The load, where its own limit or else the experiment's leaves it the time that it is to last;
    InputError where every trial would be cut."""
    own_s = limit_s if found.limit_s is None else found.limit_s
    lasts_s = found.warm_up_s + (found.duration_s or 0.0)
    if own_s > lasts_s:
        return found
    key = "duration" if found.duration is not None else "warm_up"
    raise reader.error(
        key,
        f"the load itself lasts {lasts_s:g} s, but its limit stops it at {own_s:g} s. Write a longer "
        "'limit', here or for the whole experiment.",
    )


def endless(reader: ExperimentReader) -> LoadSettings:
    """What a table says of connections and requests; nothing of when the load ends."""
    rate = _rate(reader)
    distribution = reader.choice("distribution", "distribution", ("constant", "poisson"), "constant")
    if rate is None and "distribution" in reader:
        raise reader.error(
            "distribution", "this sets how requests of a 'rate' are spaced. Write a rate, or leave this out."
        )
    connect = reader.choice("connect", "way to connect", ("keep", "each"), "keep")
    connections = reader.whole("connections", 1, least=1, most=_MOST_CONNECTIONS)
    threads = reader.whole("threads", 1, least=1, most=_MOST_THREADS)
    if threads > connections:
        raise reader.error("threads", f"{threads} threads have only {connections} connections to drive.")
    return LoadSettings(
        threads=threads,
        connections=connections,
        streams=reader.whole("streams", 1, least=1, most=_MOST_STREAMS),
        rate=rate,
        distribution="poisson" if distribution == "poisson" else "constant",
        connect="each" if connect == "each" else "keep",
        document=_document(reader),
    )


def time(reader: ExperimentReader, key: str) -> str | None:
    """A time as written, greater than zero; None where the key is missing."""
    if key not in reader:
        return None
    value = reader.table[key]
    try:
        if units.time_ns(value) == 0:
            raise units.UnitError(f"{value!r}: a {key} must be greater than zero")
    except units.UnitError as error:
        raise reader.error(key, f"{error}.") from None
    return str(value)


def _rate(reader: ExperimentReader) -> float | None:
    if "rate" not in reader:
        return None
    value = reader.table["rate"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise reader.error("rate", f"{value!r} is no number of requests a second.")
    return float(value)


def _warm_up(reader: ExperimentReader) -> str | int | None:
    value = reader.table.get("warm_up")
    if isinstance(value, int):
        return int(reader.whole("warm_up", None, least=1, most=_MOST))
    return time(reader, "warm_up")


def _document(reader: ExperimentReader) -> str | None:
    if "document" not in reader:
        return None
    document = reader.text("document", "/")
    if not document.startswith("/") or not all("!" <= letter <= "~" for letter in document):
        raise reader.error("document", f"{document!r} is no path of a URL; it begins with '/'.")
    return document

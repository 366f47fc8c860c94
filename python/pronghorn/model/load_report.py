"""What a load measured: the engine's LoadReport (docs/engine-protocol.md). Times are seconds, sizes bytes;
unknown keys are kept."""

from typing import Annotated

from pydantic import Field

from pronghorn.model.bounds import Count, Counts, Moment, Rate, Seconds, Several, Text
from pronghorn.model.from_engine import Controller, FromEngine, Settings


class Distribution(FromEngine):
    """A time's statistics over `count` samples, from a histogram of three significant digits."""

    count: Count
    min: Seconds
    mean: Seconds
    sd: Seconds
    max: Seconds
    p50: Seconds
    p75: Seconds
    p90: Seconds
    p95: Seconds
    p99: Seconds
    p999: Seconds
    p9999: Seconds


class Latencies(FromEngine):
    """`connect`: from a connection's beginning to the end of its handshakes. `first_byte` and `total`: of
    requests that succeeded, from when they were handed to their connection (open loop: were due) to their
    response's head and its last byte. `lag`: how late the generator itself was. Null without samples."""

    connect: Distribution | None = None
    first_byte: Distribution | None = None
    total: Distribution | None = None
    lag: Distribution | None = None


class Requests(FromEngine):
    """`planned` = `sent` + `unsent`, `sent` = `succeeded` + all `failed`. `warm_up` were before, `retried`
    are attempts made again after the server had not processed one. `statuses` are of all responses."""

    planned: Count
    sent: Count
    unsent: Count = 0
    retried: Count = 0
    succeeded: Count
    failed: Counts = Field(default_factory=dict)
    statuses: Counts = Field(default_factory=dict)
    warm_up: Count = 0

    @property
    def failures(self) -> int:
        """How many failed, of whatever kind."""
        return sum(self.failed.values())


class Spread(FromEngine):
    """Requests per second over the connections: is one served better than others?"""

    min: Rate
    mean: Rate
    median: Rate
    max: Rate
    sd: Rate


class Connections(FromEngine):
    """`attempted` and `established` count replacements too. `most_under_way`: requests at once on a
    connection, after its first answer; `streams_allowed`: the fewest that the server allowed on one, where it
    said so."""

    attempted: Count
    established: Count
    failed: Counts = Field(default_factory=dict)
    resumed: Count = 0
    early_data_accepted: Count = 0
    closed_by_peer: Count = 0
    most_under_way: Count = 0
    streams_allowed: Count | None = None
    requests_per_second: Spread | None = None

    @property
    def refused_here(self) -> int:
        """How many attempts this host refused itself, so that they say nothing of the server."""
        return self.failed.get("local", 0)


class Volume(FromEngine):
    """`payload`: of responses' bodies, as they came; `uploaded`: of the bodies of requests that succeeded;
    `headers`: of whole responses, decoded; `wire_*`: IP packets'."""

    payload: Count
    uploaded: Count = 0
    headers: Count
    wire_received: Count
    wire_sent: Count


class Rates(FromEngine):
    """Per second of the window."""

    payload: Rate
    uploaded: Rate = 0.0
    wire_received: Rate
    wire_sent: Rate


class Cpu(FromEngine):
    """CPU seconds of the generator's threads; `waited`: ready to run, but without a CPU; `critical`: the most
    by which one thread's waits can have delayed its requests, None where nobody tells."""

    user: Seconds
    system: Seconds
    waited: Seconds = 0.0
    critical: Seconds | None = None

    @property
    def total(self) -> float:
        """Both."""
        return self.user + self.system


class TlsRead(FromEngine):
    """What the handshake agreed on; `version` is `TLS 1.3` or `TLS 1.2`."""

    version: Text | None = None
    cipher: Text | None = None


class Failure(FromEngine):
    """One of the first failures, in words."""

    kind: Text
    detail: Text


class FailureTime(FromEngine):
    """So many requests failed in the same way within a millisecond, which begins at `monotonic_s`, in seconds
    of CLOCK_MONOTONIC."""

    monotonic_s: Moment
    kind: Text
    requests: Count


class LoadReport(FromEngine):
    """A whole load. `finished` is false where it was cut. `settings` and `congestion_control` are the first
    connection's, as read back. `stood_still_s`: how long the generator itself was stopped or had no CPU;
    `server_drops`: datagrams for which the server's socket had no room, None where nobody tells.
    `failure_times` says when requests failed, where that was asked for; `window_monotonic_s` when the window
    began, in seconds of CLOCK_MONOTONIC."""

    requests: Requests
    connections: Connections
    window_s: Seconds
    requests_per_second: Rate
    finished: bool
    bytes: Volume
    bytes_per_second: Rates
    latency_seconds: Latencies
    cpu_s: Cpu
    stood_still_s: Seconds = 0.0
    server_drops: Count | None = None
    max_rss_bytes: Count
    settings: Settings = Field(default_factory=dict)
    congestion_control: Controller = None
    protocol: Text
    tls: TlsRead | None = None
    stack: Text | None = None
    failures: Annotated[list[Failure], Several] = Field(default_factory=list)
    failure_times: Annotated[list[FailureTime], Several] = Field(default_factory=list)
    window_monotonic_s: Moment | None = None

    @property
    def is_of_this_host(self) -> bool:
        """Whether this host refused more connections than it made: the figures are of its limits then, and
        not of the server."""
        return self.connections.refused_here > self.connections.established

    @property
    def own_refusal(self) -> str | None:
        """Why this host refused one, and what mends that, in words; None where it refused none."""
        told = (failure.detail for failure in self.failures if failure.kind == "local")
        fallback = "this host refuses it" if self.connections.refused_here else None
        return next(told, fallback)

    @property
    def in_window(self) -> int:
        """How many requests succeeded in the window: of a load of a duration fewer than in all, since those
        in flight at its end are awaited."""
        return round(self.requests_per_second * self.window_s)

    @property
    def payload_in_window(self) -> int:
        """The bytes of bodies that came in the window, whatever became of their responses."""
        return round(self.bytes_per_second.payload * self.window_s)


class Progress(FromEngine):
    """How far a load is: counts since its start, rates and percentiles of the last interval;
    `payload_per_second` are bytes of responses' bodies."""

    elapsed_s: Seconds
    sent: Count
    succeeded: Count
    failed: Count
    requests_per_second: Rate
    payload_per_second: Rate = 0.0
    p50_s: Seconds | None = None
    p99_s: Seconds | None = None
    in_flight: Count = 0
    connected: Count = 0
    phase: Text | None = None

"""What a load measured: the engine's LoadReport (docs/engine-protocol.md). Times are seconds, sizes bytes;
unknown keys are kept."""

from pydantic import Field

from pronghorn.model.from_engine import FromEngine, Settings


class Distribution(FromEngine):
    """A time's statistics over `count` samples, from a histogram of three significant digits."""

    count: int
    min: float
    mean: float
    sd: float
    max: float
    p50: float
    p75: float
    p90: float
    p95: float
    p99: float
    p999: float
    p9999: float


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

    planned: int
    sent: int
    unsent: int = 0
    retried: int = 0
    succeeded: int
    failed: dict[str, int] = Field(default_factory=dict)
    statuses: dict[str, int] = Field(default_factory=dict)
    warm_up: int = 0

    @property
    def failures(self) -> int:
        """How many failed, of whatever kind."""
        return sum(self.failed.values())


class Spread(FromEngine):
    """Requests per second over the connections: is one served better than others?"""

    min: float
    mean: float
    median: float
    max: float
    sd: float


class Connections(FromEngine):
    """`attempted` and `established` count replacements too."""

    attempted: int
    established: int
    failed: dict[str, int] = Field(default_factory=dict)
    resumed: int = 0
    early_data_accepted: int = 0
    closed_by_peer: int = 0
    requests_per_second: Spread | None = None


class Volume(FromEngine):
    """`payload`: of responses' bodies, as they came; `headers`: of whole responses, decoded; `wire_*`: IP
    packets'."""

    payload: int
    headers: int
    wire_received: int
    wire_sent: int


class Rates(FromEngine):
    """Per second of the window."""

    payload: float
    wire_received: float
    wire_sent: float


class Cpu(FromEngine):
    """CPU seconds of the generator's threads; `waited`: ready to run, but without a CPU."""

    user: float
    system: float
    waited: float = 0.0

    @property
    def total(self) -> float:
        """Both."""
        return self.user + self.system


class TlsRead(FromEngine):
    """What the handshake agreed on; `version` is `TLS 1.3` or `TLS 1.2`."""

    version: str | None = None
    cipher: str | None = None


class Failure(FromEngine):
    """One of the first failures, in words."""

    kind: str
    detail: str


class LoadReport(FromEngine):
    """A whole load. `finished` is false where it was cut. `settings` and `congestion_control` are the first
    connection's, as read back."""

    requests: Requests
    connections: Connections
    window_s: float
    requests_per_second: float
    finished: bool
    bytes: Volume
    bytes_per_second: Rates
    latency_seconds: Latencies
    cpu_s: Cpu
    max_rss_bytes: int
    settings: Settings = Field(default_factory=dict)
    congestion_control: str | None = None
    protocol: str
    tls: TlsRead | None = None
    stack: str | None = None
    failures: list[Failure] = Field(default_factory=list)

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

    elapsed_s: float
    sent: int
    succeeded: int
    failed: int
    requests_per_second: float
    payload_per_second: float = 0.0
    p50_s: float | None = None
    p99_s: float | None = None
    in_flight: int = 0
    connected: int = 0
    phase: str | None = None

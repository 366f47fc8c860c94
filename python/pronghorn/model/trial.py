"""The record of a trial: what the journal keeps, one JSON object a line.

Times are seconds since the start of the navigation unless a name says otherwise; sizes are bytes. What comes
from the engine (`PageLoad`, `Counters`, `OriginRequest`) follows the engine's protocol; unknown keys there
are kept, so that a newer engine's records survive a round trip through an older journal."""

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.load.report import LoadReport
from pronghorn.model.from_engine import FromEngine as FromEngine
from pronghorn.model.from_engine import Settings as Settings
from pronghorn.model.why import Why

Status = Literal["ok", "failed", "contaminated"]

PROGRAM_FAILED = ("origin", "client", "browser")
"""The reasons of trials in which a program failed and not the load: it did not start, ended, or hung."""


class Cell(BaseModel):
    """One combination of site, path, origin and client, in which the arms are compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    site: str
    path: str
    origin: str
    client: str

    def __str__(self) -> str:
        return f"{self.site}/{self.path}/{self.origin}/{self.client}"


class Connection(FromEngine):
    """One connection of a page load. `resolving_s` is when the look-up of its address began, where the client
    tells. For QUIC `connected_s` and `secured_s` are the end of its one handshake. `key_exchange` is a group,
    `udp_receive_buffer` bytes as the kernel tells them, both null where nobody does. `resumed` is null before
    the handshake was done, `early_data` where none was offered; `migrations` are the times at which it moved
    to another of the client's addresses."""

    protocol: str | None = None
    alpn: str | None = None
    resolving_s: float | None = None
    start_s: float | None = None
    connected_s: float | None = None
    secured_s: float | None = None
    tls_version: str | None = None
    cipher: str | None = None
    key_exchange: str | None = None
    congestion_control: str | None = None
    udp_receive_buffer: int | None = None
    resumed: bool | None = None
    early_data: Literal["accepted", "rejected"] | None = None
    migrations: list[float] = Field(default_factory=list)
    settings: Settings = Field(default_factory=dict)


class Resource(FromEngine):
    """One resource of a page load, with the protocol as the client saw it (null: no response came). One that
    the client had in its cache (`from_cache`) asked nobody. `too_early_s` is when the server answered that it
    doesn't take the request as early data (425), upon which it was made again; `request_s` is the first time.
    `method` is null where the client doesn't tell. `bytes` are the body's as they came over the network, of
    one in a content coding (`content_coding`, RFC 9110 §8.4) before it was decoded."""

    method: str | None = None
    path: str
    kind: str = "other"
    initiator: str | None = None
    urgency: int | None = None
    incremental: bool | None = None
    protocol: str | None = None
    status: int | None = None
    bytes: int = 0
    content_coding: str | None = None
    connection: int | None = None
    start_s: float | None = None
    request_s: float | None = None
    too_early_s: float | None = None
    first_byte_s: float | None = None
    last_byte_s: float | None = None
    error: str | None = None
    from_cache: bool = False


MOST_LEFT_OUT = 100
"""How many references that were left out a page load names one by one; all of them are counted."""


class LeftOut(FromEngine):
    """Something that a page refers to or asks for and that the load leaves out of its measurement.

    `why` is one of `other-host` (another origin's), `blocked` (refused by a policy of the page's own, such as
    CSP), `aborted` (the page took the request back), `socket` (a WebSocket or WebTransport), `open` (still
    under way when the load was over: a poll, a stream, a body that nobody reads), `unsupported` (the client
    can't do what a browser would). `kind` is a resource's, `url` absolute and cut to 2048 characters."""

    url: str
    why: str
    kind: str = "other"


class ThreadTime(FromEngine):
    """A thread's account with the scheduler during a load: on a CPU, and ready to run without one."""

    used_s: float
    waited_s: float


class CpuTime(FromEngine):
    """The CPU time of the thread that loads and of the one that serves; None where the kernel keeps none."""

    client: ThreadTime | None = None
    origin: ThreadTime | None = None


class CpuSeconds(FromEngine):
    """CPU time, user and system, during a load: of the native client's and the built-in origin's thread, of a
    foreign client's or origin's processes with all that they have started. None where nobody tells."""

    client_s: float | None = None
    origin_s: float | None = None


class PageLoad(FromEngine):
    """One navigation: what was loaded, when, and over which connections.

    `round_trips` is the fewest that such a load needs, `ahead_s` how long before the navigation's start the
    client may have begun with them: a browser connects ahead while it still asks the page before for its
    leave. `started_monotonic_s` is its start in seconds of CLOCK_MONOTONIC, which places it on the axis of a
    flight, `processes_cpu_s` the CPU time that the processes of a foreign client used from its start to its
    end; None where the client doesn't tell. Of a load, which is many requests rather than a navigation,
    `report` is what it came to, `load_s` the time until its last response, `requests` those that succeeded,
    `connections` one that stands for all; the resources are not told one by one. `left_out` names at most
    `MOST_LEFT_OUT` of the `left_out_count` things that the page wants and the load leaves out."""

    outcome: Literal["ok", "failed"]
    reason: str | None = None
    detail: str | None = None
    started_monotonic_s: float | None = None
    load_s: float | None = None
    ttfb_s: float | None = None
    connect_s: float | None = None
    tls_s: float | None = None
    requests: int = 0
    bytes: int = 0
    failures: int = 0
    round_trips: float = 0
    ahead_s: float = 0.0
    cpu: CpuTime = CpuTime()
    processes_cpu_s: float | None = None
    connections: list[Connection] = Field(default_factory=list)
    resources: list[Resource] = Field(default_factory=list)
    left_out: list[LeftOut] = Field(default_factory=list)
    left_out_count: int = 0
    report: LoadReport | None = None

    @property
    def tells_requests(self) -> bool:
        """Whether the record has its requests one by one."""
        return bool(self.resources)

    @property
    def lcp_s(self) -> float | None:
        """When a browser painted the largest content, in seconds; None where the client doesn't tell."""
        vitals = getattr(self, "vitals", None)
        told = vitals.get("lcp_s") if isinstance(vitals, dict) else None
        return float(told) if isinstance(told, (int, float)) else None


class Lateness(FromEngine):
    """How late packets left a link against their due time, or how long they waited to enter it."""

    count: int = 0
    mean_s: float | None = None
    median_s: float | None = None
    p99_s: float | None = None
    max_s: float | None = None


class LinkCounters(FromEngine):
    """What one link did. Always packets_in + duplicated = packets_out + what was dropped + held, where lost,
    too_big, udp_dropped, outage_dropped, policed, queue_dropped, aqm_dropped and left_behind (by a handover)
    were dropped."""

    packets_in: int = 0
    bytes_in: int = 0
    packets_out: int = 0
    bytes_out: int = 0
    lost: int = 0
    loss_decisions: int = 0
    duplicated: int = 0
    corrupted: int = 0
    reordered: int = 0
    too_big: int = 0
    udp_dropped: int = 0
    outage_dropped: int = 0
    policed: int = 0
    queue_dropped: int = 0
    aqm_dropped: int = 0
    left_behind: int = 0
    marked: int = 0
    queue_high_water_bytes: int = 0
    queue_high_water_packets: int = 0
    held: int = 0
    ring_dropped: int = 0
    ignored: int = 0
    malformed: int = 0
    nat_dropped: int = 0
    undeliverable: int = 0
    delay_min_s: float | None = None
    lateness: Lateness = Field(default_factory=Lateness)
    intake_wait: Lateness = Field(default_factory=Lateness)
    wake: Lateness = Field(default_factory=Lateness)
    handover: Lateness = Field(default_factory=Lateness)


class CpuShare(FromEngine):
    """Who used the host's CPUs: `own_s` is the CPU time of the engine and of all processes on its hosts,
    `own_share` what that is of the CPUs' time, `others_share` what was neither idle nor stolen nor own."""

    own_s: float
    own_share: float = 0.0
    others_share: float


class HostCounters(FromEngine):
    """What the host did to a bench since it was opened, or its path begun. `cpu` is None where that can't be
    known, or was less than 0.05 s ago. `tcp` is what TCP runs with on both hosts as read back there (`client`
    and `server`, each a table of the engine's protocol); None where nobody told."""

    steal_share: float = 0.0
    cpu: CpuShare | None = None
    udp_receive_buffer_drops: dict[str, int] = Field(default_factory=dict)
    tcp_retransmits: dict[str, int] = Field(default_factory=dict)
    offloads: list[str] = Field(default_factory=list)
    tcp: dict[str, Any] | None = None


class CaptureReport(FromEngine):
    """What a capture holds: records of packets, how many are missing since its writer could not keep up, and
    lines of TLS secrets. `fault`: why it could not be written."""

    packets: int = 0
    lost_records: int = 0
    secrets: int = 0
    fault: str | None = None


class HandoverReport(FromEngine):
    """A handover that has been: the client's address since, and how long after the instant its kernel had
    that address alone."""

    address: str
    late_s: float


class QlogReport(FromEngine):
    """How many qlogs a bench's own client and origin have begun; `fault` where one could not be written."""

    files: int = 0
    fault: str | None = None


class ArrivalsReport(FromEngine):
    """What a file of arrivals holds: packets, of how many connections, and how many are missing; `fault`: why
    it could not be written."""

    packets: int = 0
    connections: int = 0
    missing_records: int = 0
    fault: str | None = None


class Counters(FromEngine):
    """The path's and the host's counters over a bench's life; none of them on the path `direct`. `capture`,
    `arrivals` and `qlog` are None where none were taken, `handover` where none has been."""

    down: LinkCounters | None = None
    up: LinkCounters | None = None
    host: HostCounters | None = None
    capture: CaptureReport | None = None
    arrivals: ArrivalsReport | None = None
    qlog: QlogReport | None = None
    handover: HandoverReport | None = None


class OriginRequest(FromEngine):
    """One request in the origin's access log, with the protocol as the origin saw it. `early`: whether it
    came as early data; `served_s`: seconds from its arrival until the last byte of its answer was handed to
    the transport. Both are null, as `method`, where the origin's log doesn't tell."""

    method: str | None = None
    path: str
    protocol: str | None = None
    status: int | None = None
    bytes: int = 0
    early: bool | None = None
    served_s: float | None = None


class OriginCount(FromEngine):
    """So many requests in the origin's access log that are alike, and the bytes of their bodies in all.
    `path` is null where the origin doesn't count by it."""

    path: str | None = None
    protocol: str | None = None
    status: int | None = None
    requests: int
    bytes: int = 0


class OriginConnection(FromEngine):
    """One connection as the origin saw it, with the congestion control that its sending end runs and, over
    QUIC, its socket's receive buffer in bytes, both as read back."""

    protocol: str | None = None
    congestion_control: str | None = None
    udp_receive_buffer: int | None = None
    settings: Settings = Field(default_factory=dict)


class Metrics(BaseModel):
    """A trial's figures. `load_s`, `ttfb_s`, `connect_s` and `tls_s` are null where the load did not get
    there; `protocols` says over which so many of its resources came, as the client saw it; `overhead_s` =
    `wall_s` - `load_s` is what the trial cost beyond its load. `requests_per_second` is a load's, of one that
    was cut what had succeeded over the limit; null of a page load."""

    model_config = ConfigDict(extra="forbid")

    load_s: float | None = None
    ttfb_s: float | None = None
    connect_s: float | None = None
    tls_s: float | None = None
    requests: int = 0
    bytes: int = 0
    failures: int = 0
    requests_per_second: float | None = None
    protocols: dict[str, int] = {}
    wall_s: float = 0.0
    overhead_s: float = 0.0


MOST_ATTEMPTS = 3
"""How often a block may be tried before it is kept out, and is where an experiment doesn't say."""


class TrialKey(NamedTuple):
    """A trial's identity: no two records of a run share it."""

    cell: Cell
    arm: str
    block: int
    attempt: int


class Trial(BaseModel):
    """One measurement of one arm in one cell.

    `status` is `failed` when the load did not succeed or did not happen over the protocol asked for (an
    outcome: it enters the verdict), and `contaminated` when the measurement cannot be trusted (its block is
    repeated with the next `attempt`). `position` is the arm's place in the block's random order; `started` is
    UTC in ISO 8601; `visit` counts the earlier loads of the same bench and client, of which there are none
    where the state is fresh; `artifacts` are the paths of what it left, within the run's directory. Where the
    origin keeps no log (`origin_log_kept` is false) its protocol is proved by the client alone.
    `origin_tickets` says by transport (`tcp`, `quic`) how many of the session tickets that the origin was
    offered in this load were `redeemed`, `replayed` and `unknown`; empty where it doesn't tell. `knobs` are
    what was asked of the arm's transports beyond what is shipped, sizes in bytes. Of a load the origin's log
    is counted, in `origin_counts`, and not kept; so is that of a load beside a page load, `background`. `why`
    are the parts of the load's time; None where nobody looked."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["trial"] = "trial"
    cell: Cell
    arm: str
    block: int = Field(ge=0)
    attempt: int = Field(ge=0)
    position: int = Field(ge=0)
    path_seed: int = Field(ge=0, lt=2**64)
    slot: int = Field(ge=0)
    visit: int = Field(default=0, ge=0)
    started: str
    status: Status
    reason: str | None = None
    detail: str | None = None
    metrics: Metrics
    warnings: list[str] = []
    page: PageLoad | None = None
    counters: Counters | None = None
    origin_log: list[OriginRequest] = []
    origin_counts: list[OriginCount] = []
    background: LoadReport | None = None
    origin_connections: list[OriginConnection] = []
    origin_log_kept: bool = True
    origin_tickets: dict[str, dict[str, int]] = {}
    cpu: CpuSeconds = CpuSeconds()
    artifacts: dict[str, str] = {}
    knobs: dict[str, int | bool | str] = {}
    why: Why | None = None

    @property
    def key(self) -> TrialKey:
        """The trial's identity within its run."""
        return TrialKey(self.cell, self.arm, self.block, self.attempt)


class RunHeader(BaseModel):
    """The journal's first line. `experiment` is the SHA-256 of the resolved experiment, `sites` those of the
    sites' contents, `format` the journal's."""

    model_config = ConfigDict(extra="allow")

    type: Literal["run"] = "run"
    format: Literal[1] = 1
    program: str
    seed: int
    experiment: str
    sites: dict[str, str] = {}


def record(value: Trial | RunHeader) -> str:
    """`value` as one line of JSON without its newline."""
    return value.model_dump_json()

"""The record of a trial: what the journal keeps, one JSON object a line.

Times are seconds since the start of the navigation unless a name says otherwise; sizes are bytes. What comes
from the engine (`PageLoad`, `Counters`, `OriginRequest`) follows the engine's protocol; unknown keys there
are kept, so that a newer engine's records survive a round trip through an older journal."""

from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pronghorn.model.bounds import (
    Count,
    Counts,
    Lasting,
    Moment,
    Number,
    Rate,
    Seconds,
    Seed,
    Several,
    StatusCode,
    Text,
    Told,
    Whole,
)
from pronghorn.model.cell import Cell as Cell
from pronghorn.model.event_record import EventRecord
from pronghorn.model.from_engine import Controller as Controller
from pronghorn.model.from_engine import FromEngine as FromEngine
from pronghorn.model.from_engine import Settings as Settings
from pronghorn.model.load_report import LoadReport
from pronghorn.model.why import Why

Status = Literal["ok", "failed", "contaminated"]

PROGRAM_FAILED = ("origin", "client", "browser")
"""The reasons of trials in which a program, not the load, failed: it did not start, ended, or hung."""

PREPARE = "prepare"
"""The reason of a trial whose unmeasured visit failed."""


class Connection(FromEngine):
    """One connection of a page load. `host` is the one for which it was opened, where the client tells.
    `resolving_s` is when the look-up of its address began, where the client
    tells. For QUIC `connected_s` and `secured_s` are the end of its one handshake. `key_exchange` is a group,
    `udp_receive_buffer` bytes as the kernel tells them, both null where nobody does. `resumed` is null before
    the handshake was done, `early_data` where none was offered; `migrations` are the times at which it moved
    to another of the client's addresses."""

    host: Text | None = None
    protocol: Text | None = None
    alpn: Text | None = None
    resolving_s: Moment | None = None
    start_s: Moment | None = None
    connected_s: Moment | None = None
    secured_s: Moment | None = None
    tls_version: Text | None = None
    cipher: Text | None = None
    key_exchange: Text | None = None
    congestion_control: Controller = None
    udp_receive_buffer: Count | None = None
    resumed: bool | None = None
    early_data: Literal["accepted", "rejected"] | None = None
    migrations: Annotated[list[Moment], Several] = Field(default_factory=list)
    settings: Settings = Field(default_factory=dict)


class Resource(FromEngine):
    """One resource of a page load, with the protocol as the client saw it (null: no response came). One that
    the client had in its cache (`from_cache`) asked nobody. `too_early_s` is when the server answered that it
    doesn't take the request as early data (425), upon which it was made again; `request_s` is the first time.
    `path` holds the query; of another host than the page's it is the whole URL.
    `method` is null where the client doesn't tell. `bytes` are the body's as they came over the network, of
    one in a content coding (`content_coding`, RFC 9110 §8.4) before it was decoded."""

    method: Text | None = None
    path: Text
    kind: Text = "other"
    initiator: Text | None = None
    urgency: Whole | None = None
    incremental: bool | None = None
    protocol: Text | None = None
    status: StatusCode | None = None
    bytes: Count = 0
    content_coding: Text | None = None
    connection: Count | None = None
    start_s: Moment | None = None
    request_s: Moment | None = None
    too_early_s: Moment | None = None
    first_byte_s: Moment | None = None
    last_byte_s: Moment | None = None
    error: Text | None = None
    from_cache: bool = False


MOST_LEFT_OUT = 100
"""How many references that were left out a page load names one by one; all of them are counted."""

MOST_SCRIPTS_NAMED = 20
"""How many paths of scripts that weren't run a page load names; all of the scripts are counted."""


class LeftOut(FromEngine):
    """Something that a page refers to or asks for and that the load leaves out of its measurement.

    `why` is one of `other-host` (another origin's), `blocked` (refused by a policy of the page's own, such as
    CSP), `aborted` (the page took the request back), `socket` (a WebSocket or WebTransport), `stream` (an
    event stream of a replayed page, which no archive holds), `open` (still under way when the load was over:
    a poll, a stream, a body that nobody reads), `unsupported` (the client can't do what a browser would).
    `kind` is a resource's, `url` absolute and cut to 2048 characters."""

    url: Text
    why: Text
    kind: Text = "other"


class ThreadTime(FromEngine):
    """A thread's account with the scheduler during a load: on a CPU, and ready to run without one.
    `critical_s` is the most of `waited_s` by which the load can have been delayed, `longest_s` its longest
    wait, which ended at `longest_at_s`; None in records that are older than these."""

    used_s: Seconds
    waited_s: Seconds
    critical_s: Seconds | None = None
    longest_s: Seconds | None = None
    longest_at_s: Moment | None = None


class CpuTime(FromEngine):
    """The CPU time of the thread that loads and of the one that serves; None where the kernel keeps none."""

    client: ThreadTime | None = None
    origin: ThreadTime | None = None


class CpuSeconds(FromEngine):
    """CPU time, user and system, during a load: of the native client's and the built-in origin's thread, of a
    foreign client's or origin's processes with all that they have started; in virtual time of the whole
    guest, `guest_s`, which takes several times as much as the same load without one. None where nobody
    tells."""

    client_s: Seconds | None = None
    origin_s: Seconds | None = None
    guest_s: Seconds | None = None


class Vitals(FromEngine):
    """The figures by which a browser tells how a load felt; `cls` has no unit. Null where none is known."""

    fcp_s: Seconds | None = None
    lcp_s: Seconds | None = None
    cls: Number | None = None
    tbt_s: Seconds | None = None
    speed_index_s: Seconds | None = None
    dom_content_loaded_s: Seconds | None = None


class PageLoad(FromEngine):
    """One navigation: what was loaded, when, and over which connections.

    `round_trips` is the fewest that such a load needs, `ahead_s` how long before the navigation's start the
    client may have begun with them: a browser connects ahead while it still asks the page before for its
    leave. `started_monotonic_s` is its start in seconds of CLOCK_MONOTONIC, which places it on the axis of a
    flight, `processes_cpu_s` the CPU time that the processes of a foreign client used from its start to its
    end; None where the client doesn't tell. Of a load, which is many requests rather than a navigation,
    `report` is what it came to, `load_s` the time until its last response, `requests` those that succeeded,
    `connections` one that stands for all; the resources are not told one by one. `left_out` names at most
    `MOST_LEFT_OUT` of the `left_out_count` things that the page wants and the load leaves out.
    `scripts_not_run` has paths of the `scripts_not_run_count` scripts that may make requests and that a
    client without scripts didn't run. `vitals` are a browser's."""

    outcome: Literal["ok", "failed"]
    reason: Text | None = None
    detail: Text | None = None
    started_monotonic_s: Moment | None = None
    load_s: Lasting | None = None
    ttfb_s: Seconds | None = None
    connect_s: Moment | None = None
    tls_s: Moment | None = None
    requests: Count = 0
    bytes: Count = 0
    failures: Count = 0
    round_trips: Number = 0
    ahead_s: Moment = 0.0
    cpu: CpuTime = CpuTime()
    processes_cpu_s: Seconds | None = None
    connections: Annotated[list[Connection], Several] = Field(default_factory=list)
    resources: Annotated[list[Resource], Several] = Field(default_factory=list)
    left_out: list[LeftOut] = Field(default_factory=list, max_length=MOST_LEFT_OUT)
    left_out_count: Count = 0
    scripts_not_run: list[Text] = Field(default_factory=list, max_length=MOST_SCRIPTS_NAMED)
    scripts_not_run_count: Count = 0
    report: LoadReport | None = None
    vitals: Vitals | None = None

    @property
    def tells_requests(self) -> bool:
        """Whether the record has its requests one by one."""
        return bool(self.resources)

    @property
    def lcp_s(self) -> float | None:
        """When a browser painted the largest content, in seconds; None where the client doesn't tell."""
        return self.vitals.lcp_s if self.vitals is not None else None


class Lateness(FromEngine):
    """How late packets left a link against their due time, or how long they waited to enter it."""

    count: Count = 0
    mean_s: Seconds | None = None
    median_s: Seconds | None = None
    p99_s: Seconds | None = None
    max_s: Seconds | None = None


class LinkCounters(FromEngine):
    """What one link did. Always packets_in + duplicated = packets_out + what was dropped + held, where lost,
    too_big, udp_dropped, outage_dropped, policed, queue_dropped, aqm_dropped and left_behind (by a handover)
    were dropped."""

    packets_in: Count = 0
    bytes_in: Count = 0
    packets_out: Count = 0
    bytes_out: Count = 0
    lost: Count = 0
    loss_decisions: Count = 0
    duplicated: Count = 0
    corrupted: Count = 0
    reordered: Count = 0
    too_big: Count = 0
    udp_dropped: Count = 0
    outage_dropped: Count = 0
    policed: Count = 0
    queue_dropped: Count = 0
    aqm_dropped: Count = 0
    left_behind: Count = 0
    marked: Count = 0
    queue_high_water_bytes: Count = 0
    queue_high_water_packets: Count = 0
    held: Count = 0
    ring_dropped: Count = 0
    ignored: Count = 0
    malformed: Count = 0
    nat_dropped: Count = 0
    undeliverable: Count = 0
    delay_min_s: Seconds | None = None
    lateness: Lateness = Field(default_factory=Lateness)
    intake_wait: Lateness = Field(default_factory=Lateness)
    wake: Lateness = Field(default_factory=Lateness)
    handover: Lateness = Field(default_factory=Lateness)


class CpuShare(FromEngine):
    """Who used the host's CPUs: `own_s` is the CPU time of the engine and of all processes on its hosts,
    `own_share` what that is of the CPUs' time, `others_share` what was neither idle nor stolen nor own."""

    own_s: Seconds
    own_share: Number = 0.0
    others_share: Number


class HostCounters(FromEngine):
    """What the host did to a bench since it was opened, or its path begun. `cpu` is None where that can't be
    known, or was less than 0.05 s ago. `tcp` is what TCP runs with on both hosts as read back there (`client`
    and `server`, each a table of the engine's protocol); None where nobody told."""

    steal_share: Number = 0.0
    cpu: CpuShare | None = None
    udp_receive_buffer_drops: Counts = Field(default_factory=dict)
    tcp_retransmits: Counts = Field(default_factory=dict)
    offloads: Annotated[list[Text], Several] = Field(default_factory=list)
    tcp: dict[Text, Told] | None = None


class CaptureReport(FromEngine):
    """What a capture holds: records of packets, how many are missing since its writer could not keep up, and
    lines of TLS secrets. `fault`: why it could not be written."""

    packets: Count = 0
    lost_records: Count = 0
    secrets: Count = 0
    fault: Text | None = None


class HandoverReport(FromEngine):
    """A handover that has been: the client's address since, and how long after the instant its kernel had
    that address alone."""

    address: Text
    late_s: Moment


class QlogReport(FromEngine):
    """How many qlogs a bench's own client and origin have begun; `fault` where one could not be written."""

    files: Count = 0
    fault: Text | None = None


class ArrivalsReport(FromEngine):
    """What a file of arrivals holds: packets, of how many connections, and how many are missing; `fault`: why
    it could not be written."""

    packets: Count = 0
    connections: Count = 0
    missing_records: Count = 0
    fault: Text | None = None


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
    the transport. Both are null, as `method`, where the origin's log doesn't tell. `matched` is how its
    answer was found among the recorded ones; null where the site isn't recorded."""

    method: Text | None = None
    path: Text
    protocol: Text | None = None
    status: StatusCode | None = None
    bytes: Count = 0
    early: bool | None = None
    matched: Literal["exact", "varied", "preflight", "missed"] | None = None
    served_s: Seconds | None = None


class OriginCount(FromEngine):
    """So many requests in the origin's access log that are alike, and the bytes of their bodies in all.
    `path` is null where the origin doesn't count by it."""

    path: Text | None = None
    protocol: Text | None = None
    status: StatusCode | None = None
    requests: Count
    bytes: Count = 0


class OriginConnection(FromEngine):
    """One connection as the origin saw it, with the congestion control that its sending end runs and, over
    QUIC, its socket's receive buffer in bytes, both as read back."""

    protocol: Text | None = None
    congestion_control: Controller = None
    udp_receive_buffer: Count | None = None
    settings: Settings = Field(default_factory=dict)


class Metrics(BaseModel):
    """A trial's figures. `load_s`, `ttfb_s`, `connect_s` and `tls_s` are null where the load did not get
    there; `protocols` says over which so many of its resources came, as the client saw it; `overhead_s` =
    `wall_s` - `load_s` is what the trial cost beyond its load. `requests_per_second` is a load's, of one that
    was cut what had succeeded over the limit; null of a page load."""

    model_config = ConfigDict(extra="forbid")

    load_s: Lasting | None = None
    ttfb_s: Seconds | None = None
    connect_s: Moment | None = None
    tls_s: Moment | None = None
    requests: Count = 0
    bytes: Count = 0
    failures: Count = 0
    requests_per_second: Rate | None = None
    protocols: Counts = {}
    wall_s: Seconds = 0.0
    overhead_s: Moment = 0.0


MOST_ATTEMPTS = 3
"""How often a block may be repeated before it is left out, if the experiment doesn't set it."""


class TrialKey(NamedTuple):
    """A trial's identity: no two records of a run share it."""

    cell: Cell
    arm: Text
    block: Count
    attempt: Count


def _is_empty(events: list[EventRecord]) -> bool:
    return not events


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
    is counted, in `origin_counts`, and not kept; so is that of a load beside a page load, `background`.
    `events` are those that were done to the origin, each with what it cost. `why` are the parts of the load's
    time; None where nobody looked."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["trial"] = "trial"
    cell: Cell
    arm: Text
    block: Count
    attempt: Count
    position: Count
    path_seed: Seed
    slot: Count
    visit: Count = 0
    started: Text
    status: Status
    reason: Text | None = None
    detail: Text | None = None
    metrics: Metrics
    warnings: Annotated[list[Text], Several] = []
    page: PageLoad | None = None
    counters: Counters | None = None
    origin_log: Annotated[list[OriginRequest], Several] = []
    origin_counts: Annotated[list[OriginCount], Several] = []
    background: LoadReport | None = None
    events: Annotated[list[EventRecord], Several] = Field(default=[], exclude_if=_is_empty)
    origin_connections: Annotated[list[OriginConnection], Several] = []
    origin_log_kept: bool = True
    origin_tickets: Annotated[dict[Text, Counts], Several] = {}
    cpu: CpuSeconds = CpuSeconds()
    artifacts: Annotated[dict[Text, Text], Several] = {}
    knobs: Annotated[dict[Text, Whole | bool | Text], Several] = {}
    why: Why | None = None

    @model_validator(mode="after")
    def _a_success_has_a_time(self) -> Self:
        if self.status == "ok" and self.metrics.load_s is None:
            raise ValueError("its status is ok, but metrics.load_s is null")
        return self

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
    program: Text
    seed: Seed
    experiment: Text
    sites: Annotated[dict[Text, Text], Several] = {}

    __pydantic_extra__: dict[str, Told] = Field(init=False)


def record(value: Trial | RunHeader) -> str:
    """`value` as one line of JSON without its newline."""
    return value.model_dump_json()

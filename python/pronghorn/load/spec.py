"""What is asked of the load generator: the engine's LoadSpec (docs/engine-protocol.md). Times are seconds."""

import base64
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pronghorn.model.knobs import Value

Protocol = Literal["h1", "h2", "h3"]
Session = Literal["cold", "resumed", "0rtt"]
Spread = Literal["constant", "poisson"]


class _Asked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Target(_Asked):
    """One request: its URL with scheme, host, port and path, and what is sent. `headers` are all that a
    request has beside its pseudo-headers, `host` and `content-length`. `body_file`: the file that holds the
    body, instead of `body`. `weight`: how often it is requested in each walk through the list."""

    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    body_file: str | None = None
    weight: int = 1

    def to_engine(self) -> dict[str, Any]:
        """With the body in base64 (RFC 4648 §4)."""
        body = None if self.body is None else base64.b64encode(self.body).decode("ascii")
        headers = [list(header) for header in self.headers]
        return {
            "url": self.url,
            "method": self.method,
            "headers": headers,
            "body": body,
            "body_file": self.body_file,
            "weight": self.weight,
        }


class Tls(_Asked):
    """Which TLS is offered, and whom it trusts: the one authority in the PEM file `ca`, else the system's;
    `insecure`: anybody. `certificate` and `key`: PEM files of our own, for a server that asks for one."""

    version: Literal["1.2", "1.3"] = "1.3"
    ca: str | None = None
    insecure: bool = False
    certificate: str | None = None
    key: str | None = None


class Control(_Asked):
    """Congestion control of both transports. `tcp` null: the host's own."""

    tcp: str | None = "cubic"
    quic: str = "cubic"


class Extent(_Asked):
    """How much: a number of requests or a time, one of them."""

    requests: int | None = None
    duration_s: float | None = None


class Step(_Asked):
    """A rate that holds for some time."""

    rate_per_s: float
    duration_s: float


class Arrivals(_Asked):
    """An open loop: requests are due at `rate_per_s`, whatever became of those before. `steps` are other
    rates before that one."""

    rate_per_s: float
    steps: tuple[Step, ...] = ()
    distribution: Spread = "constant"
    seed: int = 0


class LoadSpec(_Asked):
    """One load. With `arrivals` null the loop is closed: each connection keeps `streams` requests in flight.

    `target_file`: a file with a target a line (docs/engine-protocol.md), `listed` of them, that are requested
    instead of `targets`; the first of these is what a line doesn't say. `address`, in the `zone` of an
    interface, `port` and `unix_socket` are where to connect to, whatever the URL says. `ramp_s`:
    connections are opened, and an open loop's rate rises, evenly over it. `progress_s`: how often progress is
    told; null: never. With `failure_times` the report tells when requests failed."""

    targets: tuple[Target, ...]
    target_file: str | None = None
    listed: int | None = Field(default=None, exclude=True)
    protocol: Protocol
    address: str | None = None
    zone: str | None = None
    port: int | None = None
    unix_socket: str | None = None
    tls: Tls = Tls()
    session: Session = "cold"
    congestion_control: Control = Control()
    knobs: dict[str, Value] = {}
    connections: int = 1
    streams: int = 1
    threads: int = 1
    stop: Extent
    limit_s: float | None = None
    warm_up: Extent | None = None
    connect: Literal["keep", "each"] = "keep"
    arrivals: Arrivals | None = None
    ramp_s: float = 0.0
    request_timeout_s: float | None = None
    connect_timeout_s: float = 10.0
    progress_s: float | None = None
    histogram_log: str | None = None
    failure_times: bool = False

    @property
    def target_count(self) -> int:
        """How many targets there are."""
        return len(self.targets) if self.listed is None else self.listed

    def to_engine(self) -> dict[str, Any]:
        """The JSON object that the engine takes."""
        spec = self.model_dump(mode="json", exclude={"targets", "stop", "warm_up"})
        spec["targets"] = [target.to_engine() for target in self.targets]
        spec["stop"] = self.stop.model_dump(exclude_none=True)
        spec["warm_up"] = None if self.warm_up is None else self.warm_up.model_dump(exclude_none=True)
        return spec

"""What a trial's connections did over time, its artifact `flight`, as docs/engine-protocol.md has it."""

from pydantic import Field, model_validator

from pronghorn.model.bounds import Count, Moment, Number, Port, Text
from pronghorn.model.from_engine import Controller, FromEngine

Column = list[Number | None]
"""One figure of all samples, null if the stack doesn't report it; empty if the file has no such column."""


class Samples(FromEngine):
    """What was seen of a connection, column by column. `at_s` counts from the flight's base, ascending."""

    at_s: list[Moment]
    cwnd_bytes: Column = Field(default_factory=list)
    in_flight_bytes: Column = Field(default_factory=list)
    srtt_s: Column = Field(default_factory=list)
    acked_bytes: Column = Field(default_factory=list)
    lost_packets: Column = Field(default_factory=list)
    retransmits: Column = Field(default_factory=list)
    timeouts: Column = Field(default_factory=list)

    @model_validator(mode="after")
    def _columns_are_of_one_length(self) -> "Samples":
        for name in type(self).model_fields:
            column = getattr(self, name)
            if column and len(column) != len(self.at_s):
                raise ValueError(f"{name} has {len(column)} samples, at_s {len(self.at_s)}")
        return self


class MssChange(FromEngine):
    """From when on a connection's largest segment or UDP payload has so many bytes, on the samples' axis."""

    at_s: Moment
    bytes: Number


class ConnectionFlight(FromEngine):
    """One end of a connection: of the host `client` or `server`, as its stack tells it. `mss_changes` begins
    with the size that was read first; empty in flights of version 0.2. `black_holes` of the path's MTU; None
    if the stack doesn't report them."""

    host: Text
    transport: Text
    stack: Text
    congestion_control: Controller = None
    local_port: Port
    mss: Count | None = None
    mss_changes: list[MssChange] = Field(default_factory=list)
    black_holes: Count | None = None
    samples: Samples


class Flight(FromEngine):
    """All that was seen. Its times count from `clock_base_monotonic_s`, in seconds of CLOCK_MONOTONIC."""

    clock_base_monotonic_s: Moment
    connections: list[ConnectionFlight]

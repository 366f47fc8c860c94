"""What a trial's connections did over time, its artifact `flight`, as docs/engine-protocol.md has it."""

from pydantic import Field, model_validator

from pronghorn.model.bounds import Moment, Number, Port, Text
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


class ConnectionFlight(FromEngine):
    """One end of a connection: of the host `client` or `server`, as its stack tells it."""

    host: Text
    transport: Text
    stack: Text
    congestion_control: Controller = None
    local_port: Port
    samples: Samples


class Flight(FromEngine):
    """All that was seen. Its times count from `clock_base_monotonic_s`, in seconds of CLOCK_MONOTONIC."""

    clock_base_monotonic_s: Moment
    connections: list[ConnectionFlight]

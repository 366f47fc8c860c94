"""What a trial's connections did over time, its artifact `flight`, as docs/engine-protocol.md has it."""

from pydantic import BaseModel, ConfigDict, model_validator

Column = list[float | None]
"""One figure of all samples, null where the stack doesn't tell; empty where the file has no such column."""


class Samples(BaseModel):
    """What was seen of a connection, column by column. `at_s` counts from the flight's base, ascending."""

    model_config = ConfigDict(extra="allow")

    at_s: list[float]
    cwnd_bytes: Column = []
    in_flight_bytes: Column = []
    srtt_s: Column = []
    acked_bytes: Column = []
    lost_packets: Column = []
    retransmits: Column = []
    timeouts: Column = []

    @model_validator(mode="after")
    def _columns_are_of_one_length(self) -> "Samples":
        for name in type(self).model_fields:
            column = getattr(self, name)
            if column and len(column) != len(self.at_s):
                raise ValueError(f"{name} has {len(column)} samples, at_s {len(self.at_s)}")
        return self


class ConnectionFlight(BaseModel):
    """One end of a connection: of the host `client` or `server`, as its stack tells it."""

    model_config = ConfigDict(extra="allow")

    host: str
    transport: str
    stack: str
    congestion_control: str | None = None
    local_port: int
    samples: Samples


class Flight(BaseModel):
    """All that was seen. Its times count from `clock_base_monotonic_s`, in seconds of CLOCK_MONOTONIC."""

    model_config = ConfigDict(extra="allow")

    clock_base_monotonic_s: float
    connections: list[ConnectionFlight]

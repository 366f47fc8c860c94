"""qlog 0.3 as its drafts define it, a definition of theirs (CDDL, RFC 8610) a model: of
draft-ietf-quic-qlog-main-schema-02 the file as a JSON text sequence, of draft-ietf-quic-qlog-quic-events-01
the events that are written here. Where a draft's definition and its prose differ, what is taken stands beside
it."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

RECORD_SEPARATOR, LINE_FEED = b"\x1e", b"\n"

FIRST_BYTES = 256
"""Within these the version and the format are to be found (main schema, §3)."""

UInt8 = Annotated[int, Field(ge=0, lt=2**8)]
UInt16 = Annotated[int, Field(ge=0, lt=2**16)]
UInt32 = Annotated[int, Field(ge=0, lt=2**32)]
UInt64 = Annotated[int, Field(ge=0, lt=2**64)] | Annotated[str, Field(pattern=r"^[0-9]{1,20}$")]
"""A number or, for the sake of I-JSON (RFC 7493), a text (main schema, §6.1.1)."""

Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
HexString = Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$")]
Text = str

TimeFormat = Literal["absolute", "delta", "relative"]
VantagePointType = Literal["client", "server", "network", "unknown"]
PacketType = Literal[
    "initial", "handshake", "0RTT", "1RTT", "retry", "version_negotiation", "stateless_reset", "unknown"
]


class Closed(BaseModel):
    """A map with no other members than those of its definition. One that may be missing is never null."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _has_no_nulls(cls, data: Any) -> Any:
        if isinstance(data, dict) and (nulls := [name for name, value in data.items() if value is None]):
            raise ValueError(f"{', '.join(nulls)}: is null")
        return data


class Open(Closed):
    """A map that may have members of whatever name (`* text => any`)."""

    model_config = ConfigDict(extra="allow", strict=True)


class VantagePoint(Closed):
    """Main schema, §3.3.2."""

    name: Text | None = None
    type: VantagePointType
    flow: VantagePointType | None = None

    @model_validator(mode="after")
    def _has_a_flow_in_the_network(self) -> "VantagePoint":
        if self.type == "network" and self.flow is None:
            raise ValueError("a vantage point in the network needs a flow")
        return self


class Configuration(Open):
    """Main schema, §3.3.1. The definition wants both members, which the prose calls optional."""

    time_offset: float
    original_uris: list[Text]


class CommonFields(Open):
    """Main schema, §3.4.7."""

    time_format: TimeFormat | None = None
    reference_time: float | None = None
    protocol_type: Annotated[list[Text], Field(min_length=1)] | None = None
    group_id: Text | None = None

    @model_validator(mode="after")
    def _says_what_times_are_relative_to(self) -> "CommonFields":
        if self.time_format == "relative" and self.reference_time is None:
            raise ValueError("relative times need a reference_time")
        return self


class TraceSeq(Closed):
    """Main schema, §6.2."""

    title: Text | None = None
    description: Text | None = None
    configuration: Configuration | None = None
    common_fields: CommonFields | None = None
    vantage_point: VantagePoint | None = None


class QlogFileSeq(Closed):
    """Main schema, §6.2; the version is §3's."""

    qlog_format: Literal["JSON-SEQ"]
    qlog_version: Literal["0.3"]
    title: Text | None = None
    description: Text | None = None
    summary: dict[str, Any] | None = None
    trace: TraceSeq


class RawInfo(Closed):
    """Main schema, §5.1."""

    length: UInt64 | None = None
    payload_length: UInt64 | None = None
    data: HexString | None = None


class PacketHeader(Closed):
    """QUIC events, appendix A.4."""

    packet_type: PacketType
    packet_number: UInt64
    flags: UInt8 | None = None
    token: dict[str, Any] | None = None
    length: UInt16 | None = None
    version: HexString | None = None
    scil: UInt8 | None = None
    dcil: UInt8 | None = None
    scid: HexString | None = None
    dcid: HexString | None = None

    @model_validator(mode="after")
    def _has_only_what_such_a_packet_has(self) -> "PacketHeader":
        if self.length is not None and self.packet_type not in ("initial", "handshake", "0RTT"):
            raise ValueError(f"the header of a packet of type {self.packet_type} has no length")
        if self.token is not None and self.packet_type != "initial":
            raise ValueError(f"a packet of type {self.packet_type} has no token")
        return self


class _Packet(Closed):
    header: PacketHeader
    frames: list[dict[str, Any]] | None = None
    is_coalesced: bool | None = None
    retry_token: dict[str, Any] | None = None
    stateless_reset_token: Annotated[HexString, Field(min_length=32, max_length=32)] | None = None
    supported_versions: Annotated[list[HexString], Field(min_length=1)] | None = None
    raw: RawInfo | None = None
    datagram_id: UInt32 | None = None


class TransportPacketSent(_Packet):
    """QUIC events, §5.5."""

    trigger: (
        Literal[
            "retransmit_reordered",
            "retransmit_timeout",
            "pto_probe",
            "retransmit_crypto",
            "cc_bandwidth_probe",
        ]
        | None
    ) = None


class TransportPacketReceived(_Packet):
    """QUIC events, §5.6."""

    trigger: Literal["keys_available"] | None = None


class RecoveryPacketLost(Closed):
    """QUIC events, §6.5."""

    header: PacketHeader | None = None
    frames: list[dict[str, Any]] | None = None
    trigger: Literal["reordering_threshold", "time_threshold", "pto_expired"] | None = None


class RecoveryMetricsUpdated(Closed):
    """QUIC events, §6.2. The definition wants `pto_count` always; the prose wants at least one member, and so
    do later drafts."""

    min_rtt: Milliseconds | None = None
    smoothed_rtt: Milliseconds | None = None
    latest_rtt: Milliseconds | None = None
    rtt_variance: Milliseconds | None = None
    pto_count: UInt16 | None = None
    congestion_window: UInt64 | None = None
    bytes_in_flight: UInt64 | None = None
    ssthresh: UInt64 | None = None
    packets_in_flight: UInt64 | None = None
    pacing_rate: UInt64 | None = None

    @model_validator(mode="after")
    def _has_a_metric(self) -> "RecoveryMetricsUpdated":
        if not self.model_fields_set:
            raise ValueError("no metric was updated")
        return self


EVENTS: dict[str, type[Closed]] = {
    "recovery:metrics_updated": RecoveryMetricsUpdated,
    "recovery:packet_lost": RecoveryPacketLost,
    "transport:packet_received": TransportPacketReceived,
    "transport:packet_sent": TransportPacketSent,
}


class Event(Open):
    """Main schema, §3.4, with the data that its name asks for."""

    time: Milliseconds
    name: Text
    data: dict[str, Any]
    time_format: TimeFormat | None = None
    protocol_type: Annotated[list[Text], Field(min_length=1)] | None = None
    group_id: Text | None = None

    @model_validator(mode="after")
    def _has_the_data_of_its_name(self) -> "Event":
        if self.name not in EVENTS:
            raise ValueError(f"{self.name!r} is no event that is defined here")
        EVENTS[self.name].model_validate(self.data)
        return self


class Qlog(NamedTuple):
    """A file that is as the drafts have it."""

    header: QlogFileSeq
    events: list[Event]


def validated(content: bytes) -> Qlog:
    """The qlog in a file's content; ValueError with what is wrong with it, at whatever place."""
    first, *others = records(content)
    head = content[:FIRST_BYTES]
    if b'"qlog_version"' not in head or b'"qlog_format"' not in head:
        raise ValueError(f"version and format are not within the first {FIRST_BYTES} bytes")
    header = QlogFileSeq.model_validate(first)
    events = [Event.model_validate(record) for record in others]
    times = [event.time for event in events]
    if times != sorted(times):
        raise ValueError("events are not in the order of their times")
    return Qlog(header, events)


def records(content: bytes) -> Iterator[Any]:
    """The records of a JSON text sequence (RFC 7464 §2): each begins with a record separator and ends with a
    line feed. Names are in small letters, and none stands twice in an object."""
    if not content.startswith(RECORD_SEPARATOR):
        raise ValueError("the file does not begin with a record separator")
    for number, record in enumerate(content[1:].split(RECORD_SEPARATOR), 1):
        if not record.endswith(LINE_FEED):
            raise ValueError(f"record {number} does not end with a line feed")
        yield json.loads(record, object_pairs_hook=_object)


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        raise ValueError(f"a name stands twice: {[name for name, _ in members]}")
    if loud := [name for name in found if name != name.lower()]:
        raise ValueError(f"names must be in small letters: {loud}")
    return found

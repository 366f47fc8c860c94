"""What the path saw of a trial, decrypted: its artifact `arrivals`, as docs/arrivals.md has it.

Columns are numpy arrays, NaN where the file has null; times are seconds from the file's base, sizes bytes.
"""

import gzip
import zlib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from pronghorn import reading
from pronghorn.model import bounds
from pronghorn.model.bounds import Count, Moment, Text, Told, Whole

DOWN, UP = 0, 1
"""A packet's direction: to the client, and to the server."""

IN_FLIGHT = "in flight"
"""The fate of a packet that was still in the link when the recording ended."""

NOT_LOST = frozenset({None, IN_FLIGHT, "duplicate"})
"""The fates of packets of which no copy of the sender's was lost: a copy that the link made is not the
sender's."""

NO_STREAM = -1
"""The stream of bytes that belong to no stream."""

_MOST_BYTES = 2**30
"""The most bytes of a trial's JSON; 10 MB of content take less than a hundredth of it."""


class Unreadable(Exception):
    """There are no arrivals to be had of a file: why, as a clause that names the file."""


def _column(kind: type[Any], name: str) -> BeforeValidator:
    def made(value: object) -> object:
        if isinstance(value, np.ndarray):
            return value
        if not isinstance(value, list):
            raise ValueError(f"must be a list of {name}")
        try:
            column = np.array(value, dtype=kind)
            if kind is np.float64 and (np.abs(column) > bounds.MOST_NUMBER).any():
                raise ValueError("a figure is out of bounds")
            return column
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"must be a list of {name}") from error

    return BeforeValidator(made)


Floats = Annotated[NDArray[np.float64], _column(np.float64, "numbers")]
Ints = Annotated[NDArray[np.int64], _column(np.int64, "whole numbers")]
Bools = Annotated[NDArray[np.bool_], _column(np.bool_, "true and false")]


class _Told(BaseModel):
    """A record of the file; keys of a newer engine are kept."""

    model_config = ConfigDict(extra="allow", arbitrary_types_allowed=True)

    __pydantic_extra__: dict[str, Told] = Field(init=False)


class _Table(_Told):
    """Columns of equal lengths."""

    @model_validator(mode="after")
    def _columns_are_of_one_length(self) -> Self:
        lengths = {name: len(getattr(self, name)) for name in type(self).model_fields}
        if len(set(lengths.values())) > 1:
            raise ValueError(
                "columns of different lengths: "
                + ", ".join(f"{name} {length}" for name, length in lengths.items())
            )
        return self

    def __len__(self) -> int:
        return len(getattr(self, next(iter(type(self).model_fields))))


class Packets(_Table):
    """The packets of a connection in order of sending. `sent_s` is when a packet entered its link,
    `arrived_s` when it left it for its host (NaN: it never did, for which `fate` is the reason), `queued_s`
    how long it waited for the bottleneck behind others. `again`: all that it carries had been sent before."""

    direction: Ints
    sent_s: Floats
    arrived_s: Floats
    bytes: Ints
    queued_s: Floats
    fate: tuple[str | None, ...]
    kind: tuple[str, ...]
    again: Bools


class Says(_Told):
    """What one packet of a handshake says; `packet` is its index among the connection's."""

    packet: Count
    says: tuple[Text, ...]


class Stream(_Told):
    """A request's stream; of h1 a request and its response, counted from 0. Null where it wasn't decoded."""

    id: Whole
    method: Text | None = None
    path: Text | None = None
    request_sent_s: Moment | None = None


class Pieces(_Table):
    """The payload of the direction down as it first arrived: `length` bytes of `stream` from its `offset` on
    came in `packet`.

    `released_s` is when the transport's order let the application have them (TCP: all earlier bytes of the
    connection had arrived; QUIC: of the stream; NaN: never), `own_released_s` when all earlier bytes of their
    own stream had. `first_sent_s` is when they first entered the link; `first_fate` why that transmission was
    dropped, null where it is the one that arrived."""

    stream: Ints
    offset: Ints
    length: Ints
    packet: Ints
    arrived_s: Floats
    released_s: Floats
    own_released_s: Floats
    first_sent_s: Floats
    first_fate: tuple[str | None, ...]

    @property
    def available_s(self) -> NDArray[np.float64]:
        """When each piece would be of use if no other stream's bytes came before it: it and all earlier bytes
        of its own stream are there."""
        return np.maximum(self.arrived_s, self.own_released_s)

    @property
    def head_of_line_s(self) -> NDArray[np.float64]:
        """How long each piece waited for bytes of others alone, in seconds; 0 where that had no end."""
        return np.nan_to_num(np.maximum(self.released_s - self.available_s, 0.0))

    @property
    def own_wait_s(self) -> NDArray[np.float64]:
        """How long each piece waited for earlier bytes of its own stream, in seconds; 0 where that had no
        end."""
        return np.nan_to_num(np.maximum(self.own_released_s - self.arrived_s, 0.0))


class Limits(_Table):
    """Flow control as the sender came to know it: the highest offset that it may send to, from `at_s` on.
    `scope` is `connection`, `tcp` or a stream's id."""

    at_s: Floats
    scope: tuple[str, ...]
    offset: Ints


class Connection(_Told):
    """One connection as the path saw it. `protocol` is null where it was never decrypted; `undecrypted` are
    the packets (QUIC) or records (TLS) that no secret opened, `why_not` says why streams or pieces are
    missing. `client` and `server` are `IP:port`."""

    index: Count
    transport: Literal["tcp", "quic"]
    client: Text
    server: Text
    protocol: Literal["h1", "h2", "h3"] | None = None
    undecrypted: Count = 0
    why_not: Text | None = None
    packets: Packets
    handshake: tuple[Says, ...] = ()
    streams: tuple[Stream, ...] = ()
    pieces: Pieces
    limits: Limits

    @model_validator(mode="after")
    def _packets_are_there(self) -> Self:
        count = len(self.packets)
        named = [*self.pieces.packet.tolist(), *(one.packet for one in self.handshake)]
        wrong = [packet for packet in named if not 0 <= packet < count]
        if wrong:
            raise ValueError(f"names packet {wrong[0]}, but has {count}, numbered from 0")
        if not self.client.rpartition(":")[2].isdecimal():
            raise ValueError("client is no IP:port")
        return self

    @property
    def client_port(self) -> int:
        """The client's port as first seen."""
        return int(self.client.rpartition(":")[2])


class Arrivals(_Told):
    """What the path saw of a trial. Its times count from `clock_base_monotonic_s`, in seconds of
    CLOCK_MONOTONIC; where `missing_records` isn't 0 nothing in it is complete."""

    version: Literal[1]
    clock_base_monotonic_s: Moment
    missing_records: Count = 0
    connections: tuple[Connection, ...] = Field(default=())

    def since(self, started_monotonic_s: float) -> float:
        """What is to be added to its times so that they count from a load's start."""
        return self.clock_base_monotonic_s - started_monotonic_s


def read(file: Path, name: str | None = None) -> Arrivals:
    """The arrivals in a file, which is called `name` where it is spoken of; Unreadable where they are not
    there, or broken."""
    called = name or str(file)
    try:
        with reading.opened(file) as stream, gzip.GzipFile(fileobj=stream) as packed:
            text = packed.read(_MOST_BYTES + 1)
    except reading.Unreadable as error:
        raise Unreadable(f"{called} can't be read: {error}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Unreadable(f"{called} is no gzip file that is whole: {error}") from error
    except OSError as error:
        raise Unreadable(f"{called} can't be read: {error.strerror}") from error
    if len(text) > _MOST_BYTES:
        raise Unreadable(f"{called} is too long: over {_MOST_BYTES} bytes unpacked")
    try:
        return Arrivals.model_validate_json(text)
    except ValidationError as error:
        raise Unreadable(f"{called} holds no arrivals: {bounds.wrong(error)}") from error

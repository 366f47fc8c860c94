"""Knobs: settings of an arm's transports beside its congestion control, and who has to honour each."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict

from pronghorn.model.arm import S2N, STACK_PROGRAMS, Arm

Value = int | bool | str
"""What a knob is set to: bytes or a number, yes or no, a word."""

End = Literal["bench", "origin", "client"]
"""Who honours a knob: the emulated path's hosts, the end that sends the page, the end that gets it."""

Kind = Literal["size", "flag", "count", "cipher", "group"]

Cipher = Literal["TLS13_AES_128_GCM_SHA256", "TLS13_AES_256_GCM_SHA384", "TLS13_CHACHA20_POLY1305_SHA256"]
Group = Literal["X25519", "X25519MLKEM768", "SECP256R1"]

CIPHERS: tuple[Cipher, ...] = get_args(Cipher)
GROUPS: tuple[Group, ...] = get_args(Group)

OUR_ORIGIN = "builtin"
OUR_CLIENT = "native"
OUR_CLIENTS = (OUR_CLIENT, "load")
"""The origin and the clients that have knobs; for all others only the bench has. The first of the clients
loads pages."""

TCP = frozenset({"h1", "h2"})
QUIC = frozenset({"h3"})
"""The protocols over each transport."""

_LEAST_QUIC_WINDOW = 2400
"""Two datagrams of the smallest maximum size (RFC 9002 §7.2)."""

_SPOKEN = {"h1": "HTTP/1.1 over TCP", "h2": "HTTP/2 over TCP", "h3": "HTTP/3 over QUIC"}


class Knobs(BaseModel):
    """What is asked of an arm's transports, in bytes, numbers and words; None: as shipped. What each means
    stands in docs/experiments.md."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    initial_window: int | None = None
    pacing: bool | None = None
    stream_window: int | None = None
    connection_window: int | None = None
    tcp_receive_buffer: int | None = None
    tcp_send_buffer: int | None = None
    udp_receive_buffer: int | None = None
    udp_send_buffer: int | None = None
    offloads: bool | None = None
    ack_frequency: int | None = None
    mtu_discovery: bool | None = None
    initial_mtu: int | None = None
    slow_start_after_idle: bool | None = None
    cipher: Cipher | None = None
    key_exchange: Group | None = None

    def asked(self) -> dict[str, Value]:
        """The knobs that are set, by name."""
        return self.model_dump(exclude_none=True)

    def under(self, other: "Knobs") -> "Knobs":
        """These, and over them those of `other`."""
        return Knobs.model_validate(self.asked() | other.asked())

    def definition(self) -> dict[str, Any]:
        """The TOML table which parses to them again."""
        return {
            name: f"{value}B" if KNOBS[name].kind == "size" else value for name, value in self.asked().items()
        }

    def of_origin(self, arm: Arm) -> dict[str, Value]:
        """What our origin is told, under the names of the engine's protocol. An initial window is QUIC's
        there: TCP's stands in the hosts' routes."""
        told = {name: value for name, value in self.asked().items() if name in _TOLD}
        if self.initial_window is not None and arm.protocols & QUIC:
            told["initial_window"] = self.initial_window
        if self.offloads is False and arm.protocols & QUIC:
            told["segmentation_offload"] = False
        return told

    def of_client(self, arm: Arm) -> dict[str, Value]:
        """What our client is told: as our origin, and the one cipher and group to offer."""
        offered = {name: value for name, value in self.asked().items() if name in ("cipher", "key_exchange")}
        return self.of_origin(arm) | offered


class Knob(NamedTuple):
    """What a knob is called in a sentence, how it is written, and by protocol who has to honour it; a
    protocol that isn't there has no such thing."""

    words: str
    kind: Kind
    ends: Mapping[str, tuple[End, ...]]


def _over(protocols: str, *ends: End) -> dict[str, tuple[End, ...]]:
    return dict.fromkeys(protocols.split(), ends)


KNOBS: Mapping[str, Knob] = MappingProxyType(
    {
        "initial_window": Knob("initial window", "size", _over("h1 h2", "bench") | _over("h3", "origin")),
        "pacing": Knob("pacing", "flag", _over("h1 h2 h3", "origin")),
        "stream_window": Knob("stream window", "size", _over("h2 h3", "client")),
        "connection_window": Knob("connection window", "size", _over("h2 h3", "client")),
        "tcp_receive_buffer": Knob("TCP receive buffer", "size", _over("h1 h2", "bench")),
        "tcp_send_buffer": Knob("TCP send buffer", "size", _over("h1 h2", "bench")),
        "udp_receive_buffer": Knob("UDP receive buffer", "size", _over("h3", "client")),
        "udp_send_buffer": Knob("UDP send buffer", "size", _over("h3", "origin")),
        "offloads": Knob("segmentation offload", "flag", _over("h1 h2 h3", "bench")),
        "ack_frequency": Knob("ACK frequency", "count", _over("h3", "origin", "client")),
        "mtu_discovery": Knob("MTU discovery", "flag", _over("h3", "origin")),
        "initial_mtu": Knob("initial MTU", "size", _over("h3", "origin")),
        "slow_start_after_idle": Knob("slow start after idle", "flag", _over("h1 h2", "bench")),
        "cipher": Knob("cipher", "cipher", _over("h1 h2 h3", "client")),
        "key_exchange": Knob("key exchange", "group", _over("h1 h2 h3", "client")),
    }
)
"""Every knob by its key. Of two ends that may differ in a setting the one is named whose setting decides
about the page: its sender's or its receiver's; the other is told as well where it is ours."""

_TOLD = frozenset(
    {
        "pacing", "stream_window", "connection_window", "udp_receive_buffer", "udp_send_buffer",
        "ack_frequency", "mtu_discovery", "initial_mtu",
    }
)  # fmt: skip


def lacking(arm: Arm, name: str, value: Value) -> str | None:
    """Why `arm` has no such thing as the knob asks for, as a clause; None where it has."""
    able = KNOBS[name].ends
    if not arm.protocols & able.keys():
        return f"{_SPOKEN[arm.protocol]} has no such thing; arms of {' and '.join(able)} have"
    if arm.tls_version == "1.2" and (name == "cipher" or value == "X25519MLKEM768"):
        return f"TLS 1.2 has no {value}"
    return None


def impossible(arm: Arm, name: str, value: Value) -> str | None:
    """Why nobody can honour the knob in `arm`, as a clause; None where somebody can."""
    if name == "pacing" and not value:
        if arm.protocols & QUIC:
            return f"QUIC is always paced: {STACK_PROGRAMS[arm.stack]} can't turn it off"
        if _is_bbr(arm):
            return "BBR always paces"
    if name == "ack_frequency" and arm.stack == S2N:
        return "s2n-quic has no such setting; quinn has"
    if name == "slow_start_after_idle" and value and _is_bbr(arm):
        return "BBR keeps its window after idle time"
    if name == "initial_window" and arm.protocols & QUIC and int(value) < _LEAST_QUIC_WINDOW:
        return f"QUIC's window is at least two datagrams, {_LEAST_QUIC_WINDOW}B (RFC 9002 §7.2)"
    return None


def ends(arm: Arm, name: str, value: Value) -> frozenset[End]:
    """Who has to honour the knob in `arm`; nobody where it is so anyway."""
    if name == "offloads" and value:
        return frozenset()
    if name in ("pacing", "slow_start_after_idle") and not arm.protocols & QUIC and _is_bbr(arm):
        return frozenset()
    able = KNOBS[name].ends
    return frozenset(end for protocol in arm.protocols for end in able.get(protocol, ()))


def _is_bbr(arm: Arm) -> bool:
    return bool(arm.protocols & TCP) and arm.controls["tcp"] == "bbr"


def able_ends(*, emulated: bool, origin: str, client: str) -> frozenset[End]:
    """Who honours knobs in a cell: its hosts where its path is `emulated`, an origin or a client of ours."""
    found: list[End] = ["bench"] if emulated else []
    if origin == OUR_ORIGIN:
        found.append("origin")
    if client in OUR_CLIENTS:
        found.append("client")
    return frozenset(found)

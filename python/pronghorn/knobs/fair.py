"""`fair = true`: what it asks for in a cell, and what remains unequal there all the same."""

from collections.abc import Iterator

from pronghorn.host.socket_buffers import obtainable
from pronghorn.knobs.stack_differences import differences
from pronghorn.model.arm import Arm
from pronghorn.model.experiment import Experiment
from pronghorn.model.knobs import (
    KNOBS,
    OUR_CLIENT,
    OUR_ORIGIN,
    QUIC,
    TCP,
    End,
    Knobs,
    able_ends,
    ends,
    lacking,
)
from pronghorn.model.path import PathSpec
from pronghorn.model.path.spec import DEVICE_MTU_BYTES
from pronghorn.model.trial import Cell

_INITIAL_WINDOW = 14480
"""Linux's ten segments (RFC 6928) at an MTU of 1500 bytes."""

_LEAST_QUIC_PAYLOAD = 1200
"""The datagrams that QUIC needs a path to carry (RFC 9000 §14)."""

_UDP_BUFFER = 4 * 2**20

_VALUES = Knobs(
    initial_window=_INITIAL_WINDOW,
    pacing=True,
    stream_window=16 * 2**20,
    connection_window=24 * 2**20,
    tcp_receive_buffer=16 * 2**20,
    tcp_send_buffer=16 * 2**20,
    slow_start_after_idle=False,
    cipher="TLS13_AES_128_GCM_SHA256",
    key_exchange="X25519",
)


def values(spec: PathSpec | None) -> Knobs:
    """What it asks of every arm on a path: UDP buffers as far as the kernel gives them to this user. On a
    path of known MTU, QUIC's datagrams fill the same IP packets as TCP's segments, and the initial window is
    as many whole segments as there is room for."""
    told: dict[str, int | bool] = {
        "udp_receive_buffer": obtainable("receive", _UDP_BUFFER),
        "udp_send_buffer": obtainable("send", _UDP_BUFFER),
    }
    if spec is None:
        return _VALUES.model_copy(update=told)
    told |= {
        "initial_window": max(1, _INITIAL_WINDOW // spec.mss_bytes) * spec.mss_bytes,
        "mtu_discovery": False,
    }
    if spec.udp_payload_bytes >= _LEAST_QUIC_PAYLOAD:
        told["initial_mtu"] = spec.udp_payload_bytes
    return _VALUES.model_copy(update=told)


def given(experiment: Experiment, cell: Cell, arm: Arm) -> Knobs:
    """What it asks of `arm` in `cell`: what somebody there honours. Nothing where the experiment isn't."""
    if not experiment.fair:
        return Knobs()
    able = _able(experiment, cell)
    held = {
        name: value
        for name, value in values(experiment.path(cell.path).spec).asked().items()
        if lacking(arm, name, value) is None and ends(arm, name, value) <= able
    }
    return Knobs.model_validate(held)


def unequalled(experiment: Experiment, cell: Cell, arm: Arm) -> list[str]:
    """Sentences about what it can't equal of `arm` in `cell`; none where the experiment isn't fair. What
    transports differ in is told where there are arms over both."""
    if not experiment.fair:
        return []
    found = list(_out_of_reach(experiment, cell, arm))
    used = frozenset(protocol for each in experiment.arms for protocol in each.protocols)
    if used & TCP and used & QUIC:
        knobs = given(experiment, cell, arm).under(experiment.knobs.of(arm))
        found += differences(cell, arm, knobs, experiment.path(cell.path).spec)
    return found


def _able(experiment: Experiment, cell: Cell) -> frozenset[End]:
    emulated = experiment.path(cell.path).spec is not None
    return able_ends(emulated=emulated, origin=cell.origin, client=cell.client)


def _out_of_reach(experiment: Experiment, cell: Cell, arm: Arm) -> Iterator[str]:
    """What nobody there can be told of, by who would have to honour it."""
    spec, able = experiment.path(cell.path).spec, _able(experiment, cell)
    missing = {
        name: ends(arm, name, value) - able
        for name, value in values(spec).asked().items()
        if lacking(arm, name, value) is None
    }
    for end, unable, who in (
        ("bench", f"The hosts of path '{cell.path}'", "those of an emulated path"),
        ("origin", f"Origin '{cell.origin}'", OUR_ORIGIN),
        ("client", f"Client '{cell.client}'", OUR_CLIENT),
    ):
        if words := [KNOBS[name].words for name, lost in missing.items() if end in lost]:
            yield f"{unable} can't set {arm.name}'s {_listed(words)}; {who} could."
    if arm.tls_version == "1.2":
        yield f"{arm.name} keeps TLS 1.2, whose ciphers and handshake differ."
    if arm.protocols & TCP and spec is not None and spec.mtu_bytes < DEVICE_MTU_BYTES:
        yield (
            f"On path '{cell.path}' QUIC knows that packets have {spec.mtu_bytes} bytes. TCP begins with "
            f"{DEVICE_MTU_BYTES} and learns it by ICMP, if at all."
        )
    if arm.protocols & QUIC and spec is None:
        yield f"On path '{cell.path}' TCP and QUIC each find their own packet size."
    if arm.protocols & QUIC and spec is not None and spec.udp_payload_bytes < _LEAST_QUIC_PAYLOAD:
        yield (
            f"Path '{cell.path}' carries datagrams of at most {spec.udp_payload_bytes} bytes, but QUIC "
            f"needs {_LEAST_QUIC_PAYLOAD} (RFC 9000 §14)."
        )


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

"""Where each setting is read back from, or known from a source that then stands beside it in parentheses.

Every function takes an arm in a cell and gives all values that were seen, none where nobody tells."""

from collections.abc import Callable

from pronghorn.fairness import labels, shipped
from pronghorn.fairness.group import Group
from pronghorn.fairness.values import Value, distinct
from pronghorn.knobs import effective
from pronghorn.model.arm import STACK_PROGRAMS
from pronghorn.model.knobs import OUR_CLIENTS
from pronghorn.model.path.spec import IP_HEADER_BYTES, TCP_HEADERS_BYTES, UDP_HEADER_BYTES
from pronghorn.model.trial import Connection

Reading = Callable[[Group], list[Value]]

_TCP_OF_HOST = "net.ipv4.tcp_congestion_control"

NO_METRIC_SEGMENTS = 10
"""Linux's initial window where its route says none (RFC 6928)."""


def origin_control(group: Group) -> list[Value]:
    """The congestion control of the origin's ends, which sends downloads."""
    found = distinct(one.congestion_control for one in group.served())
    if not found and group.by_host:
        # Nobody told it anything: what it would declare is what was asked, not what ran.
        own = group.sysctls.get(_TCP_OF_HOST)
        return [f"{own} (this machine's {_TCP_OF_HOST})"] if own else []
    if not found:
        found = distinct([group.declared.get("congestion_control")])
    return [_labelled(group, str(name), ours=group.own_origin) for name in found]


def client_control(group: Group) -> list[Value]:
    """The congestion control of the client's ends, which sends uploads."""
    found = distinct(one.congestion_control for one in group.opened())
    return [_labelled(group, str(name), ours=group.cell.client in OUR_CLIENTS) for name in found]


def initial_window(group: Group) -> list[Value]:
    """Of the origin's ends: read back, else what the host's route says, else as shipped."""
    if found := from_origin("initial_window")(group):
        return found
    segments = [
        trial.counters.host.tcp["server"].get("initial_window_segments")
        for trial in group.trials
        if not group.arm.over_quic
        and trial.counters
        and trial.counters.host
        and trial.counters.host.tcp
        and trial.counters.host.tcp.get("server")
    ]
    if segments:
        return distinct(f"{number or NO_METRIC_SEGMENTS} segments (Linux)" for number in segments)
    return declared("initial_window")(group)


def packet_bytes(group: Group) -> list[Value]:
    """The IP packet of the origin's full segment, or of its largest UDP payload, at the end."""
    spec = group.path.spec
    key, above = ("udp_payload", UDP_HEADER_BYTES) if group.arm.over_quic else ("mss", TCP_HEADERS_BYTES)
    headers = IP_HEADER_BYTES[spec.ip if spec else 4] + above
    told = [one.settings.get(key) for one in group.served()]
    flown = group.flights.senders(group.trials, over_quic=group.arm.over_quic) if not any(told) else ()
    told += [sender.mss for senders in flown for sender in senders]
    return distinct(size + headers for size in told if isinstance(size, int))


def pacing(group: Group) -> list[Value]:
    """Whether the origin's ends pace what they send."""
    return from_origin("pacing")(group) or asked(group, "pacing") or shipped.pacing(group)


def stream_window(group: Group) -> list[Value]:
    """What the client lets a stream have on the way."""
    told = from_client("stream_window")(group) or asked(group, "stream_window")
    return told or shipped.window(group, "stream")


def connection_window(group: Group) -> list[Value]:
    """What the client lets a connection have on the way."""
    told = from_client("connection_window")(group) or asked(group, "connection_window")
    return told or shipped.window(group, "connection")


def udp_receive_buffer(group: Group) -> list[Value]:
    """Of the client's sockets of QUIC."""
    return from_client("udp_receive_buffer")(group) or distinct(
        one.udp_receive_buffer for one in group.opened()
    )


def tcp_maximum(side: str, key: str, sysctl: str) -> Reading:
    """The third figure of a host's tcp_rmem or tcp_wmem: read back in the bench, whose own namespaces begin
    with this machine's."""

    def reading(group: Group) -> list[Value]:
        if found := group.of_tcp(side, key):
            return distinct(int(three[2]) for three in found if len(three) == 3)
        if told := asked(group, f"tcp_{key}"):
            return told
        figures = str(group.sysctls.get(sysctl, "")).split()
        if group.arm.over_quic or group.experiment.live or len(figures) != 3:
            return []
        return [f"{figures[2]} bytes (this machine's {sysctl})"]

    return reading


def segmentation_offload(group: Group) -> list[Value]:
    """Whether the origin hands the kernel many packets at once."""
    if group.arm.over_quic:
        return from_origin("segmentation_offload")(group)
    return distinct(
        "tso" in trial.counters.host.offloads
        for trial in group.trials
        if trial.counters and trial.counters.host
    )


def after_idle(group: Group) -> list[Value]:
    """Whether the origin's window falls back once nothing was sent for a retransmission time-out."""
    if group.arm.over_quic:
        return [f"no ({STACK_PROGRAMS[group.arm.stack]})"] if group.own_origin else []
    if any(one.congestion_control == "bbr" for one in group.served()) or group.arm.controls["tcp"] == "bbr":
        return ["no (BBR)"]
    if found := group.of_tcp("server", "slow_start_after_idle"):
        return distinct(bool(one) for one in found)
    if wanted := asked(group, "slow_start_after_idle"):
        return wanted
    sysctl = "net.ipv4.tcp_slow_start_after_idle"
    told = group.sysctls.get(sysctl)
    if told is None or group.experiment.live:
        return []
    return [f"{'no' if told == '0' else 'yes'} (this machine's {sysctl})"]


def cipher(group: Group) -> list[Value]:
    """What the client's connections agreed on; where the library doesn't tell, the only one that was
    offered."""
    return of_tls("cipher")(group) or (asked(group, "cipher") if group.opened() else [])


def key_exchange(group: Group) -> list[Value]:
    """As `cipher`."""
    return of_tls("key_exchange")(group) or (asked(group, "key_exchange") if group.opened() else [])


def certificate(group: Group) -> list[Value]:
    """The chain that the origin sends, in bytes."""
    found = (group.notes.get("certificate") or {}).get("chain_bytes")
    return [int(found)] if found is not None else []


def session(group: Group) -> list[Value]:
    """How the client's connections began: in full, resumed, or with 0-RTT data."""
    return distinct(_began(one) for one in group.opened())


def asked(group: Group, knob: str) -> list[Value]:
    """What the experiment asks of the arm, as long as nobody has told what came of it."""
    value = effective.of_arm(group.experiment, group.cell, group.arm).asked().get(knob)
    if value is None:
        return []
    if isinstance(value, bool):
        return ["yes (asked)" if value else "no (asked)"]
    return [f"{value} bytes (asked)" if isinstance(value, int) else f"{value} (asked)"]


def declared(key: str) -> Reading:
    """What the origin's program is known to ship, or was asked for."""

    def reading(group: Group) -> list[Value]:
        told = group.declared.get(key)
        return distinct(told if isinstance(told, list) else [told])

    return reading


def from_origin(key: str) -> Reading:
    """A setting that the origin's ends tell of themselves."""
    return lambda group: distinct(one.settings.get(key) for one in group.served())


def from_client(key: str) -> Reading:
    """A setting that the client's ends tell of themselves."""
    return lambda group: distinct(one.settings.get(key) for one in group.opened())


def of_tls(key: str) -> Reading:
    """What the client's connections agreed on."""
    return lambda group: distinct(getattr(one, key) for one in group.opened())


def _labelled(group: Group, name: str, *, ours: bool) -> str:
    if " (" in name:
        return name
    if not group.arm.over_quic:
        return labels.of_kernel(name, group.host)
    return labels.of_quic(name, group.arm.stack, group.notes.get("libraries") or {}) if ours else name


def _began(connection: Connection) -> str | None:
    if connection.early_data is not None:
        return f"resumed, 0-RTT data {connection.early_data}"
    if connection.resumed is None:
        return None
    return "resumed" if connection.resumed else "in full"

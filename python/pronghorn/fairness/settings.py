"""What is compared between the arms of a cell: each setting with where it is read, what a difference may do
to the result, and what removes it."""

from collections.abc import Callable
from typing import NamedTuple

from pronghorn.fairness import labels, readings, remedies, shipped
from pronghorn.fairness.group import Group
from pronghorn.fairness.readings import Reading
from pronghorn.fairness.values import Value, plain
from pronghorn.model.arm import TLS12
from pronghorn.model.knobs import QUIC, TCP

Peers = Callable[[Group], str | None]
"""A word for an arm. A difference between arms with the same word is hidden and gets a warning. None: the
setting was asked for, or another warning covers it."""


class Setting(NamedTuple):
    """One setting. `key` names it in a warning's code (`arms-differ-KEY`), `name` in the table. Two values
    are as good as the same within `slack` (of the unit) or the share `slack_share` of the smaller one. A
    `minor` setting's difference stands in the table, and all minor ones share a warning. `knobs` are those of
    an experiment that set it; they remove a difference where no `remedy` says what does, as `how` says where
    it isn't by the same for all. `over` are the protocols that have such a thing."""

    key: str
    name: str
    effect: str
    read: Reading
    remedy: str | Callable[[list[Group]], str] | None = None
    knobs: tuple[str, ...] = ()
    how: str = ""
    over: frozenset[str] = TCP | QUIC
    unit: str | None = None
    compared: Callable[[Value], Value] = plain
    slack: int = 0
    slack_share: float = 0.0
    minor: bool = False
    peers: Peers = lambda _: ""

    def removal(self, groups: list[Group]) -> str:
        """What makes the arms of a cell equal."""
        if self.remedy is not None:
            return self.remedy if isinstance(self.remedy, str) else self.remedy(groups)
        if not self.knobs:
            return remedies.BEAR_IT
        if groups[0].experiment.fair:
            return "fair = true can't equalise it here: consider it when you read the verdict."
        return remedies.by_knob(groups, *self.knobs, how=self.how)

    def asked_of(self, group: Group) -> bool:
        """Whether the experiment gives this arm a value of its own."""
        own = group.experiment.knobs.by_arm.get(group.arm.name)
        return own is not None and any(knob in own.asked() for knob in self.knobs)


_STREAMS = frozenset({"h2", "h3"})
"""The protocols with windows and priorities of their own."""


def _leaves_control(group: Group) -> str | None:
    return "" if group.arm.control_asked is None else None


def _same_control(group: Group) -> str | None:
    ran = readings.origin_control(group)
    return labels.algorithm(str(ran[0])) if ran else group.arm.congestion_control


def _same_tls(group: Group) -> str | None:
    return TLS12 if TLS12 in group.arm.options else ""


def _never(_: Group) -> str | None:
    return None


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "congestion-control",
        "congestion control, from origin to client",
        "It decides how fast a transfer starts, what a loss costs and how long the queue is. It alone "
        "can make one arm faster.",
        readings.origin_control,
        remedy=remedies.same_control,
        compared=lambda value: labels.algorithm(str(value)),
        peers=_leaves_control,
    ),
    Setting(
        "client-congestion-control",
        "congestion control, from client to origin",
        "It governs uploads; in a download only the requests.",
        readings.client_control,
        compared=lambda value: labels.algorithm(str(value)),
        minor=True,
        peers=_leaves_control,
    ),
    Setting(
        "initial-window",
        "initial window",
        "Data in the larger first flight arrives one round trip earlier. This matters for short pages on "
        "long paths, and hardly for megabytes.",
        readings.initial_window,
        knobs=("initial_window",),
        unit="bytes",
        slack=1460,
    ),
    Setting(
        "slow-start-until",
        "end of slow start",
        "A sender that leaves slow start early fills the path later; one that leaves it late loses more "
        "packets. On paths with jitter HyStart may end it early.",
        readings.declared("slow_start_until"),
        remedy="To see how much HyStart explains: echo 0 > /sys/module/tcp_cubic/parameters/hystart",
        peers=_same_control,
    ),
    Setting(
        "pacing",
        "pacing",
        "A sender without pacing sends bursts, which a short queue drops. One with pacing starts "
        "more slowly.",
        readings.pacing,
        knobs=("pacing",),
        minor=True,
        peers=_same_control,
    ),
    Setting(
        "stream-buffer",
        "origin's buffer of a response",
        "A response can't send more than that per round trip, however fast the path.",
        readings.declared("stream_buffer"),
        remedy="Raise it in the server's configuration.",
        over=QUIC,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "stream-window",
        "client's window of a stream",
        "A response can't receive more than that per round trip. Below rate × round trip of the path, it "
        "limits the transfer before congestion control does.",
        readings.stream_window,
        knobs=("stream_window",),
        over=_STREAMS,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "connection-window",
        "client's window of a connection",
        "All responses together can't receive more than that per round trip.",
        readings.connection_window,
        knobs=("connection_window",),
        over=_STREAMS,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "tcp-receive-buffer",
        "client's largest TCP receive buffer",
        "TCP's window grows to about half of it.",
        readings.tcp_maximum("client", "receive_buffer", "net.ipv4.tcp_rmem"),
        knobs=("tcp_receive_buffer",),
        over=TCP,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "tcp-send-buffer",
        "origin's largest TCP send buffer",
        "TCP has at most about half of it in flight.",
        readings.tcp_maximum("server", "send_buffer", "net.ipv4.tcp_wmem"),
        knobs=("tcp_send_buffer",),
        over=TCP,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "udp-receive-buffer",
        "client's UDP receive buffer",
        "The client's host drops a burst that doesn't fit, and the sender takes that for loss.",
        readings.udp_receive_buffer,
        knobs=("udp_receive_buffer",),
        over=QUIC,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "udp-send-buffer",
        "origin's UDP send buffer",
        "A full buffer delays the sender.",
        readings.from_origin("udp_send_buffer"),
        knobs=("udp_send_buffer",),
        over=QUIC,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "segmentation-offload",
        "segmentation offload of the origin",
        "Sending each packet separately costs CPU time, which matters on fast paths.",
        readings.segmentation_offload,
        knobs=("offloads",),
        minor=True,
    ),
    Setting(
        "ack-frequency",
        "packets that the client may leave unacknowledged",
        "Fewer acknowledgements save bandwidth on the up link and CPU time; a window that grows with "
        "them grows later.",
        readings.from_origin("ack_frequency"),
        knobs=("ack_frequency",),
        over=QUIC,
        minor=True,
    ),
    Setting(
        "packet",
        "size of a full IP packet",
        "Smaller packets spend a larger share on headers. QUIC's grow during MTU discovery.",
        readings.packet_bytes,
        knobs=("initial_mtu", "mtu_discovery"),
        how="Write mtu_discovery = false and set initial_mtu to the path's MTU less 28 bytes "
        '(initial_mtu = "1472B"; over IPv6 less 48, "1452B")',
        unit="bytes",
        slack_share=0.01,
    ),
    Setting(
        "mtu-discovery",
        "QUIC's discovery of the MTU",
        "Its probes cost some packets; the packets after it are larger.",
        readings.from_origin("mtu_discovery"),
        knobs=("mtu_discovery",),
        over=QUIC,
        minor=True,
    ),
    Setting(
        "slow-start-after-idle",
        "window reset after idle time",
        "A page with pauses, or a kept connection, restarts with the initial window.",
        readings.after_idle,
        knobs=("slow_start_after_idle",),
        how="Write slow_start_after_idle = false",
        minor=True,
    ),
    Setting(
        "tls-version",
        "TLS version",
        "A full handshake of TLS 1.2 takes one round trip more than that of TLS 1.3.",
        readings.of_tls("tls_version"),
        compared=lambda value: str(value).replace("TLSv1_", "TLS 1."),
        peers=_same_tls,
    ),
    Setting(
        "cipher",
        "cipher",
        "Ciphers differ in CPU time, which matters on fast paths.",
        readings.cipher,
        knobs=("cipher",),
        compared=lambda value: str(plain(value)).replace("TLS13_", "TLS_"),
        peers=_same_tls,
    ),
    Setting(
        "key-exchange",
        "key exchange",
        "X25519MLKEM768 makes the handshake some 2.3 kB longer than X25519. A group without a key share "
        "from the client costs a round trip.",
        readings.key_exchange,
        knobs=("key_exchange",),
        peers=_same_tls,
    ),
    Setting(
        "certificate",
        "certificate chain",
        "A longer chain costs bytes. Over QUIC it costs a round trip if it exceeds what a server may "
        "send first.",
        readings.certificate,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "session",
        "TLS session",
        "A resumed handshake saves the certificate; 0-RTT data saves a round trip.",
        readings.session,
        remedy="Give all arms the same +resumed and +0rtt.",
        peers=_never,
    ),
    Setting(
        "priorities",
        "priorities that the origin honours",
        "They decide which part of a page comes first. Single resources shift, and with them a "
        "browser's paint.",
        shipped.priorities,
        over=_STREAMS,
        minor=True,
    ),
)
"""All settings, in the order of the table."""

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
"""A word for an arm: a difference from those with the same word is a hidden one and warned of. None:
whatever the arm runs was asked for, or is told of elsewhere."""


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
            return "fair = true can't reach it here: bear it in mind."
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
        "It decides how fast a transfer gets going, what a loss costs and how full the queue is: it alone "
        "can make one arm the faster one.",
        readings.origin_control,
        remedy=remedies.same_control,
        compared=lambda value: labels.algorithm(str(value)),
        peers=_leaves_control,
    ),
    Setting(
        "client-congestion-control",
        "congestion control, from client to origin",
        "It governs uploads; of a download only the requests.",
        readings.client_control,
        compared=lambda value: labels.algorithm(str(value)),
        minor=True,
        peers=_leaves_control,
    ),
    Setting(
        "initial-window",
        "initial window",
        "What fits into the larger first flight comes a round trip earlier, which counts for short pages on "
        "long paths, and hardly for megabytes.",
        readings.initial_window,
        knobs=("initial_window",),
        unit="bytes",
        slack=1460,
    ),
    Setting(
        "slow-start-until",
        "end of slow start",
        "Who leaves slow start early fills the path later, who leaves it late loses more. On paths with "
        "jitter HyStart may end it early.",
        readings.declared("slow_start_until"),
        remedy="To see how much of a difference HyStart explains: "
        "echo 0 > /sys/module/tcp_cubic/parameters/hystart",
        peers=_same_control,
    ),
    Setting(
        "pacing",
        "pacing",
        "Who doesn't pace sends bursts, which a short queue drops; who does gets going more slowly.",
        readings.pacing,
        knobs=("pacing",),
        minor=True,
        peers=_same_control,
    ),
    Setting(
        "stream-buffer",
        "origin's buffer of a response",
        "A response gets no more than that in a round trip, however fast the line.",
        readings.declared("stream_buffer"),
        remedy="Raise it in the server's configuration.",
        over=QUIC,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "stream-window",
        "client's window of a stream",
        "A response gets no more than that in a round trip: below the path's rate × round trip it takes "
        "congestion control's place.",
        readings.stream_window,
        knobs=("stream_window",),
        over=_STREAMS,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "connection-window",
        "client's window of a connection",
        "All responses together get no more than that in a round trip.",
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
        "TCP has no more than about half of it on the way.",
        readings.tcp_maximum("server", "send_buffer", "net.ipv4.tcp_wmem"),
        knobs=("tcp_send_buffer",),
        over=TCP,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "udp-receive-buffer",
        "client's UDP receive buffer",
        "A burst that doesn't fit is dropped by the client's host, which its sender takes for a loss.",
        readings.udp_receive_buffer,
        knobs=("udp_receive_buffer",),
        over=QUIC,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "udp-send-buffer",
        "origin's UDP send buffer",
        "One that is full holds the sender up.",
        readings.from_origin("udp_send_buffer"),
        knobs=("udp_send_buffer",),
        over=QUIC,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "segmentation-offload",
        "segmentation offload of the origin",
        "Handing over each packet by itself costs CPU time, which counts on fast lines.",
        readings.segmentation_offload,
        knobs=("offloads",),
        minor=True,
    ),
    Setting(
        "ack-frequency",
        "packets that the client may leave unacknowledged",
        "Rarer acknowledgements spare a slow line up and CPU time; a window that grows by them grows later.",
        readings.from_origin("ack_frequency"),
        knobs=("ack_frequency",),
        over=QUIC,
        minor=True,
    ),
    Setting(
        "packet",
        "size of a full IP packet",
        "Of smaller packets more goes into headers. QUIC's grow while it looks for the MTU.",
        readings.packet_bytes,
        knobs=("initial_mtu", "mtu_discovery"),
        how="Write mtu_discovery = false and as initial_mtu the path's MTU less 28 bytes "
        '(initial_mtu = "1472B")',
        unit="bytes",
        slack_share=0.01,
    ),
    Setting(
        "mtu-discovery",
        "QUIC's discovery of the MTU",
        "Its probes cost some packets, and those after it are fuller.",
        readings.from_origin("mtu_discovery"),
        knobs=("mtu_discovery",),
        over=QUIC,
        minor=True,
    ),
    Setting(
        "slow-start-after-idle",
        "falling back of the window after idle time",
        "A page with pauses, or a kept connection, begins anew with the initial window.",
        readings.after_idle,
        knobs=("slow_start_after_idle",),
        how="Write slow_start_after_idle = false",
        minor=True,
    ),
    Setting(
        "tls-version",
        "TLS version",
        "A full handshake of TLS 1.2 takes a round trip more than that of TLS 1.3.",
        readings.of_tls("tls_version"),
        compared=lambda value: str(value).replace("TLSv1_", "TLS 1."),
        peers=_same_tls,
    ),
    Setting(
        "cipher",
        "cipher",
        "Ciphers differ in CPU time, which counts on fast lines.",
        readings.cipher,
        knobs=("cipher",),
        compared=lambda value: str(plain(value)).replace("TLS13_", "TLS_"),
        peers=_same_tls,
    ),
    Setting(
        "key-exchange",
        "key exchange",
        "X25519MLKEM768 makes the handshake some 2.3 kB longer than X25519 does; a group that the client "
        "sent no share of costs a round trip.",
        readings.key_exchange,
        knobs=("key_exchange",),
        peers=_same_tls,
    ),
    Setting(
        "certificate",
        "certificate chain",
        "A longer one costs bytes, and over QUIC a round trip once it exceeds what a server may send first.",
        readings.certificate,
        unit="bytes",
        minor=True,
    ),
    Setting(
        "session",
        "TLS session",
        "A resumed one spares the certificate, 0-RTT data a round trip.",
        readings.session,
        remedy="Write the arms with the same of +resumed and +0rtt.",
        peers=_never,
    ),
    Setting(
        "priorities",
        "priorities that the origin heeds",
        "They decide what of a page comes first: single resources shift, and a browser's paint with them.",
        shipped.priorities,
        over=_STREAMS,
        minor=True,
    ),
)
"""All of them, in the order of the table."""

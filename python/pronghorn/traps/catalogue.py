"""The known traps of HTTP/3: what each is, what else looks like it, and which setting mends it."""

from typing import NamedTuple


class Mend(NamedTuple):
    """Whose setting, and what it has to be, as it is written there. `note` says more about it."""

    where: str
    setting: str
    note: str = ""


class Trap(NamedTuple):
    """A trap by its name. `what` is one sentence, `otherwise` what else could look so. `harms`: it is
    something to change; without it, it is told, and nothing is found."""

    name: str
    what: str
    otherwise: str
    mends: tuple[Mend, ...]
    harms: bool = True


_LATER = "ma=86400 once h3 has worked for a day"
_ROUTERS = "every firewall, load balancer and cloud rule before the server"

STREAM_BUFFER = Trap(
    "stream-buffer",
    "The server has at most 64 KiB of a response on the way over HTTP/3, so a round trip brings no more.",
    "a client whose own window is 64 kB",
    (
        Mend(
            "nginx",
            "http3_stream_buffer_size 1m;",
            "rate times round trip, such as 375 kB at 50 Mbit/s and 60 ms; far more delays urgent responses",
        ),
    ),
)

FIXED_WINDOW = Trap(
    "fixed-window",
    "The server has at most a fixed number of bytes on the way over HTTP/3, so a round trip brings no more.",
    "an application that writes so much at a time, over HTTP/3 alone",
    (
        Mend("HAProxy", "quic-cc-algo cubic(8m) on the bind line (480k as shipped)"),
        Mend("nginx", "http3_stream_buffer_size, of each response: the rate times the round trip"),
    ),
)

FLOW_CONTROL = Trap(
    "flow-control",
    "The receiver's window lets no more data be on the way, so the sender stands still in each round trip.",
    "a bound of the server's own that happens to be as large",
    (
        Mend("this client", "its windows bound a download; Chromium has 6 MB a stream"),
        Mend("quinn", "TransportConfig::stream_receive_window, receive_window"),
        Mend("quic-go", "quic.Config.MaxStreamReceiveWindow, MaxConnectionReceiveWindow"),
    ),
)

BURST_LOSS = Trap(
    "burst-loss",
    "HTTP/3's packets are lost in long runs: the server sends bursts that a queue on the way can't hold.",
    "a short outage of the network, which would strike TCP as well",
    (
        Mend("HAProxy", "quic-cc-algo cubic on the bind line, which paces as of 3.2"),
        Mend("HAProxy", "no tune.quic.disable-tx-pacing (3.2), no tune.quic.fe.tx.pacing off (3.3)"),
        Mend("nginx", "http3_stream_buffer_size, lower: it bounds a burst (nginx has no pacing)"),
        Mend("the network", "a queue of at least one bandwidth-delay product at the bottleneck"),
    ),
)

MTU = Trap(
    "mtu",
    "UDP datagrams of full size die on the way; only short ones arrive.",
    "a server that answers short packets only",
    (
        Mend("the network", "let ICMP 'fragmentation needed' and 'packet too big' pass, or raise the MTU"),
        Mend("quinn", "TransportConfig::initial_mtu(1200), keep mtu_discovery_config"),
        Mend("quic-go", "quic.Config.InitialPacketSize = 1200, DisablePathMTUDiscovery = false"),
    ),
)

AMPLIFICATION = Trap(
    "amplification",
    "The certificate chain is longer than what a server may send before the client has answered (three times "
    "what it got), so each handshake takes a round trip more.",
    "a lost packet in the handshake, but not in most visits",
    (
        Mend("the certificate", "an ECDSA P-256 key, few names, and no more than the needed intermediates"),
        Mend("nginx 1.29.1 and later", "ssl_certificate_compression on;"),
    ),
)

PRIORITIES = Trap(
    "priorities",
    "Urgent responses wait behind large ones over HTTP/3: the server ignores the requests' priorities "
    "(RFC 9218).",
    "an application that takes longer for these responses over HTTP/3",
    (
        Mend("the page", "load what is large later: loading=lazy, fetchpriority=low"),
        Mend("nginx", "http3_stream_buffer_size, lower: nothing overtakes what is buffered"),
    ),
)

RETRY = Trap(
    "retry",
    "The server answers each new connection with a Retry, which costs a round trip.",
    "a server under attack, which asks for it only then",
    (
        Mend("nginx", "quic_retry off;"),
        Mend("HAProxy", "remove quic-force-retry from the bind line"),
        Mend("quic-go", "quic.Transport.VerifySourceAddress"),
    ),
)

NOT_OFFERED = Trap(
    "not-offered",
    "HTTP/3 is not offered, so browsers never try it: there is no Alt-Svc header and no HTTPS record.",
    "an offer that is made over HTTP/2 alone, or in other responses",
    (
        Mend("nginx", """add_header Alt-Svc 'h3=":443"; ma=300' always;""", _LATER),
        Mend("HAProxy", """http-response set-header alt-svc 'h3=":443"; ma=300'""", _LATER),
        Mend("Caddy", "servers { protocols h1 h2 h3 }"),
        Mend("DNS", 'HTTPS record: 1 . alpn="h3,h2"'),
    ),
)

NOT_SERVED = NOT_OFFERED._replace(
    otherwise="a server whose UDP port is shut to this machine",
    mends=(
        Mend(
            "nginx",
            """listen 443 quic reuseport; add_header Alt-Svc 'h3=":443"; ma=300' always;""",
            _LATER,
        ),
        Mend(
            "HAProxy",
            """bind quic4@:443 ssl crt FILE alpn h3; http-response set-header alt-svc 'h3=":443"; ma=300'""",
            _LATER,
        ),
        Mend("Caddy", "servers { protocols h1 h2 h3 }"),
    ),
)
"""The same where no QUIC server answers: there is nothing to offer yet."""

OFFER_DEAD = Trap(
    "offer-dead",
    "HTTP/3 is offered, but nothing answers at that UDP port: browsers try in vain.",
    "a firewall between this machine and the server",
    (
        Mend(_ROUTERS, "let UDP 443 in and its answers out"),
        Mend("Docker", "ports: 443:443/udp beside 443:443/tcp"),
    ),
)

WRONG_PORT = OFFER_DEAD._replace(
    otherwise="a server that answers at both ports, of which one is shut to this machine",
    mends=(Mend("Alt-Svc, HTTPS record", "name the port that clients reach, not a container's"),),
)

NO_TICKETS = Trap(
    "no-tickets",
    "The server resumes no session over HTTP/3: a second visit's handshake has the certificate again, "
    "and 0-RTT is impossible.",
    "several servers at one address that don't share their ticket keys",
    (
        Mend("nginx", "remove ssl_session_tickets off; several servers: ssl_session_ticket_key FILE"),
        Mend("HAProxy", "remove no-tls-tickets from the bind line; several servers: tls-ticket-keys FILE"),
        Mend("Caddy", "in its JSON, apps.tls.session_tickets.disabled: false"),
    ),
)

CONGESTION = Trap(
    "congestion-control",
    "TCP keeps its rate under loss and QUIC does not: their congestion control differs, such as BBR against "
    "CUBIC.",
    "less loss on TCP's way",
    (
        Mend("HAProxy", "quic-cc-algo bbr on the bind line (as of 3.2)"),
        Mend("nginx, Caddy", "nothing: their QUIC has one algorithm, which backs off"),
    ),
)

POLICED = Trap(
    "udp-policed",
    "The network drops UDP above some rate and leaves TCP alone.",
    "congestion on a way that only UDP takes",
    (
        Mend(_ROUTERS, "no rate limit (policer, DDoS filter) for UDP 443"),
        Mend("iptables, nftables", "no 'limit' or 'hashlimit' on udp dport 443"),
    ),
)

DEAD_ADDRESS = Trap(
    "dead-address",
    "One of the host's addresses doesn't answer: clients that take it wait before they try another.",
    "a firewall that shuts out this machine alone",
    (
        Mend("DNS", "remove the A or AAAA record, or let the server listen there"),
        Mend("nginx", "listen [::]:443 ssl; listen [::]:443 quic reuseport;"),
    ),
)

SLOW_SERVER = Trap(
    "slow-server",
    "The application takes most of the time to answer, over either protocol.",
    "a server that is far from its database or cache",
    (Mend("the application", "a cache before it; Early Hints (103); the protocol changes nothing"),),
)

REDIRECT = Trap(
    "redirect",
    "The page is redirected to another host, which doesn't offer HTTP/3.",
    "a host that is only passed through",
    (Mend("the other host", "offer HTTP/3 there as well (Alt-Svc, HTTPS record), or link to it directly"),),
)

NETWORK = Trap(
    "network",
    "The network sets the pace, over both protocols alike.",
    "two servers that are equally slow",
    (),
    harms=False,
)

UDP_DETOUR = Trap(
    "udp-detour",
    "The round trip over UDP is longer than over TCP.",
    "a TCP proxy nearer than the server",
    (),
    harms=False,
)

TCP_WAITS = Trap(
    "tcp-waits",
    "HTTP/2 is the slower one: with losses, all its responses wait for one lost packet.",
    "less loss on UDP's way",
    (),
    harms=False,
)

TRAPS = (
    OFFER_DEAD,
    NOT_OFFERED,
    REDIRECT,
    DEAD_ADDRESS,
    MTU,
    STREAM_BUFFER,
    FIXED_WINDOW,
    FLOW_CONTROL,
    POLICED,
    BURST_LOSS,
    CONGESTION,
    PRIORITIES,
    AMPLIFICATION,
    RETRY,
    NO_TICKETS,
    SLOW_SERVER,
    NETWORK,
    UDP_DETOUR,
    TCP_WAITS,
)

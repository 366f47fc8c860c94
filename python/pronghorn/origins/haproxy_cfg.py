"""HAProxy's configuration, and that of the nginx behind it, with the placeholders of `template`.

Relative names are within the trial's folder, in which both are started."""

from collections.abc import Mapping
from types import MappingProxyType

from pronghorn.model.address import bracketed
from pronghorn.model.media_types import MEDIA_TYPES, OTHER
from pronghorn.origins import nginx_lookup

SOCKET = "files.sock"
"""The UNIX socket between the two."""

_HAPROXY = """\
global
    log stdout len 8192 format raw local0
    # Without it a HAProxy over OpenSSL's own TLS, as distributions have it, opens no QUIC listener.
    limited-quic
TUNED
defaults
    mode http
    log global
    # HAProxy asks for these; no load gets near them.
    timeout connect 5s
    timeout client 120s
    timeout server 120s

frontend site
    bind ${PRONGHORN_ADDRESS}:${PRONGHORN_PORT} ssl crt origin.pem alpn h2,http/1.1EARLY
    bind quic4@${PRONGHORN_ADDRESS}:${PRONGHORN_PORT} ssl crt origin.pem alpn h3EARLYCONTROL
    http-request set-var(txn.path) pathq
    http-response set-var(txn.bytes) res.hdr(content-length)
    ${PRONGHORN_HEADERS}
    log-format 'FORMAT'
    default_backend files

backend files
    server nginx unix@SOCKET
"""


def at(text: str, address: str) -> str:
    """A configuration, or a line of one, that listens on `address`; HAProxy names the version of IP before
    an address of QUIC."""
    version = "quic6@" if ":" in address else "quic4@"
    return text.replace("quic4@", version).replace("${PRONGHORN_ADDRESS}", bracketed(address))


LOG_FORMAT = (
    '{"path": "%[var(txn.path),json(utf8s)]", "protocol": "%HV", "status": %ST, '
    '"bytes": "%[var(txn.bytes)]", "served_ms": %Ta}'
)
"""`%Ta`: from the first byte of the request's head to the last of the response, in milliseconds; -1 where it
was cut off ('Timing events' in HAProxy's manual)."""

_EXPERIMENTAL = "    # Its BBR is an experiment to its makers.\n    expose-experimental-directives\n"

WINDOW = "8m"
"""The most that `haproxy:tuned` has on the way on a QUIC connection; it ships with 480 kB, which is 38 Mbit/s
over an RTT of 100 ms. HyStart++ (tune.quic.cc-hystart) stays off: without pacing, which HAProxy does from 3.2
on, its bursts look like a queue, and slow start ends far too early."""

_TUNED_BUFFERS = """\
    # What is on the way is kept in buffers of 16 kB; 30 of them are what limits a connection else.
    tune.quic.frontend.conn-tx-buffers.limit 512
"""

NGINX = (
    """\
daemon off;
user root;
pid nginx.pid;
worker_processes auto;
events {
    worker_connections 8192;
}
http {
    access_log off;
    sendfile on;
    types {
        TYPES
    }
    default_type OTHER;
LOOKUP
    # HAProxy keeps its connections here.
    keepalive_requests 100000;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {
        listen unix:SOCKET;
        root site;
BY_LOOKUP    }
}
""".replace(
        "TYPES", "\n        ".join(f'"{kind}" {" ".join(endings)};' for kind, endings in MEDIA_TYPES.items())
    )
    .replace("OTHER", OTHER)
    .replace("SOCKET", SOCKET)
    .replace("BY_LOOKUP", nginx_lookup.SERVER)
    .replace("LOOKUP\n", nginx_lookup.HTTP)
)
"""The plain HTTP/1.1 origin: files, and nothing of HTTP's headers but their media type."""


def haproxy(*, tuned: bool, buffers: bool, early_data: bool, control: str | None) -> str:
    """HAProxy as it ships, or `tuned` for fast or long paths; `buffers`: as before 3.1, where QUIC's window
    is bounded by a number of buffers as well. `control` is QUIC's congestion control, None where HAProxy is
    to choose; `early_data`: whether it takes 0-RTT data."""
    settings = "".join(
        text
        for text, holds in (
            (_EXPERIMENTAL, control == "bbr"),
            (_TUNED_BUFFERS, tuned and buffers),
        )
        if holds
    )
    algorithm = f"{control or 'cubic'}({WINDOW})" if tuned else control
    return (
        _HAPROXY.replace("TUNED\n", f"{settings}\n")
        .replace("EARLY", " allow-0rtt" if early_data else "")
        .replace("CONTROL", f" quic-cc-algo {algorithm}" if algorithm else "")
        .replace("FORMAT", LOG_FORMAT)
        .replace("SOCKET", SOCKET)
    )


def header_lines(headers: Mapping[str, str], documents: Mapping[str, str] = MappingProxyType({})) -> str:
    """Headers as rules of a frontend, and other ones of HTML `documents`; they replace what the server behind
    may have set."""
    html = "if { res.hdr(content-type) -m beg text/html }"
    return "\n    ".join(
        [f"http-response set-header {name} {quoted(value)}" for name, value in headers.items()]
        + [f"http-response set-header {name} {quoted(value)} {html}" for name, value in documents.items()]
    )


def quoted(value: str) -> str:
    """A word that means `value` where HAProxy takes a log-format ('Quoting and escaping' in its manual)."""
    return "'" + value.replace("%", "%%").replace("'", "'\\''") + "'"

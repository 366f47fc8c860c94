"""Why a load failed, in the record's words, from the network's errors as Chromium names them."""

from collections.abc import Sequence
from typing import Any

from pronghorn.browser.asked import Asked
from pronghorn.browser.events import MOST_REQUESTS, MOST_TEXT, Exchange

TIMEOUT, BUSY, TOO_LARGE, STRAYED = "timeout", "busy", "too-large", "strayed"
"""What ends the wait for a load beside an error of the network's: its limit, before which the page was loaded
or after which its main thread did not answer; more requests than are kept; a page that left for a document of
no server's."""

_WORDS = {
    "connect": (
        "ADDRESS_", "CONNECTION_FAILED", "CONNECTION_REFUSED", "CONNECTION_TIMED_OUT", "INTERNET_",
        "NETWORK_ACCESS_", "PROXY_", "QUIC_HANDSHAKE_FAILED", "SOCKS_", "TUNNEL_",
    ),
    "incomplete": (
        "CONTENT_LENGTH_MISMATCH", "HTTP2_RST_STREAM", "INCOMPLETE_", "RESPONSE_HEADERS_TRUNCATED",
    ),
    "protocol": (
        "ALPN_", "CONTENT_DECODING_", "DNS_NO_MATCHING_SUPPORTED_ALPN", "HTTP2_COMPRESSION", "HTTP2_FLOW",
        "HTTP2_FRAME", "HTTP2_INADEQUATE", "HTTP_1_1_REQUIRED", "INVALID_CHUNKED_", "INVALID_HTTP_",
        "INVALID_RESPONSE", "NO_SUPPORTED_", "RESPONSE_HEADERS_",
    ),
    "reset": (
        "CONNECTION_", "EMPTY_RESPONSE", "HTTP2_", "NETWORK_CHANGED", "NETWORK_IO_SUSPENDED", "QUIC_",
        "SOCKET_NOT_CONNECTED",
    ),
    "resolve": ("DNS_", "HOST_RESOLVER_", "ICANN_NAME_", "NAME_"),
    "timeout": ("QUIC_PROTOCOL_ERROR.QUIC_NETWORK_IDLE_TIMEOUT", "TIMED_OUT"),
    "tls": (
        "BAD_SSL_", "CERTIFICATE_", "CERT_", "EARLY_DATA_", "ECH_", "INVALID_ECH_", "QUIC_CERT_",
        "QUIC_PROTOCOL_ERROR.QUIC_TLS_", "SSL_", "TLS13_", "WRONG_VERSION_ON_EARLY_DATA",
    ),
}  # fmt: skip
"""Of each reason, how the errors begin that it stands for; the longest beginning that fits decides.
ERR_HTTP2_PROTOCOL_ERROR is what Chromium says of a stream that the server reset, as nginx does where nothing
could be sent for its send_timeout: a reset."""

_PREFIX = "net::ERR_"
_QUIC = f"{_PREFIX}QUIC_PROTOCOL_ERROR"
"""Chromium has one error for a QUIC connection that never came about and for one that broke. Only over the
latter has a request left, be it as 0-RTT data before the handshake's end."""


def reason(error: str) -> str:
    """The word for one of Chromium's errors (`net::ERR_…`); `incomplete` where there is no better one."""
    name = error.removeprefix(_PREFIX)
    fitting = [
        (len(start), word) for word, starts in _WORDS.items() for start in starts if name.startswith(start)
    ]
    return max(fitting)[1] if fitting else "incomplete"


def outcome(
    exchanges: Sequence[Exchange],
    resources: Sequence[dict[str, Any]],
    asked: Asked,
    fault: str | None,
    limit_s: float,
) -> tuple[str | None, str | None]:
    """The reason and the sentence of a failed load; None and None of one that succeeded.

    An error that a request met comes before a time-out that it led to; a resource that failed fails its load,
    unless that is only the request's own outcome (`Asked.bears`)."""
    none_left = all(one.sent_headers is None and one.response is None for one in exchanges)
    for exchange, resource in zip(exchanges, resources, strict=True):
        if asked.bears(exchange):
            continue
        if (error := asked.error(exchange)) is not None:
            word = reason(error)
            if word == "reset" and none_left and error.startswith(_QUIC):
                word = "connect"
            return word, f"{asked.name(exchange)}: {error}"
        if resource["status"] is not None and resource["status"] >= 400 and not asked.bears_status():
            return "status", f"{asked.name(exchange)}: status {resource['status']}{asked.mend(exchange)}"
    return (None, None) if fault is None else _cut(fault, asked, limit_s)


def _cut(fault: str, asked: Asked, limit_s: float) -> tuple[str, str]:
    events = asked.events
    if fault == BUSY:
        return TIMEOUT, f"the page's main thread was still busy after the limit of {limit_s:g} s"
    if fault == TOO_LARGE:
        return TOO_LARGE, (
            f"the page requested more than {MOST_REQUESTS} resources, or URLs and headers of more than "
            f"{MOST_TEXT} characters together"
        )
    if fault == STRAYED:
        return "incomplete", f"the page navigated to {events.navigations.strayed}, which no server has"
    if fault != TIMEOUT:
        return reason(fault), fault
    outstanding = events.outstanding()
    such = f", such as {asked.name(outstanding[0])}" if outstanding else ""
    steps = len(events.documents) - 1
    further = f"; the page navigated to another document {steps} times" if steps > 1 else ""
    return TIMEOUT, (
        f"not loaded within {limit_s:g} s; {len(outstanding)} requests had not ended{such}{further}"
    )

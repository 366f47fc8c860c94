"""Chromium's errors in the record's words."""

import pytest

from pronghorn.browser import faults
from pronghorn.browser.asked import Asked

from .told import URL, Told


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("net::ERR_CONNECTION_REFUSED", "connect"),
        ("net::ERR_CONNECTION_TIMED_OUT", "connect"),
        ("net::ERR_ADDRESS_UNREACHABLE", "connect"),
        ("net::ERR_QUIC_HANDSHAKE_FAILED", "connect"),
        ("net::ERR_NAME_NOT_RESOLVED", "resolve"),
        ("net::ERR_NAME_RESOLUTION_FAILED", "resolve"),
        ("net::ERR_DNS_TIMED_OUT", "resolve"),
        ("net::ERR_DNS_NO_MATCHING_SUPPORTED_ALPN", "protocol"),
        ("net::ERR_CERT_AUTHORITY_INVALID", "tls"),
        ("net::ERR_SSL_PROTOCOL_ERROR", "tls"),
        ("net::ERR_QUIC_CERT_ROOT_NOT_KNOWN", "tls"),
        ("net::ERR_QUIC_PROTOCOL_ERROR.QUIC_TLS_CERTIFICATE_UNKNOWN", "tls"),
        ("net::ERR_CONNECTION_RESET", "reset"),
        ("net::ERR_CONNECTION_ABORTED", "reset"),
        ("net::ERR_NETWORK_CHANGED", "reset"),
        ("net::ERR_EMPTY_RESPONSE", "reset"),
        ("net::ERR_CONNECTION_CLOSED", "reset"),
        ("net::ERR_HTTP2_PING_FAILED", "reset"),
        ("net::ERR_QUIC_PROTOCOL_ERROR", "reset"),
        ("net::ERR_HTTP2_PROTOCOL_ERROR", "reset"),
        ("net::ERR_INVALID_HTTP_RESPONSE", "protocol"),
        ("net::ERR_INVALID_CHUNKED_ENCODING", "protocol"),
        ("net::ERR_INCOMPLETE_CHUNKED_ENCODING", "incomplete"),
        ("net::ERR_CONTENT_LENGTH_MISMATCH", "incomplete"),
        ("net::ERR_TIMED_OUT", "timeout"),
        ("net::ERR_QUIC_PROTOCOL_ERROR.QUIC_NETWORK_IDLE_TIMEOUT", "timeout"),
        ("net::ERR_SOMETHING_NEW", "incomplete"),
    ],
)
def test_an_error_has_its_word(error: str, word: str) -> None:
    assert faults.reason(error) == word


@pytest.mark.parametrize(("sent", "word"), [(False, "connect"), (True, "reset")])
def test_a_quic_connection_over_which_nothing_left_did_not_come_about(sent: bool, word: str) -> None:
    error = "net::ERR_QUIC_PROTOCOL_ERROR"
    told = Told()
    key = told.ask(URL, "Document")
    if sent:
        told.tell("Network.requestWillBeSentExtraInfo", requestId=key, headers={":path": "/"})
    told.fail(key, error)
    asked = Asked(told.events, URL, alone=True, tolerate=(), finished=False)

    found = faults.outcome(told.events.exchanges, [{"path": "/", "status": None}], asked, error, 30)
    assert found == (word, f"/: {error}")

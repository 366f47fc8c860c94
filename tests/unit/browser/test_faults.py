"""Chromium's errors in the record's words."""

import pytest

from pronghorn.browser import faults


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("net::ERR_CONNECTION_REFUSED", "connect"),
        ("net::ERR_CONNECTION_TIMED_OUT", "connect"),
        ("net::ERR_NAME_NOT_RESOLVED", "connect"),
        ("net::ERR_CERT_AUTHORITY_INVALID", "tls"),
        ("net::ERR_SSL_PROTOCOL_ERROR", "tls"),
        ("net::ERR_CONNECTION_RESET", "reset"),
        ("net::ERR_CONNECTION_CLOSED", "reset"),
        ("net::ERR_HTTP2_PING_FAILED", "reset"),
        ("net::ERR_QUIC_PROTOCOL_ERROR", "reset"),
        ("net::ERR_HTTP2_PROTOCOL_ERROR", "reset"),
        ("net::ERR_INVALID_HTTP_RESPONSE", "protocol"),
        ("net::ERR_CONTENT_LENGTH_MISMATCH", "incomplete"),
        ("net::ERR_TIMED_OUT", "timeout"),
        ("net::ERR_SOMETHING_NEW", "incomplete"),
    ],
)
def test_an_error_has_its_word(error: str, word: str) -> None:
    assert faults.reason(error) == word

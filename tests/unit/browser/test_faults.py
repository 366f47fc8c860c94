"""Chromium's errors in the record's words."""

import pytest

from pronghorn.browser import faults


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("net::ERR_CONNECTION_REFUSED", "connect"),
        ("net::ERR_CONNECTION_RESET", "reset"),
        ("net::ERR_HTTP2_PROTOCOL_ERROR", "reset"),
        ("net::ERR_HTTP2_FRAME_SIZE_ERROR", "protocol"),
        ("net::ERR_CONTENT_LENGTH_MISMATCH", "incomplete"),
        ("net::ERR_TIMED_OUT", "timeout"),
        ("net::ERR_CERT_AUTHORITY_INVALID", "tls"),
        ("net::ERR_BLOCKED_BY_CLIENT", "incomplete"),
    ],
)
def test_the_longest_beginning_decides(error: str, word: str) -> None:
    assert faults.reason(error) == word

"""A client that doesn't read is no bad network: it takes the gateway ten seconds to tell, hence here."""

import socket
import ssl
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import HOST_NAME

from ..e2e.gateway import gateway, policy, until
from ..e2e.quic_client import QuicClient, bound

pytestmark = pytest.mark.needs("nginx", "autoquic")


BYTES = 60_000
"""So few that nginx hands all of them on, and so many that the client's windows don't."""

NOTHING = {"watched": 1, "acknowledged": 0, "stalled": 0, "stopped": 0, "bytes": 0, "seconds": 0}
"""Watched, and no sample."""


def test_over_tcp_a_response_that_the_client_does_not_read_is_not_taken_for_a_stalled_one(
    tmp_path: Path,
) -> None:
    identity = certificates.make(tmp_path)
    context = ssl.create_default_context(cafile=str(identity.authority))
    with gateway(tmp_path / "gateway", identity, policy_text=policy(0.7)) as one:
        (one.folder / "root" / "some.bin").write_bytes(bytes(BYTES))
        with socket.socket() as plain:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            plain.connect(("127.0.0.1", one.port))
            with context.wrap_socket(plain, server_hostname=HOST_NAME) as client:
                client.sendall(b"GET /some.bin HTTP/1.1\r\nHost: " + HOST_NAME.encode() + b"\r\n\r\n")
                until("the response is watched", lambda: one.status()["samples"]["tcp"]["watched"])
                until("it is given up", lambda: one.status()["discarded"]["unread"])
                samples = one.status()["samples"]["tcp"]

    assert samples == NOTHING


def test_over_quic_a_response_that_the_client_does_not_read_is_not_taken_for_a_stalled_one(
    tmp_path: Path,
) -> None:
    identity = certificates.make(tmp_path)
    with gateway(tmp_path / "gateway", identity, policy_text=policy(0.7)) as one:
        (one.folder / "root" / "some.bin").write_bytes(bytes(BYTES))
        with bound("127.0.0.1") as home:
            client = QuicClient(identity, one.port, reads=False)
            has_come = client.get("/some.bin", sends=home, hears=[home], within_s=12)
            until("it is given up", lambda: one.status()["discarded"]["unread"])
        samples = one.status()["samples"]["quic"]

    assert not has_come
    assert samples == NOTHING

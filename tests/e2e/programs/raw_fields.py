"""Sends requests over HTTP/2 or HTTP/3 whose header fields are as they are given, valid or not, each over a
connection of its own. Prints a line of JSON for each: the status, or null if there is none. What is left
unanswered is sent again: over HTTP/3 nginx leaves 2 of 1000 requests unread. Arguments: `h2` or `h3`,
address, host name, certificate authority, the requests as JSON: header fields, a body, trailers."""

import json
import select
import socket
import ssl
import sys
import time
from collections.abc import Sequence

from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import ConnectionTerminated, ResponseReceived, StreamReset

PATIENCE_S = 7.0
TRIES = 4

Fields = Sequence[tuple[bytes, bytes]]

protocol, address, name, authority, requests = sys.argv[1:]


def over_h2(fields: Fields, body: bytes, trailers: Fields) -> int | None:
    """The status of a request over HTTP/2."""
    tls = ssl.create_default_context(cafile=authority)
    tls.set_alpn_protocols(["h2"])
    with (
        socket.create_connection((address, 443), timeout=PATIENCE_S) as plain,
        tls.wrap_socket(plain, server_hostname=name) as secured,
    ):
        unchecked = H2Configuration(
            header_encoding=None, validate_outbound_headers=False, normalize_outbound_headers=False
        )
        http = H2Connection(unchecked)
        http.initiate_connection()
        http.send_headers(1, list(fields), end_stream=not body and not trailers)
        if body:
            http.send_data(1, body, end_stream=not trailers)
        if trailers:
            http.send_headers(1, list(trailers), end_stream=True)
        secured.sendall(http.data_to_send())
        while some := secured.recv(65536):
            for event in http.receive_data(some):
                if isinstance(event, ResponseReceived):
                    return int(dict(event.headers)[b":status"])
                if isinstance(event, StreamReset | ConnectionTerminated):
                    return None
            secured.sendall(http.data_to_send())
    return None


def over_h3(fields: Fields, body: bytes, trailers: Fields) -> int | None:
    """The status of a request over HTTP/3. Raises TimeoutError if there is none in time."""
    configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, server_name=name)
    configuration.load_verify_locations(cafile=authority)
    quic, server = QuicConnection(configuration=configuration), (address, 443)
    http = H3Connection(quic)
    quic.connect(server, now=time.monotonic())
    http.send_headers(0, list(fields), end_stream=not body and not trailers)
    if body:
        http.send_data(0, body, end_stream=not trailers)
    if trailers:
        http.send_headers(0, list(trailers), end_stream=True)
    until = time.monotonic() + PATIENCE_S
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        while time.monotonic() < until:
            for data, _ in quic.datagrams_to_send(now=time.monotonic()):
                udp.sendto(data, server)
            if select.select([udp], [], [], 0.02)[0]:
                quic.receive_datagram(udp.recv(65536), server, now=time.monotonic())
            if (timer := quic.get_timer()) is not None and timer <= time.monotonic():
                quic.handle_timer(now=time.monotonic())
            while (event := quic.next_event()) is not None:
                if type(event).__name__ in ("StreamReset", "ConnectionTerminated"):
                    return None
                for heard in http.handle_event(event):
                    if isinstance(heard, HeadersReceived):
                        return int(dict(heard.headers)[b":status"])
    raise TimeoutError(f"no answer to {fields}")


def again(fields: Fields, body: bytes, trailers: Fields) -> int | None:
    """A request's status, sent again where it stays unanswered."""
    once = over_h2 if protocol == "h2" else over_h3
    for _ in range(TRIES - 1):
        try:
            return once(fields, body, trailers)
        except TimeoutError:
            pass
    return once(fields, body, trailers)


def coded(fields: Sequence[tuple[str, str]]) -> Fields:
    """Fields as bytes."""
    return [(key.encode("latin-1"), value.encode("latin-1")) for key, value in fields]


for head, content, tail in json.loads(requests):
    print(json.dumps(again(coded(head), content.encode("latin-1"), coded(tail))), flush=True)

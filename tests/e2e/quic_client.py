"""A client over HTTP/3 that chooses for each request from which address its packets come, and where it
listens."""

import select
import socket
import time
from collections.abc import Sequence
from typing import Any

from aioquic.h3.connection import H3_ALPN, ErrorCode, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection

from pronghorn.certificates import HOST_NAME, Certificates

_FIRST_BYTES = 3000


class _Unreading(QuicConnection):
    """Takes so many bytes of each stream as it said at first, and no more: its application doesn't read."""

    def _write_stream_limits(self, builder: Any, space: Any, stream: Any) -> None:
        pass


class QuicClient:
    """One connection to this machine's `port`; by one that doesn't read, no greater answer ends."""

    def __init__(self, identity: Certificates, port: int, *, reads: bool = True) -> None:
        configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, server_name=HOST_NAME)
        configuration.load_verify_locations(cafile=str(identity.authority))
        self._server = ("127.0.0.1", port)
        if not reads:
            configuration.max_stream_data = _FIRST_BYTES
        self._quic = (QuicConnection if reads else _Unreading)(configuration=configuration)
        self._http = H3Connection(self._quic)
        self._quic.connect(self._server, now=time.monotonic())

    def get(
        self, path: str, *, sends: socket.socket, hears: Sequence[socket.socket], within_s: float = 5.0
    ) -> bool:
        """Asks for a path; whether the whole answer came to where it listens within that time."""
        stream = self._quic.get_next_available_stream_id()
        pseudo = {":method": "GET", ":scheme": "https", ":authority": HOST_NAME, ":path": path}
        headers = [(name.encode(), value.encode()) for name, value in pseudo.items()]
        self._http.send_headers(stream, headers, end_stream=True)
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            self._send(sends)
            for ready in select.select(hears, [], [], self._wait_s(end))[0]:
                self._quic.receive_datagram(ready.recv(65536), self._server, now=time.monotonic())
            if (timer := self._quic.get_timer()) is not None and timer <= time.monotonic():
                self._quic.handle_timer(now=time.monotonic())
            if self._has_ended(stream):
                self._send(sends)
                return True
        return False

    def stop(self, *, sends: socket.socket) -> None:
        """Wants no more of what was asked for last."""
        self._quic.stop_stream(self._quic.get_next_available_stream_id() - 4, ErrorCode.H3_REQUEST_CANCELLED)
        self._send(sends)

    def _send(self, sends: socket.socket) -> None:
        for data, _ in self._quic.datagrams_to_send(now=time.monotonic()):
            sends.sendto(data, self._server)

    def _wait_s(self, end: float) -> float:
        timer = self._quic.get_timer()
        return max(0.001, min(end if timer is None else min(timer, end), end) - time.monotonic())

    def _has_ended(self, stream: int) -> bool:
        ended = False
        while (event := self._quic.next_event()) is not None:
            for heard in self._http.handle_event(event):
                if isinstance(heard, DataReceived | HeadersReceived) and heard.stream_id == stream:
                    ended |= heard.stream_ended
        return ended


def bound(address: str) -> socket.socket:
    """A socket for packets from this address of this machine."""
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((address, 0))
    return made

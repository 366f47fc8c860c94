"""An HTTP/3 server with faults that no real server has."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import QuicServer
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import QuicEvent
from aioquic.quic.packet import QuicErrorCode
from aioquic.tls import SessionTicket

_VERSIONS = QuicConfiguration().supported_versions


@dataclass(frozen=True)
class Faults:
    """What is wrong with the server; by default nothing is. `most_datagram_bytes`: larger datagrams are lost.
    `settings` are added to those of HTTP/3. `refuses`: it closes connections at their begin."""

    alpn: tuple[str, ...] = ("h3",)
    versions: tuple[int, ...] = (1, 0x6B3343CF)
    negotiates: bool = True
    idle_timeout_s: float = 60.0
    most_datagram_bytes: int = 65535
    streams: int = 128
    settings: dict[int, int] = field(default_factory=dict)
    tickets: bool = True
    first_packets_lost: int = 0
    refuses: bool = False


class _Server(QuicServer):
    def __init__(self, faults: Faults, **more: Any) -> None:
        super().__init__(**more)
        self._faults = faults
        self._lose = faults.first_packets_lost

    def datagram_received(self, data: bytes | str, addr: Any) -> None:
        """Takes a datagram, unless it is to be lost."""
        content = bytes(data) if not isinstance(data, str) else b""
        unknown = bool(content[0] & 0x80) and int.from_bytes(content[1:5]) not in _VERSIONS
        if self._lose > 0:
            self._lose -= 1
        elif len(content) <= self._faults.most_datagram_bytes and (self._faults.negotiates or not unknown):
            super().datagram_received(data, addr)


class _Http(H3Connection):
    more: dict[int, int]

    def _get_local_settings(self) -> dict[int, int]:
        return {**super()._get_local_settings(), **self.more}


@asynccontextmanager
async def serving(
    port: int, chain: Path, key: Path, body: bytes, headers: dict[str, str], faults: Faults
) -> AsyncIterator[None]:
    """The server, on loopback, with one answer for every request."""
    tickets: dict[bytes, SessionTicket] = {}

    class Protocol(QuicConnectionProtocol):
        def __init__(self, quic: QuicConnection, **more: Any) -> None:
            quic._local_max_streams_bidi.value = faults.streams
            super().__init__(quic, **more)
            self._http: _Http | None = None

        def quic_event_received(self, event: QuicEvent) -> None:
            if faults.refuses:
                self._quic.close(error_code=QuicErrorCode.CONNECTION_REFUSED, reason_phrase="no")
                self.transmit()
                return
            if self._http is None:
                _Http.more = faults.settings
                self._http = _Http(self._quic)
            for heard in self._http.handle_event(event):
                if isinstance(heard, HeadersReceived):
                    early = (b":method", b"POST") in heard.headers and not self._quic._handshake_complete
                    status = b"425" if early else b"200"
                    told = [(b":status", status), *((k.encode(), v.encode()) for k, v in headers.items())]
                    self._http.send_headers(heard.stream_id, told)
                    self._http.send_data(heard.stream_id, body, end_stream=True)
            self.transmit()

    configuration = QuicConfiguration(
        is_client=False,
        alpn_protocols=list(faults.alpn),
        idle_timeout=faults.idle_timeout_s,
        supported_versions=list(faults.versions),
    )
    configuration.load_cert_chain(chain, key)
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(
        lambda: _Server(
            faults,
            configuration=configuration,
            create_protocol=Protocol,
            session_ticket_fetcher=tickets.get if faults.tickets else None,
            session_ticket_handler=(lambda each: tickets.update({each.ticket: each}))
            if faults.tickets
            else None,
        ),
        local_addr=("127.0.0.1", port),
    )
    try:
        yield
    finally:
        server.close()
        transport.close()

"""A QUIC connection that is watched: aioquic's, over a socket of our own. Its qlog says what was seen."""

import asyncio
import ssl
from collections.abc import Callable
from typing import Any

from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted, QuicEvent, StreamReset
from aioquic.tls import SessionTicket
from cryptography.hazmat.primitives.serialization import Encoding

from pronghorn.check.facts import Answer, Reached
from pronghorn.check.probes.datagrams import Datagrams
from pronghorn.check.probes.logged import Log
from pronghorn.check.probes.request import Growing, Request

_CRYPTO_ERROR = 0x100
_LEAST_BYTES = 1200


class QuicClient:
    """One connection with ALPN h3. `outcome` says how its handshake went, `detail` why not; `alert` is the
    TLS alert that ended it."""

    def __init__(
        self,
        address: tuple[str, int],
        server_name: str,
        *,
        datagram_bytes: int = _LEAST_BYTES,
        ticket: SessionTicket | None = None,
        token: bytes = b"",
    ) -> None:
        self._address = address
        self.log = Log()
        self.tickets: list[SessionTicket] = []
        configuration = QuicConfiguration(
            alpn_protocols=["h3"],
            server_name=server_name,
            verify_mode=ssl.CERT_NONE,
            max_datagram_size=datagram_bytes,
            session_ticket=ticket,
            token=token,
            quic_logger=self.log,
            supported_versions=[1],
        )
        self.tokens: list[bytes] = []
        self._quic = QuicConnection(
            configuration=configuration,
            session_ticket_handler=self.tickets.append,
            token_handler=self.tokens.append,
        )
        self._http: H3Connection | None = None
        self._socket = Datagrams(self._heard, self._wake)
        self._timer: asyncio.TimerHandle | None = None
        self._changed = asyncio.Event()
        self._growing: dict[int, Growing] = {}
        self._reset: set[int] = set()
        self._any_reply = False
        self.held = False
        """While it is set, nothing is sent: the client's Finished and acknowledgements wait."""
        self.completed: HandshakeCompleted | None = None
        self.ended: ConnectionTerminated | None = None
        self.fault = ""
        """Why aioquic can't go on, if it can't."""

    async def __aenter__(self) -> "QuicClient":
        try:
            await self._socket.open(self._address)
        except OSError as error:
            self.ended = ConnectionTerminated(0, None, error.strerror or str(error))
            return self
        self._quic.connect(self._address, now=self._now())
        self._http = H3Connection(self._quic)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._http is not None:
            self.held = False
            self._quic.close()
            self._send()
        if self._timer is not None:
            self._timer.cancel()
        self._socket.close()

    async def handshake(self, limit_s: float) -> None:
        """Shakes hands, until that is done or has failed, or the limit is over."""
        self._send()
        await self._until(lambda: self.completed is not None or self._over, limit_s)

    async def ask(self, request: Request, limit_s: float) -> Answer:
        """The response; ConnectionError without one in time."""
        stream = self.send_request(request)
        self._send()
        growing = self._growing[stream]
        await self._until(lambda: growing.enough or stream in self._reset or self._over, limit_s)
        if not growing.status:
            raise ConnectionError(f"HTTP/3: {self.detail or 'no response in time'}")
        return growing.answer()

    def send_request(self, request: Request) -> int:
        """Queues a request; its stream. It leaves with what is sent next."""
        if self._http is None:
            raise ConnectionError(self.detail)
        stream = self._quic.get_next_available_stream_id()
        self._growing[stream] = Growing()
        headers = [(name.encode(), value.encode()) for name, value in request.with_pseudo_headers]
        self._http.send_headers(stream, headers, end_stream=True)
        return stream

    async def response(self, stream: int, limit_s: float) -> Answer | None:
        """What came on a stream within the limit, whole or not; None without a head."""
        growing = self._growing[stream]
        await self._until(lambda: growing.enough or stream in self._reset or self._over, limit_s)
        return growing.answer() if growing.status else None

    async def ticket(self, limit_s: float) -> SessionTicket | None:
        """The server's newest ticket, awaited for up to the limit."""
        await self._until(lambda: bool(self.tickets) or self._over, limit_s)
        return self.tickets[-1] if self.tickets else None

    def flush(self) -> None:
        """Sends what is queued."""
        self._send()

    @property
    def outcome(self) -> Reached:
        """How the handshake went, so far. That a datagram was too large says nothing of the host."""
        if self.completed is not None:
            return "ok"
        if self._http is None:
            return "unreachable"
        if not self._any_reply and (self._socket.unsent or self.too_large):
            return "unreachable"
        if self.fault or self.ended is not None or self._any_reply:
            return "failed"
        return "refused" if self._socket.refused else "silent"

    @property
    def detail(self) -> str:
        """Why it isn't `ok`."""
        if self.fault:
            return self.fault
        if self.ended is not None:
            code = f" (error {self.ended.error_code:#x})" if self.ended.error_code else ""
            return f"{self.ended.reason_phrase or 'the server ended the connection'}{code}"
        if self.completed is not None:
            return ""
        if self._any_reply:
            return "the handshake did not end in time"
        return self._socket.unsent or ("its datagrams are too large for the path" if self.too_large else "")

    @property
    def alert(self) -> int | None:
        """The TLS alert by which the server ended the connection (RFC 9001 §4.8)."""
        code = self.ended.error_code if self.ended is not None and self.log.closed else 0
        return code - _CRYPTO_ERROR if _CRYPTO_ERROR <= code < 2 * _CRYPTO_ERROR else None

    @property
    def late(self) -> bool:
        """Whether the handshake has neither ended nor failed: all that is missing is time."""
        return self.completed is None and not self._over

    @property
    def too_large(self) -> bool:
        """Whether the datagrams are known to be too long for the path."""
        return self._socket.too_large

    @property
    def settings(self) -> dict[int, int] | None:
        """The server's SETTINGS frame."""
        return self._http.received_settings if self._http is not None else None

    @property
    def chain(self) -> list[bytes]:
        """The certificates as sent (DER); none if the session was resumed."""
        tls: Any = getattr(self._quic, "tls", None)
        leaf = getattr(tls, "_peer_certificate", None)
        others = getattr(tls, "_peer_certificate_chain", None) or []
        return [each.public_bytes(Encoding.DER) for each in (leaf, *others)] if leaf is not None else []

    @property
    def _over(self) -> bool:
        nobody = not self._any_reply and bool(self._socket.refused or self._socket.unsent)
        return self.ended is not None or bool(self.fault) or nobody or self.too_large

    async def _until(self, holds: Callable[[], bool], limit_s: float) -> None:
        try:
            async with asyncio.timeout(limit_s):
                while not holds():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            pass

    def _heard(self, data: bytes) -> None:
        self._any_reply = True
        if self._guarded(lambda: self._quic.receive_datagram(data, self._address, now=self._now())):
            self._take_events()
            self._send()

    def _guarded(self, step: Callable[[], object]) -> bool:
        """Has aioquic take what came. It may raise anything at bytes that nobody thought of: whose fault that
        is, nobody knows."""
        try:
            step()
        except Exception as error:
            self.fault = f"aioquic could not take what came: {error!r}"
        return not self.fault

    def _send(self) -> None:
        if self.held or self._http is None:
            return
        for data, _ in self._quic.datagrams_to_send(now=self._now()):
            self._socket.send(data)
        if self._timer is not None:
            self._timer.cancel()
        at = self._quic.get_timer()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_at(at, self._fire) if at is not None else None

    def _fire(self) -> None:
        if self.held:
            return
        self._quic.handle_timer(now=self._now())
        self._take_events()
        self._send()
        self._wake()

    def _take_events(self) -> None:
        while (event := self._quic.next_event()) is not None:
            if isinstance(event, HandshakeCompleted):
                self.completed = event
            elif isinstance(event, ConnectionTerminated):
                self.ended = event
            elif isinstance(event, StreamReset):
                self._reset.add(event.stream_id)
            self._take(event)

    def _take(self, event: QuicEvent) -> None:
        found: list[H3Event] = []
        http = self._http
        if http is not None:
            self._guarded(lambda: found.extend(http.handle_event(event)))
        for heard in found:
            if not isinstance(heard, DataReceived | HeadersReceived):
                continue
            growing = self._growing.get(heard.stream_id)
            if growing is None:
                continue
            if isinstance(heard, HeadersReceived):
                growing.head(list(heard.headers))
            else:
                growing.body(heard.data)
            growing.ended = growing.ended or heard.stream_ended

    def _wake(self) -> None:
        self._changed.set()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

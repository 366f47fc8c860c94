"""TLS over TCP: what is negotiated, the certificates as sent, and resumption."""

import _ssl
import asyncio
import socket
import ssl
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

_READ_BYTES = 65536
Result = TypeVar("Result")


def context(alpn: Sequence[str], *, old: bool = False) -> ssl.SSLContext:
    """A client's context that takes any certificate: `trust.py` judges it. `old`: TLS 1.0 and 1.1 alone,
    which a system's OpenSSL offers at security level 0 only; ssl.SSLError if it lacks them."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    if old:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # that these versions are old is the point
            made.minimum_version = ssl.TLSVersion.TLSv1
            made.maximum_version = ssl.TLSVersion.TLSv1_1
        made.set_ciphers("ALL:@SECLEVEL=0")
    if alpn:
        made.set_alpn_protocols(list(alpn))
    return made


class TlsStream:
    """A TLS connection over an asyncio stream. asyncio's own can't resume a session."""

    def __init__(
        self,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        settings: ssl.SSLContext,
        server_name: str,
        session: ssl.SSLSession | None = None,
    ) -> None:
        self._reader, self._writer = streams
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = settings.wrap_bio(self._in, self._out, server_hostname=server_name, session=session)

    @classmethod
    async def open(
        cls,
        address: tuple[str, int],
        settings: ssl.SSLContext,
        server_name: str,
        session: ssl.SSLSession | None = None,
    ) -> "TlsStream":
        """Connects; `shake` comes next. OSError as it comes."""
        streams = await asyncio.open_connection(*address, limit=_READ_BYTES)
        raw: socket.socket = streams[1].get_extra_info("socket")
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(streams, settings, server_name, session)

    async def shake(self) -> None:
        """Shakes hands. OSError and ssl.SSLError as they come."""
        try:
            await self._do(self._tls.do_handshake)
        except BaseException:
            self.close()
            raise

    @property
    def version(self) -> str:
        """`TLSv1.3` and so on."""
        return self._tls.version() or ""

    @property
    def alpn(self) -> str | None:
        """What the server chose."""
        return self._tls.selected_alpn_protocol()

    @property
    def resumed(self) -> bool:
        """Whether the server accepted the session."""
        return bool(self._tls.session_reused)

    @property
    def session(self) -> ssl.SSLSession | None:
        """What a next connection can resume. With TLS 1.3 it is there after something was read."""
        return self._tls.session

    @property
    def chain(self) -> list[bytes]:
        """The certificates as sent (DER); none if the session was resumed."""
        if hasattr(self._tls, "get_unverified_chain"):  # Python 3.13
            return list(self._tls.get_unverified_chain())
        inner: Any = self._tls._sslobj  # type: ignore[attr-defined]  # as the package truststore does
        return [each.public_bytes(_ssl.ENCODING_DER) for each in inner.get_unverified_chain() or ()]

    async def send(self, data: bytes) -> None:
        """Sends all of it."""
        if data:
            await self._do(lambda: self._tls.write(data))

    async def receive(self) -> bytes:
        """What comes next; nothing at the end."""
        try:
            return await self._do(lambda: self._tls.read(_READ_BYTES))
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            return b""

    def close(self) -> None:
        """Ends the connection at once."""
        self._writer.transport.abort()

    async def _do(self, step: Callable[[], Result]) -> Result:
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                await self._flush()
                if data := await self._reader.read(_READ_BYTES):
                    self._in.write(data)
                else:
                    self._in.write_eof()
            finally:
                await self._flush()

    async def _flush(self) -> None:
        if self._out.pending:
            self._writer.write(self._out.read())
            await self._writer.drain()

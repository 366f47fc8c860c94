"""One address over TCP: TLS as browsers offer it, the page over HTTP/2 and 1.1, and a closer look."""

import asyncio
import errno
import ssl
from dataclasses import dataclass, replace
from typing import Literal

from pronghorn.check.facts import ANSWER_S, MUTE, NO_RESPONSE, REJECTED, Answer, Reached, Tcp, Tls
from pronghorn.check.probes import http1
from pronghorn.check.probes.budget import Budget, Cut
from pronghorn.check.probes.http2 import GoneAway, Http2
from pronghorn.check.probes.request import Growing, Request
from pronghorn.check.probes.tls import TlsStream, context
from pronghorn.check.probes.trust import Authorities
from pronghorn.foreign import line

CONNECT_S, TLS_S = 4.0, 3.0
"""How long a connection may take, and TLS on it."""


class Mute(TimeoutError):
    """The server accepted TCP, and its TLS stayed silent."""


FAULTS = (OSError, ssl.SSLError, TimeoutError)
_ALPN: dict["Protocol", list[str]] = {"h2": ["h2", "http/1.1"], "h1": ["http/1.1"]}
_UNREACHABLE = {errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
_UNREACHABLE |= {errno.EACCES, errno.EPERM}

Protocol = Literal["h1", "h2"]


@dataclass(frozen=True)
class Met:
    """One connection that was opened: how, what it answered, and what a next one can resume."""

    reached: Reached
    detail: str = ""
    tls: Tls | None = None
    answer: Answer | None = None
    settings: dict[str, int] | None = None
    session: ssl.SSLSession | None = None
    tls_fault: str | None = None
    gone: bool = False


class OverTcp:
    """An address of a host whose certificates are for `server_name`."""

    def __init__(
        self, address: tuple[str, int], server_name: str, authorities: Authorities, budget: Budget
    ) -> None:
        self._address, self._server_name = address, server_name
        self._authorities, self._budget = authorities, budget
        self._contexts = {protocol: context(alpn) for protocol, alpn in _ALPN.items()}
        self._session: ssl.SSLSession | None = None

    async def first(self, page: Request) -> Tcp:
        """What a browser meets: a connection that offers h2, and one that doesn't, each asked for the
        page."""
        both, old = await asyncio.gather(self.meet("h2", page), self.meet("h1", page))
        self._session = both.session
        chosen = both.tls.alpn if both.tls is not None else None
        h2 = (both.answer,) if chosen == "h2" and both.answer is not None else ()
        h1 = old.answer or (both.answer if chosen != "h2" else None)
        reached = both if both.reached == "ok" else old
        return Tcp(
            reached.reached, both.detail or old.detail, both.tls_fault, both.tls, h1, h2, both.settings
        )

    async def closer(self, tcp: Tcp, page: Request) -> Tcp:
        """Whether sessions resume, with a further response each, and which old versions are accepted."""
        versions, (resumption, answers) = await asyncio.gather(self._old(), self._resume(tcp, page))
        return replace(tcp, old_versions=versions, resumption=resumption, h2=tcp.h2 + answers)

    async def meet(self, protocol: Protocol, request: Request, session: ssl.SSLSession | None = None) -> Met:
        """One connection and one request on it; another one if the server just goes away."""
        met = await self._once(protocol, request, session)
        return await self._once(protocol, request, session) if met.gone else met

    async def _once(self, protocol: Protocol, request: Request, session: ssl.SSLSession | None) -> Met:
        try:
            stream = await self._open(self._contexts[protocol], session)
        except FAULTS as error:
            return Met(*classified(error), tls_fault=fault_of(error))
        try:
            return await self._asked(stream, request)
        finally:
            stream.close()

    async def tried(self, request: Request) -> Met:
        """As a browser meets it; again if it is silent."""
        met = await self.meet("h2", request)
        return await self.meet("h2", request) if met.reached == "silent" else met

    async def _open(self, settings: ssl.SSLContext, session: ssl.SSLSession | None = None) -> TlsStream:
        opening = TlsStream.open(self._address, settings, self._server_name, session)
        stream = await self._budget.within(CONNECT_S, opening)
        try:
            await self._budget.within(TLS_S, stream.shake())
        except Cut:
            raise
        except TimeoutError:
            raise Mute from None
        return stream

    async def _asked(self, stream: TlsStream, request: Request) -> Met:
        chain = self._authorities.judge(stream.chain, self._server_name)
        tls = Tls(stream.version, stream.alpn, chain, stream.resumed)
        http2, growing = Http2(stream), Growing()
        try:
            self._budget.take()
            h2 = stream.alpn == "h2"
            asked = http2.ask(request, growing) if h2 else http1.ask(stream, request, growing)
            answer = await self._budget.within(ANSWER_S, asked)
        except FAULTS as error:
            if growing.status:  # its head tells much, and a body may be long
                return Met("ok", "", tls, growing.answer(), http2.settings, stream.session)
            late = isinstance(error, TimeoutError) and not isinstance(error, Cut)
            why = NO_RESPONSE if late else classified(error)[1]
            gone = isinstance(error, GoneAway)
            return Met("ok", why, tls, None, http2.settings, None, fault_of(error), gone)
        return Met("ok", "", tls, answer, http2.settings, stream.session)

    async def _resume(self, tcp: Tcp, page: Request) -> tuple[tuple[bool, ...], tuple[Answer, ...]]:
        """Up to two attempts, for another machine of the host may have answered the first."""
        attempts: list[bool] = []
        answers: list[Answer] = []
        while self._session is not None and len(attempts) < 2 and not any(attempts):
            met = await self.meet("h2", page, self._session)
            if met.tls is None or met.answer is None:
                break
            attempts.append(met.tls.resumed)
            if met.tls.alpn == "h2" and tcp.h2:
                answers.append(met.answer)
            self._session = met.session or self._session
        return tuple(attempts), tuple(answers)

    async def _old(self) -> tuple[str, ...] | None:
        try:
            settings = context((), old=True)
        except (ssl.SSLError, ValueError):
            return None
        try:
            stream = await self._open(settings)
        except ssl.SSLError as error:
            return None if error.reason in ("NO_PROTOCOLS_AVAILABLE", "NO_CIPHERS_AVAILABLE") else ()
        except ConnectionError:
            return ()
        except (OSError, TimeoutError):
            return None
        stream.close()
        return (stream.version,)


def fault_of(error: BaseException) -> str | None:
    """OpenSSL's reason, if TLS failed; empty if the connection just ended."""
    if isinstance(error, Mute):
        return MUTE
    if isinstance(error, ssl.SSLError):
        return error.reason or ""
    return "" if isinstance(error, ConnectionResetError) else None


def classified(error: BaseException) -> tuple[Reached, str]:
    """How an address answered by the error that came, and a sentence."""
    if isinstance(error, Cut):
        return "cut", str(error)
    if isinstance(error, Mute):
        return "failed", "it accepts TCP, but TLS gets no answer"
    if isinstance(error, TimeoutError):
        return "silent", "nothing came in time"
    if isinstance(error, ssl.SSLError):
        return "failed", f"TLS: {line((error.reason or str(error)).replace('_', ' ').lower())}"
    if isinstance(error, ConnectionRefusedError):
        return "refused", "connection refused"
    if isinstance(error, OSError) and error.errno == errno.EHOSTUNREACH:
        return "unreachable", REJECTED
    if isinstance(error, OSError) and error.errno in _UNREACHABLE:
        return "unreachable", error.strerror or ""
    return "failed", line(getattr(error, "strerror", None) or str(error) or "the connection was reset")

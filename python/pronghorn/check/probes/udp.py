"""One address over UDP: QUIC's handshake, the page over HTTP/3, and a closer look."""

import asyncio
from dataclasses import replace

from aioquic.tls import SessionTicket

from pronghorn.check.facts import ANSWER_S, Answer, Datagrams, Early, Quic
from pronghorn.check.probes import versions
from pronghorn.check.probes.budget import Budget
from pronghorn.check.probes.quic import QuicClient
from pronghorn.check.probes.request import Request
from pronghorn.check.probes.trust import Authorities
from pronghorn.foreign import line

HANDSHAKE_S, TICKET_S = 4.0, 1.5
"""How long a handshake, and a ticket after a response may take."""

SIZED_S = 3.0
"""How long a handshake of larger datagrams may take, once a usual one was done: five transmissions or so."""

EARLY_S = 2.5
"""How long an answer to 0-RTT data is awaited before the client's Finished leaves."""

CUT = "the check's time limit was over"
"""Why something was not found out, if the limit of the whole check ended it."""

_ALL_EARLY = 0xFFFFFFFF
"""What a ticket that allows 0-RTT says (RFC 9001 §4.6.1)."""


class OverUdp:
    """An address of a host whose certificates are for `server_name`."""

    def __init__(
        self, address: tuple[str, int], server_name: str, authorities: Authorities, budget: Budget
    ) -> None:
        self._address, self._server_name = address, server_name
        self._authorities, self._budget = authorities, budget
        self._ticket: SessionTicket | None = None
        self._token = b""

    async def first(self, page: Request) -> Quic:
        """A handshake and the page; beside it, whether a version is negotiated. If anything answered, or an
        ICMP message did, a handshake that failed is tried again."""
        quic, listed = await asyncio.gather(self.meet(page), versions.negotiate(self._address, self._budget))
        answers = quic.reached in ("failed", "refused") or (quic.reached == "silent" and bool(listed))
        if quic.alert is None and answers:
            again = await self.meet(page)
            attempts = 1 + (again.reached != "cut")
            quic = replace(quic if again.reached == "cut" else again, attempts=attempts)
            if listed and quic.reached in ("silent", "refused"):
                quic = replace(quic, reached="failed")
        return replace(quic, versions=listed)

    async def tried(self) -> Quic:
        """A handshake; another one if it failed, and no TLS alert says why."""
        quic = await self.meet(None)
        if quic.reached not in ("failed", "silent", "refused") or quic.alert is not None:
            return quic
        again = await self.meet(None)
        return replace(again, attempts=2)

    async def meet(self, page: Request | None, token: bytes = b"") -> Quic:
        """One connection, with a request on it if there is one. It resumes what the last one left."""
        made = QuicClient(self._address, self._server_name, ticket=self._ticket, token=token)
        async with made as client:
            grant = self._budget.grant(HANDSHAKE_S)
            await client.handshake(grant.limit_s)
            cut = not grant.whole and client.late
            answer: Answer | None = None
            detail = ""
            if client.completed is not None and page is not None:
                try:
                    self._budget.take()
                    answer = await client.ask(page, min(ANSWER_S, self._budget.left_s))
                    self._ticket = await client.ticket(min(TICKET_S, self._budget.left_s)) or self._ticket
                    self._token = client.tokens[-1] if client.tokens else self._token
                except ConnectionError as error:
                    detail = line(str(error))
            facts = self._facts(client, answer, detail)
            return replace(facts, reached="cut", detail=CUT) if cut else facts

    async def closer(self, quic: Quic, page: Request) -> Quic:
        """Whether sessions resume, up to two attempts, with a further response each; and whether a version is
        negotiated after all."""
        resumed, listed = await asyncio.gather(
            self._resume(quic, page),
            _nothing() if quic.versions else versions.negotiate(self._address, self._budget),
        )
        if resumed.retried and all(resumed.retried) and self._token:
            with_token = await self.meet(None, self._token)
            resumed = replace(
                resumed, retried_with_token=any(with_token.retried) if with_token.retried else None
            )
        return replace(resumed, versions=quic.versions or listed)

    async def _resume(self, quic: Quic, page: Request) -> Quic:
        attempts: list[bool] = []
        retried = list(quic.retried)
        answers = list(quic.answers)
        tickets, early = quic.tickets or 0, quic.early_data
        while len(attempts) < 2 and not any(attempts):
            had_ticket = self._ticket is not None
            again = await self.meet(page)
            if again.reached != "ok" or not again.answers:
                break
            if had_ticket:
                attempts += again.resumption
            retried += again.retried
            answers += again.answers
            tickets, early = tickets + (again.tickets or 0), early or again.early_data
            if not had_ticket:
                break
        return replace(
            quic,
            resumption=tuple(attempts),
            retried=tuple(retried),
            answers=tuple(answers),
            tickets=tickets,
            early_data=early,
        )

    async def sizes(self, sizes: tuple[int, ...]) -> tuple[Datagrams, ...]:
        """For each size of datagrams, whether a handshake ends, or nothing comes back at all. A size that
        fails gets another attempt, and then only counts if the smallest one still works."""
        survived = dict(zip(sizes, await asyncio.gather(*map(self._survives, sizes)), strict=True))
        failed = [size for size, each in survived.items() if each is False]
        survived |= zip(failed, await asyncio.gather(*map(self._survives, failed)), strict=True)
        if False in survived.values() and not await self._survives(1200):
            survived = {size: each or None for size, each in survived.items()}
        return tuple(Datagrams(size, each) for size, each in survived.items())

    async def early(self, request: Request) -> Early | None:
        """As `_early_once`; again if the server took the data and no answer came, since that may be lost."""
        first = await self._early_once(request)
        waits = first is not None and first.accepted and not first.answered_early
        return await self._early_once(request) or first if waits else first

    async def _early_once(self, request: Request) -> Early | None:
        """A request in 0-RTT data, whose answer is awaited before the client's Finished leaves (RFC 8470 §3);
        None without a ticket for it."""
        ticket = self._ticket
        if not allows_early(ticket):
            return None
        async with QuicClient(self._address, self._server_name, ticket=ticket) as client:
            self._budget.take()
            stream = client.send_request(request)
            client.flush()
            client.held = True
            answer = await client.response(stream, min(EARLY_S, self._budget.left_s))
            answered_early = answer is not None
            client.held = False
            client.flush()
            await client.handshake(min(HANDSHAKE_S, self._budget.left_s))
            answer = answer or await client.response(stream, min(HANDSHAKE_S, self._budget.left_s))
            accepted = client.completed is not None and client.completed.early_data_accepted
            self._ticket = client.tickets[-1] if client.tickets else ticket
            return Early(request.method, request.path, accepted, answered_early and accepted, answer)

    async def _survives(self, size: int) -> bool | None:
        async with QuicClient(self._address, self._server_name, datagram_bytes=size) as client:
            grant = self._budget.grant(SIZED_S)
            await client.handshake(grant.limit_s)
            if client.completed is not None:
                return True
            return None if client.outcome != "silent" or not grant.whole else False

    def _facts(self, client: QuicClient, answer: Answer | None, detail: str) -> Quic:
        ok = client.completed is not None
        resumed = client.completed.session_resumed if client.completed is not None else False
        return Quic(
            client.outcome,
            detail or line(client.detail),
            alert=client.alert,
            closed=not ok and client.log.closed,
            retried=(client.log.retried,) if ok else (),
            chain=self._authorities.judge(client.chain, self._server_name),
            handshake_bytes=client.log.handshake_bytes if ok and not resumed else None,
            parameters=client.log.parameters,
            settings=client.settings,
            answers=(answer,) if answer is not None else (),
            tickets=len(client.tickets) if answer is not None else None,
            early_data=any(map(allows_early, client.tickets)),
            resumption=(resumed,) if ok else (),
        )


async def _nothing() -> tuple[int, ...]:
    return ()


def allows_early(ticket: SessionTicket | None) -> bool:
    """Whether a ticket allows 0-RTT."""
    return ticket is not None and ticket.max_early_data_size == _ALL_EARLY

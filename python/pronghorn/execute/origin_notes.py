"""What an origin logged of one load: neither what came before it nor what warmed the origin up."""

from collections.abc import Sequence

from pronghorn.analysis.protocols import answered
from pronghorn.engine import Engine
from pronghorn.model.trial import OriginCount, PageLoad
from pronghorn.origins import OriginLog, RunningOrigin, Tickets
from pronghorn.origins.counts import Counts, counted, since, usual, without

WARM_UP = "/.pronghorn-warm-up"
"""The path of an origin's first request; no site has it."""

_WAITS_S = (0.02, 0.05, 0.2, 1.0, 2.0, 4.0)
"""An origin may log a request shortly after the client has its answer."""


class OriginNotes:
    """A running origin, and its log since the last load began."""

    def __init__(self, origin: RunningOrigin, engine: Engine) -> None:
        self.origin = origin
        self._engine = engine
        self._seen = 0
        self._counted: Counts = {}
        self._tickets: Tickets = {}

    async def begin(self) -> None:
        """A load begins: what is there by now is none of its."""
        before = await self.origin.log()
        self._seen, self._tickets = len(before.requests), before.tickets
        self._counted = _counts(before)

    async def of_page(self, page: PageLoad) -> OriginLog:
        """The log of the page load."""
        for wait_s in (*_WAITS_S, 0.0):
            log = await self.origin.log()
            requests = [one for one in log.requests[self._seen :] if one.path != WARM_UP]
            if not log.kept or page.outcome != "ok" or len(requests) >= len(answered(page)):
                break
            await self._engine.let_pass(wait_s)
        return log._replace(requests=requests, tickets=_since(self._tickets, log.tickets))

    async def of_load(self, page: PageLoad) -> tuple[OriginLog, Sequence[OriginCount]]:
        """The log of a load of many requests, counted: of so many it is too long to be kept."""
        succeeded = page.report.requests.succeeded if page.report else 0
        for wait_s in (*_WAITS_S, 0.0):
            log = await self.origin.log()
            counts = since(self._counted, _counts(log))
            if not log.kept or sum(one.requests for one in counts) >= succeeded:
                break
            await self._engine.let_pass(wait_s)
        tickets = _since(self._tickets, log.tickets)
        kept = log._replace(requests=[], connections=usual(log.connections), tickets=tickets)
        return kept, counts


def _counts(log: OriginLog) -> Counts:
    """A log's requests, but for the one that warmed the origin up."""
    return without(counted(log.requests) if log.counts is None else log.counts, WARM_UP)


def _since(before: Tickets, now: Tickets) -> Tickets:
    """What became of the tickets that were offered after `before`."""
    return {
        transport: {fate: number - before.get(transport, {}).get(fate, 0) for fate, number in fates.items()}
        for transport, fates in now.items()
    }

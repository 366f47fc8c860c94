"""How much a check may ask of somebody's server, and how long it may take."""

import asyncio
from collections.abc import Awaitable
from typing import NamedTuple, TypeVar

MOST_REQUESTS = 40
"""The most HTTP requests of one check: a few dozen."""

Result = TypeVar("Result")


class Spent(Exception):
    """No request is left."""


class Cut(TimeoutError):
    """The check's own deadline ended a probe early, which says nothing of the host."""


class Grant(NamedTuple):
    """The time that a probe gets; `whole` if that is all it asked for."""

    limit_s: float
    whole: bool


class Budget:
    """Counts the requests, up to `MOST_REQUESTS`, and knows the check's deadline on the loop's clock."""

    def __init__(self, limit_s: float) -> None:
        self.requests = 0
        self._end = asyncio.get_running_loop().time() + limit_s

    def take(self) -> None:
        """Before each request; Spent if there is none left."""
        if self.requests >= MOST_REQUESTS:
            raise Spent
        self.requests += 1

    @property
    def left_s(self) -> float:
        """What is left of the time."""
        return max(0.0, self._end - asyncio.get_running_loop().time())

    def grant(self, most_s: float) -> Grant:
        """`most_s`, or what is left if that is less."""
        left_s = self.left_s
        return Grant(min(most_s, left_s), most_s <= left_s)

    async def within(self, most_s: float, awaited: Awaitable[Result]) -> Result:
        """The result; TimeoutError after `most_s`, Cut at the deadline if that is earlier."""
        grant = self.grant(most_s)
        try:
            async with asyncio.timeout(grant.limit_s):
                return await awaited
        except TimeoutError as error:
            if grant.whole:
                raise
            raise Cut("the check's time limit was over") from error

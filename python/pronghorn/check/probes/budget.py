"""How much a check may ask of somebody's server, and how long it may take."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

MOST_REQUESTS = 40
"""The most HTTP requests of one check: a few dozen."""

Result = TypeVar("Result")


class Spent(Exception):
    """No request is left."""


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

    async def within(self, most_s: float, awaited: Awaitable[Result]) -> Result:
        """The result; TimeoutError after `most_s`, or at the deadline if that is earlier."""
        async with asyncio.timeout(min(most_s, self.left_s)):
            return await awaited

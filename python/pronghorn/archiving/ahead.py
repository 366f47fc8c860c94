"""Work for each of many things, on every CPU and in order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_Given = TypeVar("_Given")
_Done = TypeVar("_Done")

MOST_WEIGHT = 64 * 2**20
"""What the things that are worked on may weigh together, in bytes; a heavier one is worked on alone."""


def ahead(
    work: Callable[[_Given], _Done], things: Iterable[_Given], weight: Callable[[_Given], int]
) -> Iterator[_Done]:
    """What `work` makes of each of `things`, in their order. It runs in threads, a few things ahead of what
    has been taken; it should be work that gives up Python's lock, such as compressing."""
    threads = os.cpu_count() or 1
    waiting: deque[tuple[Future[_Done], int]] = deque()
    weighs = 0
    with ThreadPoolExecutor(threads) as pool:
        for thing in things:
            own = weight(thing)
            while waiting and (weighs + own > MOST_WEIGHT or len(waiting) > 2 * threads):
                done, weighed = waiting.popleft()
                weighs -= weighed
                yield done.result()
            waiting.append((pool.submit(work, thing), own))
            weighs += own
        for done, _ in waiting:
            yield done.result()

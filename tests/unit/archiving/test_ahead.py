"""Work for many things on every CPU."""

import threading
from collections.abc import Iterator

import pytest

from pronghorn.archiving import ahead


def test_results_come_in_the_order_of_the_things() -> None:
    assert list(ahead.ahead(lambda one: one * one, range(100), lambda _: 1)) == [
        one * one for one in range(100)
    ]


@pytest.mark.parametrize("weight", [ahead.MOST_WEIGHT, ahead.MOST_WEIGHT // 2])
def test_no_more_is_worked_on_than_may_be_in_memory(weight: int) -> None:
    held, most = 0, 0
    lock = threading.Lock()

    def work(one: int) -> int:
        nonlocal held, most
        with lock:
            held += weight
            most = max(most, held)
        return one

    def taken() -> Iterator[int]:
        nonlocal held
        for one in ahead.ahead(work, range(20), lambda _: weight):
            with lock:
                held -= weight
            yield one

    assert list(taken()) == list(range(20))
    assert most <= ahead.MOST_WEIGHT


def test_what_goes_wrong_is_raised_in_its_turn() -> None:
    found = ahead.ahead(lambda one: 1 // one, [2, 1, 0, 3], lambda _: 1)
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(ZeroDivisionError):
        next(found)

"""What a check may ask, and how long it may take."""

import asyncio
from typing import Any

import pytest

from pronghorn.check.probes import meeting, names, tcp, udp
from pronghorn.check.probes.budget import MOST_REQUESTS, Budget, Spent
from pronghorn.check.target import Settings, Target

from ..execute.virtual_time import run


def test_the_limits_of_a_silent_host_leave_room_within_ten_seconds() -> None:
    assert names.LIMIT_S + max(tcp.CONNECT_S, udp.HANDSHAKE_S) <= 7


def test_no_request_is_sent_beyond_the_budget() -> None:
    async def scenario() -> int:
        budget = Budget(30)
        for _ in range(MOST_REQUESTS):
            budget.take()
        with pytest.raises(Spent):
            budget.take()
        return budget.requests

    assert asyncio.run(scenario()) == MOST_REQUESTS == 40


def test_a_probe_ends_at_its_own_limit_or_at_the_deadline() -> None:
    async def scenario() -> list[float]:
        loop = asyncio.get_running_loop()
        budget = Budget(5)
        took = []
        for most_s in (3, 3):
            began = loop.time()
            with pytest.raises(TimeoutError):
                await budget.within(most_s, asyncio.sleep(100))
            took.append(loop.time() - began)
        assert budget.left_s == 0
        return took

    assert run(scenario()) == [3, 2]


@pytest.mark.parametrize(
    ("addresses", "kept"),
    [
        (("1", "2", "3", "4", "5"), ("1", "2", "3", "4")),
        ((":1", ":2", ":3", ":4", "5"), (":1", ":2", ":3", "5")),
        ((":1", "2", "3", "4", "5"), (":1", "2", "3", "4")),
        ((":1", ":2", ":3", "4", "5", "6"), (":1", ":2", "4", "5")),
    ],
)
def test_both_families_are_among_the_addresses_that_are_asked(
    addresses: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    assert meeting.chosen(addresses, 4) == kept


@pytest.mark.parametrize(
    ("v4", "v6", "addresses", "said"),
    [
        (("192.0.2.1",), None, ("192.0.2.1",), "AAAA"),
        (None, ("2001:db8::1",), ("2001:db8::1",), "A"),
        (("192.0.2.1",), (), ("192.0.2.1",), ""),
    ],
)
def test_a_family_that_the_resolver_fails_at_doesn_t_hide_the_other(
    v4: Any, v6: Any, addresses: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked(_: object, __: str, kind: str) -> Any:
        return v4 if kind == "A" else v6

    async def system(*_: object) -> tuple[tuple[str, ...], str]:
        return (), "not asked"

    async def records(*_: object) -> tuple[()]:
        return ()

    monkeypatch.setattr(names, "_addresses", asked)
    monkeypatch.setattr(names, "_system", system)
    monkeypatch.setattr(names, "_records", records)
    settings = Settings(resolver=("192.0.2.53", 53))
    found = asyncio.run(names.ask(Target("shop.example", 443, "/"), settings))
    assert found.addresses == addresses
    assert found.detail == (f"the resolver did not answer for {said}" if said else "")

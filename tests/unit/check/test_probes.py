"""Probes with little time, with no way to a family, and where records and redirects lead."""

import asyncio
import errno
import socket
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import h2.events
import h11
import pytest

from pronghorn.check.facts import MUTE, REJECTED, Answer, Names, Quic, Record, Tcp, Tls
from pronghorn.check.probes import closer, elsewhere, hints, meeting, tcp, versions
from pronghorn.check.probes import names as resolver
from pronghorn.check.probes.budget import Budget, Cut
from pronghorn.check.probes.errand import Errand
from pronghorn.check.probes.http2 import GoneAway, Http2
from pronghorn.check.probes.quic import QuicClient
from pronghorn.check.probes.request import Growing, Request
from pronghorn.check.probes.tcp import Met as Connection
from pronghorn.check.probes.tcp import Mute, OverTcp, classified
from pronghorn.check.probes.trust import Authorities
from pronghorn.check.probes.udp import OverUdp
from pronghorn.check.target import Settings, Target, leads_inside

from .made_facts import ADDRESS, ANSWER, CHAIN, QUIC

PAGE = Request("shop.example", "/")


def alone(scenario: Callable[[int], Awaitable[Any]]) -> Any:
    """A scenario at a port of loopback that takes TCP and UDP, and answers neither."""

    async def run() -> Any:
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            tcp.bind(("127.0.0.1", 0))
            tcp.listen()
            port = tcp.getsockname()[1]
            udp.bind(("127.0.0.1", port))
            return await scenario(port)

    return asyncio.run(run())


def errand(limit_s: float = 30) -> Errand:
    return Errand(Settings(), Authorities(None), Budget(limit_s), lambda _: None)


def test_a_check_without_time_left_says_nothing_of_the_host() -> None:
    async def scenario(port: int) -> tuple[Any, ...]:
        budget, address = Budget(0.1), ("127.0.0.1", port)
        udp = OverUdp(address, "shop.example", Authorities(None), budget)
        tcp = OverTcp(address, "shop.example", Authorities(None), budget)
        met, quic, listed = await asyncio.gather(
            tcp.tried(PAGE), udp.tried(), versions.negotiate(address, budget)
        )
        sizes = await udp.sizes((1280,))
        return met.reached, quic.reached, listed, sizes[0].survived

    assert alone(scenario) == ("cut", "cut", None, None)


def test_what_ends_early_is_cut_and_what_ends_by_itself_is_not() -> None:
    async def scenario() -> None:
        with pytest.raises(Cut):
            await Budget(0.01).within(5, asyncio.sleep(9))
        with pytest.raises(TimeoutError) as ended:
            await Budget(5).within(0.01, asyncio.sleep(9))
        assert not isinstance(ended.value, Cut)

    asyncio.run(scenario())
    assert classified(Cut())[0] == "cut"
    assert classified(TimeoutError())[0] == "silent"
    assert classified(OSError(errno.EHOSTUNREACH, "no route")) == ("unreachable", REJECTED)
    assert classified(Mute())[0] == "failed"


@pytest.mark.parametrize(
    ("reached", "answered", "expected"),
    [
        ("silent", "192.0.2.1", "unreachable"),
        ("silent", "2001:db8::1", "silent"),
        ("refused", "192.0.2.1", "refused"),
    ],
)
def test_silence_of_a_family_that_never_answered_tells_nothing(
    reached: Any, answered: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def tried(_: OverUdp) -> Quic:
        return Quic(reached)

    async def scenario() -> Quic:
        one = errand()
        one.answered(answered)
        return await elsewhere.tried(("2001:db8::9", 443), Target("shop.example", 443, "/"), one)

    monkeypatch.setattr(OverUdp, "tried", tried)
    assert asyncio.run(scenario()).reached == expected


def test_a_place_is_dead_only_if_it_is_over_both_families(monkeypatch: pytest.MonkeyPatch) -> None:
    async def tried(address: tuple[str, int], *_: object) -> Quic:
        return QUIC if "." in address[0] else Quic("silent")

    async def asked(*_: object) -> Names:
        return Names(("2001:db8::9", "192.0.2.9"), ("192.0.2.9", "2001:db8::9"), (), "cdn.example")

    async def scenario() -> Any:
        target = Target("shop.example", 443, "/")
        return await elsewhere.look([("cdn.example", 443)], target, ADDRESS, errand())

    monkeypatch.setattr(elsewhere, "tried", tried)
    monkeypatch.setattr(resolver, "ask", asked)
    found = asyncio.run(scenario())
    assert found[0].quic.reached == "ok"


def test_hints_are_asked_at_their_record_s_port_and_protocol() -> None:
    names = Names(
        ("192.0.2.1",),
        ("192.0.2.1",),
        (
            Record(1, "shop.example", ("h3", "h2"), False, 8443, ("192.0.2.1", "192.0.2.9")),
            Record(2, "shop.example", ("h3",), True, None, ("192.0.2.8",)),
            Record(3, "svc.cdn.example", ("h3",), False, None, ("192.0.2.7",)),
        ),
        "shop.example",
    )
    asked = hints.stale(Target("shop.example", 443, "/"), names, "192.0.2.1")
    assert asked == [("192.0.2.9", 8443, "TCP"), ("192.0.2.8", 443, "UDP")]


def test_both_protocols_answer_until_a_difference_is_sure() -> None:
    class Tcps:
        async def meet(self, *_: object) -> Any:

            return Connection("ok", tls=Tls("TLSv1.3", "h2", CHAIN, False), answer=ANSWER)

    class Udps:
        async def meet(self, *_: object) -> Quic:
            return Quic("ok", answers=(other,))

    other = Answer(200, ANSWER.headers, 9, "other")
    seen = Tcp("ok", h2=(ANSWER,) * 3), Quic("ok", answers=(other,) * 2)
    met: Any = meeting.Met(ADDRESS, Tcps(), Udps())  # type: ignore[arg-type]
    seen = asyncio.run(closer._again(*seen, met, PAGE))
    assert closer.fewest(*seen) == 8


def test_a_public_host_may_not_lead_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    assert leads_inside("9.9.9.9", ("9.9.9.9", "10.0.0.1"))
    assert not leads_inside("9.9.9.9", ("2620:fe::fe",))
    assert not leads_inside("127.0.0.1", ("10.0.0.1",))

    async def asked(*_: object) -> Names:
        return Names(("10.0.0.1",), ("10.0.0.1",), (), "cdn.example")

    async def scenario() -> Any:
        main = replace(ADDRESS, address="9.9.9.9")
        return await elsewhere.look([("cdn.example", 1)], Target("a.example", 443, "/"), main, errand())

    monkeypatch.setattr(resolver, "ask", asked)
    monkeypatch.setattr(elsewhere, "tried", None)
    assert asyncio.run(scenario())[0].quic.reached == "unreachable"


def test_a_fault_of_a_library_costs_one_point() -> None:
    async def fails() -> int:
        raise h11.LocalProtocolError("odd")

    async def scenario() -> list[tuple[str, str]]:
        one = errand()
        assert await one.noting("a point", fails(), 7) == 7
        return one.unknown

    assert asyncio.run(scenario())[0][0] == "a point"


def test_what_aioquic_fails_at_is_not_the_server_s_refusal() -> None:
    async def scenario(port: int) -> tuple[Any, ...]:
        async with QuicClient(("127.0.0.1", port), "shop.example") as client:

            def fails(*_: object, **__: object) -> None:
                raise KeyError("odd")

            client._quic.receive_datagram = fails  # type: ignore[method-assign]
            client._heard(b"anything")
            return client.outcome, client.log.closed, client.alert, "could not take" in client.detail

    assert alone(scenario) == ("failed", False, None, True)


def test_what_this_host_forbids_is_no_silence() -> None:
    async def scenario(port: int) -> tuple[str, str]:
        async with QuicClient(("127.0.0.1", port), "shop.example") as client:
            client._socket.error_received(PermissionError(1, "Operation not permitted"))
            await client.handshake(5)
            return client.outcome, client.detail

    assert alone(scenario) == ("unreachable", "Operation not permitted")


@pytest.mark.parametrize(("gone", "asked"), [(True, 2), (False, 1)])
def test_a_server_that_is_reloaded_is_asked_again(
    gone: bool, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[int] = []

    async def once(*_: object) -> Connection:
        times.append(1)
        return Connection("ok", answer=ANSWER, gone=gone and len(times) == 1)

    async def scenario() -> Connection:
        return await OverTcp(("192.0.2.1", 443), "x", Authorities(None), Budget(9)).meet("h2", PAGE)

    monkeypatch.setattr(OverTcp, "_once", once)
    assert asyncio.run(scenario()).answer == ANSWER
    assert len(times) == asked


def test_going_away_without_a_fault_is_told_apart() -> None:
    event = h2.events.ConnectionTerminated()
    event.error_code = 0
    with pytest.raises(GoneAway):
        Http2.__new__(Http2)._heard(event, 1, Growing())


def test_a_server_that_accepts_tcp_and_stays_mute_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(port: int) -> Connection:
        return await OverTcp(("127.0.0.1", port), "x", Authorities(None), Budget(30)).meet("h2", PAGE)

    monkeypatch.setattr(tcp, "TLS_S", 0.05)
    met = alone(scenario)
    assert (met.reached, met.tls_fault) == ("failed", MUTE)


@pytest.mark.parametrize("active", [True, False])
def test_a_host_that_nobody_named_is_not_asked_what_takes_effect(active: bool) -> None:
    asked: list[str] = []
    early = replace(QUIC, early_data=True)

    class Probes:
        async def closer(self, seen: Any, _: Request) -> Any:
            return seen

        async def sizes(self, _: object) -> tuple[()]:
            asked.append("sizes")
            return ()

        async def early(self, request: Request) -> None:
            asked.append(request.method)

        async def meet(self, *request: Any) -> Any:
            asked.append("echo")
            return Quic("ok") if len(request) == 1 else Connection("ok")

    async def scenario() -> None:
        one = Errand(Settings(echo="/echo"), Authorities(None), Budget(9), lambda _: None, active=active)
        probes: Any = Probes()
        met = meeting.Met(replace(ADDRESS, quic=early), probes, probes)
        names = Names(("192.0.2.1",), ("192.0.2.1",), (), "shop.example")
        await closer.look(Target("shop.example", 443, "/"), names, met, one)

    asyncio.run(scenario())
    assert set(asked) == ({"sizes", "POST", "GET", "echo"} if active else set())

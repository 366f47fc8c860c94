"""What is no trap: ways and servers that are slow for another reason than those that are known."""

import dataclasses

import numpy as np
import pytest

from pronghorn.model.trial import PageLoad
from pronghorn.traps import advice, judge
from pronghorn.traps.facts import Address, Facts, Hop, Offer, Visit

from .made_visits import SOUND, TRIP_S, WIDE, Way, facts, visit

_BUFFER = 65536

_ALIKE = {
    "a wide path": Way(),
    "a narrow path": Way(rate=2e6 / 8),
    "a path that holds just 64 kB": Way(rate=_BUFFER / TRIP_S),
    "a path with losses": Way(loss=0.01),
    "a narrow path with losses": Way(rate=8e6 / 8, loss=0.01),
    "a far server": Way(trip_s=0.3),
    "a near server": Way(trip_s=0.001),
    "a narrow uplink, by which all round trips are longer": Way(trip_s=0.4, rate=4e6 / 8),
    "a streamed page": Way(chunk=(_BUFFER, 0.1)),
    "a page streamed in small pieces": Way(chunk=(8_000, 0.05)),
    "a page streamed as often as the round trip": Way(chunk=(_BUFFER, TRIP_S)),
}


@pytest.mark.parametrize("name", _ALIKE)
def test_what_is_alike_over_both_is_no_trap(name: str) -> None:
    judged = judge(facts(_ALIKE[name], _ALIKE[name]))
    assert judged.findings == ()
    assert advice(judged).startswith("Nothing found")


_OTHERWISE = {
    "a longer way over UDP": Way(trip_s=2 * TRIP_S),
    "a way of half the rate over UDP": Way(rate=WIDE / 2),
    "a way over UDP that holds just 64 kB": Way(rate=_BUFFER / TRIP_S),
    "a window that is none of the known": Way(window=200_000),
    "a streamed page over h3 alone": Way(chunk=(20_000, 0.03)),
}


@pytest.mark.parametrize("name", _OTHERWISE)
def test_a_slower_way_over_udp_is_none_of_the_known_traps(name: str) -> None:
    assert judge(facts(h3=_OTHERWISE[name])).findings == ()


def test_a_longer_way_over_udp_is_shown() -> None:
    judged = judge(facts(h3=_OTHERWISE["a longer way over UDP"]))
    assert [one.trap.name for one in judged.beside] == ["udp-detour"]


def test_a_slow_application_is_that_alone() -> None:
    judged = judge(facts(Way(server_s=0.9), Way(server_s=0.9), size=200_000))
    assert [one.trap.name for one in judged.findings] == ["slow-server"]


def test_a_slow_application_that_is_a_small_part_of_the_load_is_nothing() -> None:
    way = Way(rate=4e6 / 8, server_s=0.3)
    assert judge(facts(way, way)).findings == ()


def test_responses_that_share_a_connection_are_no_window() -> None:
    """Four large ones of 64 kB a round trip each: what the largest had is a quarter of what came."""
    found = facts(h3=Way(window=16_000))
    for one in found.visits:
        first = one.page.resources[0]
        one.page.resources += [first.model_copy(update={"path": f"/{place}"}) for place in range(3)]
    assert judge(found).findings == ()


def test_a_redirect_within_the_host_or_to_one_that_offers_is_nothing() -> None:
    for host, offers in (("www.example.org", 'h3=":443"'), ("example.org", 'h3=":443"')):
        hops = (Hop(host, 443, 'h3=":443"'), Hop("www.example.org", 443, offers))
        assert judge(facts(offer=SOUND._replace(hops=hops))).findings == ()


def test_a_host_without_ipv6_here_is_no_dead_address() -> None:
    found = dataclasses.replace(
        facts(), addresses=(Address("192.0.2.1", True, True), Address("2001:db8::1", None, None))
    )
    assert judge(found).findings == ()


def test_an_end_that_is_acknowledged_in_a_packet_of_its_own_is_no_amplification() -> None:
    found = facts()
    visits = list(found.of("h2"))
    for one in found.of("h3"):
        assert one.flow is not None and one.flow.handshake is not None
        shake = one.flow.handshake
        late = shake._replace(arrived_s=np.append(shake.arrived_s, shake.arrived_s[0] + TRIP_S))
        visits.append(dataclasses.replace(one, flow=one.flow._replace(handshake=late)))
    assert judge(dataclasses.replace(found, visits=visits)).findings == ()


def test_a_single_slow_handshake_is_no_amplification() -> None:
    found = facts()
    first, *others = (one for one in found.visits if one.protocol == "h3")
    assert first.flow is not None and first.flow.handshake is not None
    late = first.flow.handshake._replace(
        arrived_s=first.flow.handshake.arrived_s * [1, 1, 2], took_s=2 * TRIP_S
    )
    slow = dataclasses.replace(first, flow=first.flow._replace(handshake=late))
    visits = [*found.of("h2"), slow, *others]
    assert judge(dataclasses.replace(found, visits=visits)).findings == ()


def test_nothing_is_concluded_from_spoilt_visits() -> None:
    found = facts(h3=Way(window=_BUFFER))
    spoilt = [dataclasses.replace(one, spoilt=True) for one in found.visits]
    assert judge(dataclasses.replace(found, visits=spoilt)).findings == ()


_FAILED = Visit("h3", PageLoad(outcome="failed", reason="connect", detail="refused"))
_RECORD = Offer((Hop("www.example.org", 443, None),), 443, True, None)

_OFFERED_AND_NOT_REACHED = {
    "UDP is silent, of which nothing was tried": (_RECORD._replace(answers=False), ()),
    "every handshake failed": (_RECORD._replace(answers=True), (_FAILED,)),
    "h3 was not tried": (SOUND, ()),
    "this machine can't send UDP": (SOUND._replace(answers=None), (_FAILED,)),
}


@pytest.mark.parametrize("name", _OFFERED_AND_NOT_REACHED)
def test_an_offer_by_which_nobody_came_is_unknown_and_not_sound(name: str) -> None:
    offer, visits = _OFFERED_AND_NOT_REACHED[name]
    judged = judge(Facts("x", [*(visit("h2") for _ in range(3)), *visits], offer))
    assert judged.findings == ()
    (unknown,) = judged.unknown
    assert unknown.why.startswith("HTTP/3 is offered; no handshake succeeded: ")
    assert not advice(judged).startswith("Nothing found: none of the known traps fits what was seen.")


def test_a_record_that_nobody_could_ask_for_is_unknown() -> None:
    offer = SOUND._replace(hops=(Hop("www.example.org", 443, None),), record=None, record_why="no resolver")
    visits = [visit("h2") for _ in range(3)]
    judged = judge(Facts("x", visits, offer))
    assert judged.findings == ()
    assert [one.trap.name for one in judged.unknown] == ["not-offered"]

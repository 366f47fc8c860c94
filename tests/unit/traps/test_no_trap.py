"""What is no trap: ways and servers that are slow for another reason than those that are known."""

import dataclasses

import numpy as np
import pytest

from pronghorn.model.trial import Connection, PageLoad
from pronghorn.traps import advice, compared, judge
from pronghorn.traps.facts import Address, Facts, Hop, Offer, Tickets, Visit

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
    "a streamed page over h3 alone": Way(chunk=(20_000, 0.03)),
    "a page streamed in 64 kB over h3 alone": Way(chunk=(_BUFFER, 0.1)),
    "a page streamed in 64 kB, slowly": Way(chunk=(_BUFFER, 0.3)),
    "a page streamed in 64 kB, a little slower than the round trip": Way(chunk=(_BUFFER, 0.02)),
    "a page streamed bit by bit over h3 alone": Way(chunk=(11_200, 0.02)),
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


@pytest.mark.parametrize(("window", "beside"), [(_BUFFER, 3), (480_000, 7), (8 * _BUFFER, 7)])
def test_a_window_of_the_connection_is_no_buffer_of_a_response(window: int, beside: int) -> None:
    """The client's is known, and as large as what came of all responses together or not."""
    found = facts(Way(rate=8 * WIDE), Way(rate=8 * WIDE, window=window), size=12_000_000)
    for one in found.visits:
        first = one.page.resources[0]
        one.page.resources += [first.model_copy(update={"path": f"/{place}"}) for place in range(beside)]
    assert [one.trap.name for one in judge(found).findings] == ["fixed-window"]


def test_a_connections_window_that_responses_share_is_none_of_the_clients_streams() -> None:
    found = facts(h3=Way(window=4 * _BUFFER))
    for one in found.visits:
        first = one.page.resources[0]
        one.page.resources += [first.model_copy(update={"path": f"/{place}"}) for place in range(3)]
    visits = [
        one if one.flow is None else dataclasses.replace(one, flow=one.flow._replace(windows=(_BUFFER, None)))
        for one in found.visits
    ]
    names = [one.trap.name for one in judge(dataclasses.replace(found, visits=visits)).findings]
    assert "flow-control" not in names and "stream-buffer" not in names


def _slow_h3(detail: str = "/ not complete after 30 s", secured: float | None = 0.1) -> Visit:
    opened = Connection(start_s=0.0, secured_s=secured)
    return Visit("h3", PageLoad(outcome="failed", reason="timeout", detail=detail, connections=[opened]))


@pytest.mark.parametrize("answers", [True, False])
def test_a_load_that_takes_longer_than_its_limit_had_a_handshake(answers: bool) -> None:
    offer = SOUND._replace(answers=answers, sizes=((1200, True), (1452, False)) if answers else ())
    judged = judge(Facts("x", [*(visit("h2") for _ in range(3)), _slow_h3(), _slow_h3()], offer))
    assert judged.findings == ()
    assert "offer-dead" in judged.judged and "mtu" in judged.judged
    assert not advice(judged).startswith("Nothing found")
    assert "stream-buffer (no load over h3 can be used)" in advice(judged)


def test_what_a_load_brought_until_its_limit_is_judged() -> None:
    whole = visit("h3", Way(window=_BUFFER))
    begun = dataclasses.replace(_slow_h3(), flow=whole.flow)
    judged = judge(Facts("x", [*(visit("h2") for _ in range(3)), begun, begun], SOUND))
    assert [one.trap.name for one in judged.findings] == ["stream-buffer"]
    narrow = dataclasses.replace(_slow_h3(), flow=visit("h3", Way(rate=2e6 / 8)).flow)
    assert judge(Facts("x", [visit("h2"), narrow], SOUND)).findings == ()


def test_a_refused_certificate_is_no_mtu() -> None:
    failed = Visit("h3", PageLoad(outcome="failed", reason="tls", detail="unknown issuer"))
    offer = SOUND._replace(sizes=((1200, True), (1452, False)))
    assert judge(Facts("x", [visit("h2"), failed], offer)).findings == ()


def test_what_a_capture_saw_sent_again_is_tcps_loss_and_not_a_window_of_it() -> None:
    found = facts(Way(loss=0.02), Way(loss=0.02, rate=WIDE / 2))
    visits = [
        dataclasses.replace(one, disordered=None, resent=round(0.02 * 3_000_000 / 1400))
        if one.protocol == "h2"
        else one
        for one in found.visits
    ]
    judged = judge(dataclasses.replace(found, visits=visits))
    assert judged.findings == ()


def test_losses_of_udp_alone_by_chance_are_no_limit() -> None:
    """Reno's rate: it halves at each loss."""
    found = facts(h3=Way(rate=WIDE / 5))
    rng = np.random.default_rng(7)
    visits = []
    for one in found.visits:
        if one.flow is not None:
            at_s = np.sort(rng.uniform(0.5, one.flow.arrived_s[-1], 12))
            halves = np.interp(one.flow.arrived_s, at_s, np.tile([0.5, 1.0], 6))
            flow = one.flow._replace(
                lost_runs=(1,) * 12, lost_at_s=tuple(at_s.tolist()), sizes=one.flow.sizes * halves
            )
            one = dataclasses.replace(one, flow=flow)
        visits.append(one)
    judged = judge(dataclasses.replace(found, visits=visits))
    assert judged.findings == ()
    assert [one.trap.name for one in judged.unknown] == ["udp-policed"]


def test_one_load_beside_one_is_slower_by_chance() -> None:
    found = facts(h3=Way(rate=WIDE / 1.6))
    assert compared.slower_s(found)
    single = dataclasses.replace(found, visits=[found.of("h2")[0], found.of("h3")[0]])
    assert compared.slower_s(single) == 0.0


def test_an_error_may_leave_its_offer_out() -> None:
    for status in (403, 503):
        offer = SOUND._replace(hops=(Hop("www.example.org", 443, None, None, status),))
        judged = judge(facts(offer=offer))
        assert judged.findings == ()
        assert [one.trap.name for one in judged.unknown] == ["not-offered"]


def test_a_family_of_addresses_that_is_dead_from_here_is_unknown() -> None:
    dead = (Address("192.0.2.1", True, True), Address("2001:db8::1", False, False))
    judged = judge(dataclasses.replace(facts(), addresses=dead))
    assert judged.findings == ()
    assert [one.trap.name for one in judged.unknown] == ["dead-address"]


def test_a_retry_for_a_single_packet_alone_is_unknown() -> None:
    judged = judge(facts(offer=SOUND._replace(retry=True)))
    assert judged.findings == ()
    assert [one.trap.name for one in judged.unknown] == ["retry"]


def test_a_ticket_of_which_nothing_is_known_is_unknown() -> None:
    judged = judge(dataclasses.replace(facts(), tickets=Tickets(False, None, None)))
    assert judged.findings == ()
    assert [one.trap.name for one in judged.unknown] == ["no-tickets"]


def test_a_handshake_near_by_that_takes_its_cryptography_is_no_amplification() -> None:
    found = facts(Way(trip_s=0.004), Way(trip_s=0.004))
    visits = list(found.of("h2"))
    for one in found.of("h3"):
        assert one.flow is not None and one.flow.handshake is not None
        came = one.flow.handshake.arrived_s
        shake = one.flow.handshake._replace(arrived_s=np.append(came, came[0] + 0.0045), took_s=0.0065)
        visits.append(dataclasses.replace(one, flow=one.flow._replace(handshake=shake)))
    assert judge(dataclasses.replace(found, visits=visits)).findings == ()


def test_short_packets_are_no_amplification() -> None:
    found = facts()
    visits = list(found.of("h2"))
    for one in found.of("h3"):
        assert one.flow is not None and one.flow.handshake is not None
        came = one.flow.handshake.arrived_s
        shake = one.flow.handshake._replace(
            arrived_s=np.append(came, came[0] + TRIP_S),
            took_s=2 * TRIP_S,
            lengths=(200.0, 800.0, 300.0, 60.0),
        )
        visits.append(dataclasses.replace(one, flow=one.flow._replace(handshake=shake)))
    assert judge(dataclasses.replace(found, visits=visits)).findings == ()


def test_that_nobody_could_see_a_trap_is_no_news_of_it() -> None:
    bare = Facts("x", [visit("h3")])
    assert advice(judge(bare)).startswith(
        "6 of 16 traps could be judged, and none of them fits. Not judged: "
    )
    nothing = judge(Facts("x"))
    assert nothing.judged == []
    assert advice(nothing).startswith("0 of 16 traps could be judged")


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

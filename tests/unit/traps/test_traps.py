"""Each trap, as visits and packets show it."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from pronghorn.model.trial import PageLoad, Resource
from pronghorn.traps import advice, judge
from pronghorn.traps.catalogue import TRAPS
from pronghorn.traps.facts import Address, Facts, Flow, Hop, Protocol, Tickets, Visit, alternative, offers_h3
from pronghorn.traps.parts import parts

from .made_visits import SOUND, TRIP_S, WIDE, Way, facts, visit

_FAILED = Visit("h3", PageLoad(outcome="failed", reason="timeout", detail="/ not complete after 3 s"))


def _found(one: Facts) -> list[str]:
    return [found.trap.name for found in judge(one).findings]


def _with_flow(one: Facts, **changes: Any) -> Facts:
    visits = [
        dataclasses.replace(each, flow=each.flow._replace(**changes)) if each.flow is not None else each
        for each in one.visits
    ]
    return dataclasses.replace(one, visits=visits)


def test_64_kb_in_each_round_trip_is_the_servers_buffer() -> None:
    judged = judge(facts(h3=Way(window=65536)))
    (found,) = judged.findings
    assert found.trap.name == "stream-buffer"
    assert "64.4 kB came in each round trip of 60.0 ms" in found.seen
    assert found.gain_s == pytest.approx(2.2, rel=0.2)
    assert "nginx: http3_stream_buffer_size 1m;" in advice(judged)


def test_64_kb_of_each_response_are_the_servers_buffer_however_many_are_under_way() -> None:
    """Three responses of unequal size: three, then two, then one bring 64 kB each."""
    found = facts(h3=Way(window=65536))
    for one in found.visits:
        assert one.page.resources[0].last_byte_s is not None
    visits = []
    for one in found.visits:
        first = one.page.resources[0]
        begin_s, end_s = first.first_byte_s or 0.0, first.last_byte_s or 0.0
        ends_s = [begin_s + (end_s - begin_s) * share for share in (0.35, 0.7)]
        for place, at_s in enumerate(ends_s):
            one.page.resources.append(
                first.model_copy(update={"path": f"/{place}", "bytes": 1_000_000, "last_byte_s": at_s})
            )
        if one.flow is not None:
            number = sum((one.flow.arrived_s < at_s).astype(float) for at_s in ends_s) + 1
            one = dataclasses.replace(one, flow=one.flow._replace(sizes=one.flow.sizes * number))
        visits.append(one)
    assert _found(dataclasses.replace(found, visits=visits)) == ["stream-buffer"]


@pytest.mark.parametrize("window", [200_000, 480 * 1024])
def test_the_same_in_each_round_trip_is_a_fixed_window_whatever_its_size(window: int) -> None:
    wide = 4 * WIDE
    judged = judge(facts(Way(rate=wide), Way(rate=wide, window=window), size=12_000_000))
    (found,) = judged.findings
    assert found.trap.name == "fixed-window"
    assert "HAProxy: quic-cc-algo cubic(8m)" in advice(judged)


@pytest.mark.parametrize(("server", "told"), [("HAProxy", "HAProxy: "), ("nginx/1.30", "nginx: ")])
def test_the_advice_is_of_the_server_that_answers(server: str, told: str) -> None:
    offer = SOUND._replace(hops=(SOUND.hops[-1]._replace(server=server),))
    said = advice(judge(facts(h3=Way(window=200_000), offer=offer)))
    assert said.startswith(f"Change this first: fixed-window, {told}")
    assert ", or " not in said and ";." not in said
    unnamed = advice(judge(facts(h3=Way(window=200_000))))
    assert "HAProxy: " in unnamed and ", or nginx: " in unnamed


def test_a_window_as_large_as_the_clients_is_flow_control() -> None:
    for window in (65536, 128 * 1024):
        assert _found(_with_flow(facts(h3=Way(window=window)), windows=(window, None))) == ["flow-control"]


def test_a_server_that_says_so_is_held_by_flow_control() -> None:
    assert _found(_with_flow(facts(h3=Way(window=65536)), blocked=True)) == ["flow-control"]


def test_losses_of_udp_alone_that_strike_again_and_again_are_a_filter() -> None:
    assert _found(facts(h3=Way(loss=0.02, rate=WIDE / 5))) == ["udp-policed"]


def test_losses_of_udp_alone_at_once_from_a_sender_that_stands_still_are_bursts() -> None:
    found = facts(h3=Way(window=150_000))
    visits = []
    for one in found.visits:
        if one.flow is not None:
            at_s = tuple(float(one.flow.arrived_s[300]) + 0.001 * place for place in range(20))
            one = dataclasses.replace(one, flow=one.flow._replace(lost_runs=(3,) * 20, lost_at_s=at_s))
        visits.append(one)
    assert _found(dataclasses.replace(found, visits=visits)) == ["burst-loss"]


def test_bursts_that_are_lost_again_and_again_are_no_filter() -> None:
    found = facts(h3=Way(window=150_000))
    visits = []
    for one in found.visits:
        if one.flow is not None:
            ends = [float(one.flow.arrived_s[place]) for place in range(400, 2_000, 200)]
            at_s = tuple(end_s + 0.001 * place for end_s in ends for place in range(4))
            flow = one.flow._replace(lost_runs=(2,) * len(at_s), lost_at_s=at_s)
            one = dataclasses.replace(one, flow=flow)
        visits.append(one)
    assert _found(dataclasses.replace(found, visits=visits)) == ["burst-loss"]


def test_a_rate_that_no_control_has_which_backs_off_is_another_control() -> None:
    judged = judge(facts(Way(loss=0.01), Way(loss=0.01, rate=WIDE / 10)))
    assert [one.trap.name for one in judged.findings] == ["congestion-control"]


def test_losses_or_a_full_path_over_both_at_the_same_rate_are_the_networks() -> None:
    for way in (Way(loss=0.01), Way(rate=WIDE / 10)):
        judged = judge(facts(way, way))
        assert [one.trap.name for one in judged.beside] == ["network"]
    assert judge(facts()).beside == ()


def test_h2_that_waits_for_losses_is_told_and_is_no_finding() -> None:
    found = facts(Way(loss=0.01, rate=WIDE / 4), Way(loss=0.01))
    for one in found.of("h2"):
        one.page.resources.append(one.page.resources[0].model_copy(update={"path": "/other"}))
    judged = judge(found)
    assert judged.findings == ()
    assert [one.trap.name for one in judged.beside] == ["tcp-waits"]


@pytest.mark.parametrize(("sizes", "name"), [((1200, 1350), "mtu"), ((1200,), "mtu")])
def test_datagrams_that_die_by_their_length(sizes: tuple[int, ...], name: str) -> None:
    answered = tuple((size, size in sizes) for size in (1200, 1350, 1452))
    offer = SOUND._replace(sizes=answered)
    assert _found(Facts("x", [visit("h2"), _FAILED, _FAILED], offer)) == [name]


def test_a_handshake_that_goes_on_a_round_trip_later_is_amplification() -> None:
    found = facts()
    flow = found.of("h3")[0].flow
    assert flow is not None and flow.handshake is not None
    late = np.concatenate((flow.handshake.arrived_s, flow.handshake.arrived_s + TRIP_S))
    shake = flow.handshake._replace(arrived_s=late, took_s=2 * TRIP_S)
    assert _found(_with_flow(found, handshake=shake)) == ["amplification"]
    hello_retry = shake._replace(arrived_s=late[[0, 3, 4, 5]])
    assert _found(_with_flow(found, handshake=hello_retry)) == []


def test_a_retry_and_missing_tickets() -> None:
    flow = facts().of("h3")[0].flow
    assert flow is not None and flow.handshake is not None
    assert _found(_with_flow(facts(), handshake=flow.handshake._replace(retry=True))) == ["retry"]
    late = _with_flow(facts(), handshake=flow.handshake._replace(answer_s=2 * TRIP_S))
    assert _found(late) == []
    probed = dataclasses.replace(late, offer=SOUND._replace(retry=True))
    assert _found(probed) == ["retry"]
    for given in (True, False):
        none = dataclasses.replace(facts(), tickets=Tickets(False, None, given))
        assert _found(none) == ["no-tickets"]
        assert judge(none).findings[0].gain_s is None
    assert _found(dataclasses.replace(facts(), tickets=Tickets(True, False))) == []


def test_urgent_responses_that_wait_behind_large_ones() -> None:
    found = facts(Way(rate=WIDE / 5), Way(rate=WIDE / 5))
    for one in found.visits:
        first = one.page.resources[0]
        end_s = (first.last_byte_s or 0.0) * (0.9 if one.protocol == "h3" else 0.2)
        first.urgency = 3
        urgent = Resource(path="/late.css", urgency=0, bytes=30_000, request_s=0.19, last_byte_s=end_s)
        one.page.resources.append(urgent)
    assert _found(found) == ["priorities"]


def test_an_offer_that_is_missing_dead_or_at_the_wrong_port() -> None:
    bare = SOUND._replace(hops=(Hop("www.example.org", 443, None),))
    assert _found(facts(offer=bare)) == ["not-offered"]
    assert _found(facts(offer=bare._replace(record=True))) == []
    silent = Facts("x", [visit("h2"), _FAILED], bare._replace(answers=False))
    (found,) = judge(silent).findings
    assert found.seen.endswith("nor does a QUIC server answer.")
    assert found.trap.mends[0].setting.startswith("listen 443 quic reuseport;")
    dead = SOUND._replace(answers=False, answers_at_url=False, sizes=())
    assert _found(Facts("x", [visit("h2"), _FAILED], dead)) == ["offer-dead"]
    (wrong,) = judge(Facts("x", [visit("h2"), _FAILED], dead._replace(answers_at_url=True))).findings
    assert "the wrong port" in wrong.seen


def test_a_redirect_to_a_host_without_an_offer() -> None:
    hops = (Hop("example.org", 443, 'h3=":443"'), Hop("www.example.org", 443, None))
    offer = SOUND._replace(hops=hops, answers=False, sizes=())
    assert _found(Facts("x", [visit("h2"), _FAILED], offer)) == ["redirect"]
    assert _found(facts(offer=offer._replace(answers=True))) == ["redirect"]
    unknown = offer._replace(record=None, record_why="no resolver")
    assert _found(Facts("x", [visit("h2"), _FAILED], unknown)) == []


def test_an_address_that_does_not_answer() -> None:
    dead = (Address("192.0.2.1", True, True), Address("192.0.2.2", False, False))
    assert _found(dataclasses.replace(facts(), addresses=dead)) == ["dead-address"]
    deaf = (Address("192.0.2.1", True, True), Address("2001:db8::1", True, False))
    assert _found(dataclasses.replace(facts(), addresses=deaf)) == ["dead-address"]


def test_files_without_packets_tell_by_rates() -> None:
    visits = []
    rates: dict[Protocol, float] = {"h2": WIDE, "h3": 65536 / TRIP_S}
    for protocol, rate in rates.items():
        one = visit("h2", size=1_000_000)
        each = [
            Resource(path=path, bytes=1_000_000, first_byte_s=1.0, last_byte_s=1 + 1e6 / rate)
            for path in "ab"
        ]
        page = one.page.model_copy(update={"resources": each})
        visits.append(dataclasses.replace(one, protocol=protocol, page=page, disordered=None))
    assert _found(Facts("x", visits)) == ["stream-buffer"]


def test_what_may_give_most_stands_first_but_for_what_keeps_h3_from_being_used() -> None:
    bare = SOUND._replace(hops=(Hop("www.example.org", 443, None),))
    found = dataclasses.replace(facts(h3=Way(window=65536), offer=bare), tickets=Tickets(False, None, False))
    assert _found(found) == ["not-offered", "stream-buffer", "no-tickets"]


def test_the_parts_of_a_visit_add_up_to_its_time() -> None:
    page = visit("h2").page
    found = parts(page)
    assert sum(found.values()) == pytest.approx(page.load_s)
    assert found["set-up"] == pytest.approx(2 * TRIP_S)
    assert found["waiting"] == pytest.approx(TRIP_S)


@pytest.mark.parametrize(
    ("header", "offers", "where"),
    [
        ('h3=":443"; ma=86400', True, ("", 443)),
        ('h2="other:8443", h3="other.example:8443"', True, ("other.example", 8443)),
        ('h3-29=":443"', False, None),
        ('x="a,h3=b"', False, None),
        ("clear", False, None),
        ('h3=":0"', True, None),
        (None, False, None),
    ],
)
def test_what_alt_svc_offers(header: str | None, offers: bool, where: tuple[str, int] | None) -> None:
    assert offers_h3(header) is offers
    assert alternative(header) == where


def test_every_trap_says_what_else_it_could_be_and_what_mends_it() -> None:
    for one in TRAPS:
        assert one.otherwise
        assert one.mends or not one.harms
    assert len({one.name for one in TRAPS}) == len(TRAPS)


def test_no_setting_is_one_that_does_not_exist_or_that_plants_the_next_trap() -> None:
    """HAProxy: `tune.quic.frontend.*` have other names as of 3.3, and bound other things than these say."""
    settings = " ".join(mend.setting for one in TRAPS for mend in one.mends)
    assert "tune.quic.frontend" not in settings and "retry-threshold" not in settings
    assert "http3_stream_buffer_size 8m" not in settings


def test_a_flow_without_packet_numbers_has_no_loss() -> None:
    assert Flow(0.1, np.array([1.0]), np.array([1.0])).loss is None

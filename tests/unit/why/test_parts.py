"""Where a load's time went, of loads whose answer is known by construction: 20 ms each way, no rate unless
said, all times in seconds."""

from collections.abc import Mapping

import pytest

from pronghorn import why
from pronghorn.model.arrivals import UP
from pronghorn.model.trial import PageLoad
from pronghorn.model.why import PARTS
from tests.made_arrivals import MadeConnection, made, single_loss
from tests.unit.why.pages import page, resource


def _parts(load: PageLoad, *connections: MadeConnection, rate: float | None = None) -> Mapping[str, float]:
    """The parts that are not zero, which add up to the load's time."""
    found = why.divide(load, made(*connections), down_bit_per_s=rate)
    assert found.reason is None
    assert tuple(found.parts) == PARTS
    assert sum(found.parts.values()) == pytest.approx(load.load_s)
    return {part: seconds for part, seconds in found.parts.items() if seconds > 1e-9}


def test_without_the_time_of_its_beginning_a_load_is_not_divided_by_packets() -> None:
    load = _two("tcp").model_copy(update={"started_monotonic_s": None})
    found = why.divide(load, made(single_loss("tcp")))
    assert found.reason == "the client doesn't report when the load began"
    assert sum(found.parts.values()) == pytest.approx(load.load_s)


def _two(transport: str) -> PageLoad:
    """The page of `single_loss`: its second answer ends last over TCP, its first over QUIC."""
    ends = {"tcp": (0.130, 0.130), "quic": (0.130, 0.043)}[transport]
    return page(resource("/a", 0, 0, ends[0]), resource("/b", 0, 0, ends[1]))


def test_bytes_that_were_dropped_are_recovered() -> None:
    assert _parts(_two("quic"), single_loss("quic")) == pytest.approx({"request": 0.040, "recovery": 0.090})


def test_bytes_that_had_arrived_waited_at_the_head_of_the_line() -> None:
    found = _parts(_two("tcp"), single_loss("tcp"))
    assert found == pytest.approx({"request": 0.040, "congestion": 0.003, "head_of_line": 0.087})


@pytest.mark.parametrize(("transport", "stalled_s"), [("tcp", 0.089), ("quic", 0.0)])
def test_the_stalled_time_of_a_single_loss_is_what_a_hand_computes(transport: str, stalled_s: float) -> None:
    found = why.divide(_two(transport), made(single_loss(transport))).head_of_line
    assert found is not None
    assert found.counted == 2
    assert found.stalled_s == pytest.approx(stalled_s)
    assert found.own_stalled_s == pytest.approx(0.088)
    assert found.own_byte_seconds == pytest.approx(88)
    assert found.byte_seconds == pytest.approx(89 + 87 if stalled_s else 0)
    assert {one.path: one.stalled_s for one in found.streams}.get("/b", 0) == pytest.approx(stalled_s)


def test_nothing_waits_at_the_head_of_the_line_where_nothing_was_lost() -> None:
    connection = MadeConnection("tcp", "h2")
    connection.request(0, "/", 0, 0.020)
    for number in range(10):
        connection.down(0, 1000, 0.020 + number / 1000, 0.040 + number / 1000)
    found = why.divide(page(resource("/", 0, 0, 0.049)), made(connection)).head_of_line
    assert found is not None
    assert (found.stalled_s, found.own_stalled_s, found.streams) == (0, 0, [])


def test_a_server_that_thinks_is_the_servers_time() -> None:
    connection = MadeConnection()
    connection.request(0, "/", 0, 0.020)
    connection.down(0, 1000, 0.120, 0.140)
    found = _parts(page(resource("/", 0, 0, 0.140)), connection)
    assert found == pytest.approx({"request": 0.040, "server": 0.100})


def test_a_server_that_thinks_after_its_handshakes_last_words_is_the_servers_time() -> None:
    """A ticket that is on its way fills no window."""
    connection = MadeConnection("tcp", "h2")
    connection.request(0, "/", 0, 0.020)
    connection.down(-1, 250, 0.020, 0.040)
    connection.ack(0.080, 0.100)
    connection.down(0, 1000, 0.120, 0.140)
    found = _parts(page(resource("/", 0, 0, 0.140)), connection)
    assert found == pytest.approx({"request": 0.040, "server": 0.100})


def test_a_server_that_pauses_in_an_answer_is_the_servers_time_too() -> None:
    connection = MadeConnection()
    connection.request(0, "/", 0, 0.020)
    connection.down(0, 1000, 0.020, 0.040)
    connection.ack(0.040, 0.060)
    connection.down(0, 1000, 0.200, 0.220)
    found = _parts(page(resource("/", 0, 0, 0.220)), connection)
    assert found == pytest.approx({"request": 0.040, "server": 0.180})


def test_a_sender_that_goes_on_when_it_hears_waited_for_its_window() -> None:
    connection = MadeConnection()
    connection.request(0, "/", 0, 0.020)
    connection.down(0, 1000, 0.020, 0.040)
    connection.ack(0.040, 0.060)
    connection.down(0, 1000, 0.0605, 0.0805)
    found = _parts(page(resource("/", 0, 0, 0.0805)), connection)
    assert found == pytest.approx({"request": 0.040, "congestion": 0.0405})


def test_a_sender_that_sends_at_a_pace_waited_for_its_window_too() -> None:
    connection = MadeConnection()
    connection.request(0, "/", 0, 0.020)
    connection.down(0, 1000, 0.020, 0.040)
    connection.ack(0.040, 0.060)
    connection.down(0, 1000, 0.090, 0.110)
    found = _parts(page(resource("/", 0, 0, 0.110)), connection)
    assert found == pytest.approx({"request": 0.040, "congestion": 0.070})


def test_a_full_bottleneck_is_bandwidth() -> None:
    connection = MadeConnection()
    connection.request(0, "/", 0, 0.020)
    for number in range(5):
        connection.down(0, 1190, 0.020, 0.040 + 0.010 * (number + 1), queued_s=0.010 * number)
    found = _parts(page(resource("/", 0, 0, 0.090)), connection, rate=1e6)
    assert found == pytest.approx({"request": 0.040, "bandwidth": 0.050})


def test_what_began_before_the_page_is_another_loads() -> None:
    """The other load asks for the same path all along, and keeps the bottleneck busy."""
    other, connection = MadeConnection(client="10.0.0.1:49999"), MadeConnection()
    other.packet(UP, -1.0, -0.980)
    other.request(0, "/", 0, 0.020)
    for number in range(5):
        other.down(0, 1190, 0.020, 0.040 + 0.010 * number)
    connection.request(0, "/", 0, 0.020)
    connection.down(0, 1000, 0.120, 0.140)
    found = _parts(page(resource("/", 0, 0, 0.140)), other, connection)
    assert found == pytest.approx({"request": 0.040, "server": 0.100})


def test_a_window_of_the_receiver_that_is_full_is_flow_control() -> None:
    connection = MadeConnection()
    connection.limit("0", 0.0, 2000)
    connection.limit("connection", 0.0, 10_000)
    connection.request(0, "/", 0, 0.020)
    connection.down(0, 1000, 0.020, 0.040)
    connection.down(0, 1000, 0.021, 0.041)
    connection.ack(0.041, 0.061)
    connection.limit("0", 0.100, 5000)
    connection.down(0, 1000, 0.1001, 0.1201)
    found = _parts(page(resource("/", 0, 0, 0.1201)), connection)
    assert found["flow_control"] == pytest.approx(0.079)
    assert found["request"] == pytest.approx(0.040)


@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_a_lost_first_packet_is_recovered_in_the_handshake(transport: str) -> None:
    kinds = {"tcp": ("SYN", "SYN ACK"), "quic": ("Initial", "Initial+Handshake")}[transport]
    connection = MadeConnection(transport, {"tcp": "h2", "quic": "h3"}[transport])
    connection.packet(UP, 0.0, None, kind=kinds[0])
    connection.packet(UP, 1.0, 1.020, kind=kinds[0], again=True)
    connection.packet(0, 1.020, 1.040, kind=kinds[1])
    connection.request(0, "/", 1.040, 1.060)
    connection.down(0, 1000, 1.060, 1.080)
    found = _parts(page(resource("/", 0, 1.040, 1.080), secured_s=1.040), connection)
    assert found == pytest.approx({"handshake": 0.040, "recovery": 1.0, "request": 0.040})


def test_what_came_for_nothing_since_its_keys_were_lost_is_recovered_with_them() -> None:
    """The server's second packet has to be sent again too, since the first one's keys open it."""
    connection = MadeConnection()
    connection.packet(UP, 0.0, 0.020, kind="Initial")
    connection.packet(0, 0.020, None, kind="Initial")
    connection.packet(0, 0.020, 0.040, kind="Handshake")
    connection.packet(0, 0.200, 0.220, kind="Initial", again=True)
    connection.packet(0, 0.400, 0.420, kind="Handshake", again=True)
    connection.request(0, "/", 0.420, 0.440)
    connection.down(0, 1000, 0.440, 0.460)
    found = _parts(page(resource("/", 0, 0.420, 0.460), secured_s=0.420), connection)
    assert found == pytest.approx({"handshake": 0.040, "recovery": 0.380, "request": 0.040})


def test_a_lost_request_is_recovered() -> None:
    connection = MadeConnection()
    connection.streams.append({"id": 0, "method": "GET", "path": "/", "request_sent_s": 0.0})
    connection.packet(UP, 0.0, None)
    connection.packet(UP, 0.300, 0.320, again=True)
    connection.down(0, 1000, 0.320, 0.340)
    found = _parts(page(resource("/", 0, 0, 0.340)), connection)
    assert found == pytest.approx({"request": 0.040, "recovery": 0.300})


def test_a_sender_that_waits_for_word_of_what_was_lost_is_in_recovery() -> None:
    connection = MadeConnection()
    connection.request(0, "/", 0, 0.020)
    lost = connection.down(0, 1000, 0.020, None)
    connection.again(lost, 0.200, 0.220)
    connection.ack(0.220, 0.240)
    connection.down(0, 1000, 0.240, 0.260)
    found = _parts(page(resource("/", 0, 0, 0.260)), connection)
    assert found["recovery"] == pytest.approx(0.180)
    assert found["request"] == pytest.approx(0.040)


def test_a_repair_that_is_lost_itself_is_still_recovery() -> None:
    """One of two that left at one moment is lost, then its repair; what comes next waited for word of it."""
    connection = MadeConnection()
    connection.request(0, "/", 0, 0.020)
    connection.down(0, 1000, 0.020, 0.040)
    lost = connection.down(0, 1000, 0.020, None)
    connection.ack(0.040, 0.060)
    connection.again(lost, 0.070, None)
    connection.again(lost, 0.300, 0.320)
    connection.ack(0.320, 0.340)
    connection.down(0, 1000, 0.340, 0.360)
    found = _parts(page(resource("/", 0, 0, 0.360)), connection)
    assert found["recovery"] == pytest.approx(0.280)
    assert found["request"] == pytest.approx(0.040)
    assert "server" not in found


def test_a_lost_one_of_two_requests_that_left_together_is_the_one_that_was_sent_again() -> None:
    connection = MadeConnection()
    connection.request(0, "/", 0, 0.020)
    connection.streams.append({"id": 4, "method": "GET", "path": "/late", "request_sent_s": 0.0})
    connection.packet(UP, 0.0, None)
    connection.down(0, 1000, 0.020, 0.040)
    connection.packet(UP, 0.200, 0.220, again=True)
    connection.down(4, 1000, 0.220, 0.240)
    load = page(resource("/", 0, 0, 0.040), resource("/late", 0, 0, 0.240))
    assert _parts(load, connection) == pytest.approx({"request": 0.040, "recovery": 0.200})


def test_the_chain_goes_back_by_the_initiator_and_the_handshake() -> None:
    connection = MadeConnection()
    connection.request(0, "/", 0.050, 0.070)
    connection.down(0, 1000, 0.070, 0.090)
    connection.request(4, "/late.js", 0.095, 0.115)
    connection.down(4, 1000, 0.115, 0.135)
    load = page(
        resource("/", 0.0, 0.050, 0.090),
        resource("/late.js", 0.095, 0.095, 0.136, initiator="/"),
        secured_s=0.048,
    )
    assert _parts(load, connection) == pytest.approx(
        {"handshake": 0.048, "request": 0.080, "client": 0.002 + 0.005 + 0.001}
    )


def test_an_answer_that_kept_its_connection_busy_is_on_the_chain() -> None:
    connection = MadeConnection("tcp", "h1")
    connection.request(0, "/a", 0.0, 0.020)
    connection.down(0, 1000, 0.120, 0.140)
    connection.request(1, "/b", 0.140, 0.160)
    connection.down(1, 1000, 0.160, 0.180)
    load = page(resource("/a", 0, 0, 0.140), resource("/b", 0, 0.140, 0.180))
    assert _parts(load, connection) == pytest.approx({"request": 0.080, "server": 0.100})


def test_without_arrivals_the_wait_for_answers_is_not_told_apart() -> None:
    load = page(resource("/", 0.0, 0.050, 0.090), secured_s=0.049)
    found = why.divide(load, None, missing="the path is direct")
    assert found.reason == "the path is direct"
    assert found.head_of_line is None
    assert {part: seconds for part, seconds in found.parts.items() if seconds} == pytest.approx(
        {"handshake": 0.049, "client": 0.001, "other": 0.040}
    )


def test_a_client_without_times_has_one_part_that_says_so() -> None:
    load = PageLoad(outcome="ok", load_s=0.5)
    found = why.divide(load, None, missing="no arrivals")
    assert {part: seconds for part, seconds in found.parts.items() if seconds} == {"other": 0.5}


def test_a_load_that_failed_has_no_parts() -> None:
    found = why.divide(PageLoad(outcome="failed", reason="timeout"), None)
    assert (found.parts, found.reason) == ({}, "the load failed")


def _set_up_over_tcp() -> MadeConnection:
    """Two round trips, then a request; what is sent again later has nothing to do with it."""
    connection = MadeConnection("tcp", "h2")
    connection.packet(UP, 0.0, 0.020, kind="SYN", says=("SYN",))
    return connection


def _goes_on_over_tcp(connection: MadeConnection) -> PageLoad:
    connection.packet(0, 0.020, 0.040, kind="SYN ACK", says=("SYN ACK",))
    connection.packet(UP, 0.040, None, kind="ACK", says=("ACK",))
    connection.packet(UP, 0.041, 0.061, kind="data", says=("ClientHello",))
    connection.packet(0, 0.061, 0.081, kind="data", says=("ServerHello",))
    connection.request(0, "/", 0.081, 0.101)
    connection.down(0, 1000, 0.101, 0.121)
    connection.packet(UP, 0.200, 0.220, kind="data", again=True)
    return page(resource("/", 0, 0.081, 0.121), secured_s=0.081)


def test_nobody_waits_for_a_lost_acknowledgement_in_a_set_up() -> None:
    connection = _set_up_over_tcp()
    load = _goes_on_over_tcp(connection)
    assert _parts(load, connection) == pytest.approx({"handshake": 0.081, "request": 0.040})


def test_nobody_waits_for_a_packet_of_which_the_links_copy_alone_was_lost() -> None:
    connection = _set_up_over_tcp()
    connection.packet(UP, 0.0, None, kind="SYN", fate="duplicate", says=("SYN",))
    load = _goes_on_over_tcp(connection)
    assert _parts(load, connection) == pytest.approx({"handshake": 0.081, "request": 0.040})


def test_nobody_waits_for_a_lost_packet_whose_copy_arrived() -> None:
    connection = MadeConnection("tcp", "h2")
    connection.packet(UP, 0.0, None, kind="SYN", says=("SYN",))
    connection.packet(UP, 0.0, 0.020, kind="SYN", fate="duplicate", says=("SYN",))
    load = _goes_on_over_tcp(connection)
    assert _parts(load, connection) == pytest.approx({"handshake": 0.081, "request": 0.040})


def test_a_request_over_quic_doesn_t_wait_for_a_lost_acknowledgement() -> None:
    connection = MadeConnection()
    connection.packet(UP, 0.0, 0.020, kind="Initial", says=("ClientHello",))
    connection.packet(0, 0.020, 0.040, kind="Initial+Handshake", says=("ServerHello", "Finished"))
    connection.packet(UP, 0.040, None, kind="Initial", says=("ACK",))
    connection.packet(UP, 0.041, 0.061, kind="Handshake", says=("Finished",))
    connection.request(0, "/", 0.041, 0.061)
    connection.packet(UP, 0.200, 0.220, again=True)
    connection.down(0, 1000, 0.300, 0.320)
    found = _parts(page(resource("/", 0, 0.041, 0.320), secured_s=0.041), connection)
    assert found == pytest.approx({"handshake": 0.041, "request": 0.040, "server": 0.239})

"""Handshake ladders stand where the packets' times say."""

import re
from pathlib import Path

import pytest

from pronghorn.model.arrivals import DOWN, UP, Unreadable
from pronghorn.report.canvas import number
from pronghorn.report.ladder import Ladders, ladders
from pronghorn.report.ladder.drawing import HEIGHT, Column, drawing
from pronghorn.report.ladder.labels import LINE_PX, labels
from pronghorn.report.ladder.rungs import Rung, ladder
from pronghorn.report.ladder.scale import down
from tests.made_arrivals import MadeConnection, made

from .arrived_loads import OFFSET_S, by_arm, cell_of, left, over_quic, over_tcp


def shown(run: Path, *connections: MadeConnection, arm: str = "h2") -> Ladders:
    trials = [left(run, arm, 0, 1.2, *connections)]
    found = ladders(cell_of(trials), by_arm(trials), run)
    assert found is not None
    return found


def test_the_phases_of_tcp_and_tls_are_those_of_the_packets() -> None:
    found = ladder(made(over_tcp()), OFFSET_S)
    assert [phase.name for phase in found.phases] == ["TCP", "TLS", "request"]
    times = [time for phase in found.phases for time in (phase.from_s, phase.to_s)]
    assert times == pytest.approx([0.01, 1.05, 1.05, 1.092, 1.0921, 1.133])
    assert found.way_s == pytest.approx(0.02)


def test_quic_has_one_handshake() -> None:
    found = ladder(made(over_quic()), OFFSET_S)
    assert [(phase.name, round(phase.to_s - phase.from_s, 6)) for phase in found.phases] == [
        ("QUIC", 0.042),
        ("request", 0.041),
    ]


def test_with_tls_1_2_the_servers_finished_is_the_last() -> None:
    connection = MadeConnection("tcp", "h1")
    for place, says in enumerate(("SYN", "SYN ACK", "ClientHello", "ServerHello", "Finished", "Finished")):
        connection.packet(UP if place % 2 == 0 else DOWN, place / 50, (place + 1) / 50, says=(says,))
    tcp, tls = ladder(made(connection), 0.0).phases
    assert (tcp.name, tls.name) == ("TCP", "TLS")
    assert [tcp.from_s, tcp.to_s, tls.from_s, tls.to_s] == pytest.approx([0.0, 0.04, 0.04, 0.12])


def test_the_connection_of_the_first_request_stands_for_the_load() -> None:
    later = over_quic()
    for one in (*later.packets, *later.streams):
        for name in {"sent_s", "arrived_s", "request_sent_s"} & set(one):
            one[name] += 1.0
    found = ladder(made(later, over_quic()), OFFSET_S)
    assert found.begin_s == pytest.approx(0.01)
    assert found.others == 1


def test_every_packet_is_drawn_from_where_it_left_to_where_it_arrived() -> None:
    found = ladder(made(over_tcp()), OFFSET_S)
    drawn = drawing([Column("h2", 0, found)])
    axis = down([found.begin_s], [found.end_s], 40, HEIGHT)
    lines = re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)M", drawn)
    client, server = (
        re.findall(rf'<text x="([\d.]+)"[^>]*>{end}<', drawn)[0] for end in ("client", "server")
    )
    expected = {
        (*((client, y, server) if rung.up else (server, y, client)), number(axis.y(rung.arrived_s)))
        for rung in found.rungs
        if rung.arrived_s is not None
        for y in [number(axis.y(rung.sent_s))]
    }
    (stub,) = set(lines) - expected
    assert set(lines) - {stub} == expected
    assert len(lines) == len(found.rungs)


def test_a_dropped_packet_ends_in_a_cross_on_half_of_the_way_and_says_why() -> None:
    found = ladder(made(over_tcp()), OFFSET_S)
    drawn = drawing([Column("h2", 0, found)])
    axis = down([found.begin_s], [found.end_s], 40, HEIGHT)
    (lost,) = re.findall(
        r'stroke="var\(--bad\)" stroke-width="1.8" d="M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)M', drawn
    )
    assert lost == (number(axis.y(0.01)), number(axis.y(0.01 + 0.02 / 2)))
    assert "→\u00a0SYN (dropped: loss)" in drawn
    assert "→\u00a0SYN (again)" in drawn
    assert drawn.count("stroke-dasharray") == 1


def test_more_labels_than_there_is_room_for_make_the_ladder_longer() -> None:
    connection = MadeConnection("tcp", "h2")
    connection.packet(1, 0.0, 0.01, says=("SYN",))
    for each in range(60):
        connection.packet(1, 10 + each, 10 + each + 0.01, again=each % 2 == 0, says=(f"message {each}",))
    drawn = drawing([Column("h2", 0, ladder(made(connection), 0.0))])
    (height,) = re.findall(r'<svg [^>]*height="(\d+)"', drawn)
    assert int(height) > 61 * LINE_PX > HEIGHT


def test_no_label_stands_upon_another() -> None:
    rungs = [
        Rung(bool(n % 2), n / 1e5, n / 1e5, (f"message {n}",), "data", 100, None, False) for n in range(25)
    ]
    found = labels(rungs, lambda rung: 200 + 1e4 * rung.sent_s, 12, 0.0, 700.0)
    tops = [label.middle_px - LINE_PX * len(label.lines) / 2 for label in found]
    bottoms = [label.middle_px + LINE_PX * len(label.lines) / 2 for label in found]
    assert all(top >= bottom - 1e-9 for top, bottom in zip(tops[1:], bottoms, strict=False))
    assert bottoms[-1] <= 700


def test_packets_close_together_share_a_label_and_bare_acknowledgements_have_none() -> None:
    drawn = drawing([Column("h2", 0, ladder(made(over_tcp()), OFFSET_S))])
    said = " ".join(re.findall(r">([^<]+)</text>", drawn)).replace("\u00a0", " ")
    assert "← ServerHello, EncryptedExtensions, Certificate, CertificateVerify, Finished (2 packets)" in said
    assert "ACK" not in said.replace("SYN ACK", "")


def test_a_message_that_goes_on_in_the_next_packet_is_named_once() -> None:
    connection = MadeConnection()
    connection.packet(UP, 0.0, 0.02, kind="Initial", says=("ClientHello",))
    connection.packet(UP, 0.0, 0.02, kind="Initial", says=("ClientHello, continued",))
    connection.packet(UP, 5.0, 5.02, kind="Initial", again=True, says=("ClientHello, continued", "PING"))
    drawn = drawing([Column("h3", 0, ladder(made(connection), 0.0))])
    said = " ".join(re.findall(r">([^<]+)</text>", drawn)).replace("\u00a0", " ")
    assert "→ ClientHello (2 packets) → ClientHello, continued (again)" in said


def test_what_stands_beneath_tells_the_phases_and_the_data_every_packet(tmp_path: Path) -> None:
    found = shown(tmp_path, over_tcp())
    assert found.arms[0].about == (
        "block 0 · load 1.20 s · TCP 1.04 s · TLS 42.0 ms · request 40.9 ms · first byte of the "
        "content arrived at 1.13 s · the client had the response's header at 300 ms · 1 packet "
        "dropped · 1 retransmitted"
    )
    assert found.data is not None
    assert found.data.csv.splitlines()[1:3] == [
        "h2,to the server,SYN,SYN,0.01,,100,loss,no",
        "h2,to the server,SYN,SYN,1.01,1.03,100,,yes",
    ]
    assert len(found.data.rows) == 10


def test_the_axis_begins_before_the_load_where_its_connection_did() -> None:
    axis = down([-0.1], [0.4], 0.0, 500.0)
    assert axis.y(-0.1) == 0.0
    assert axis.ticks_s[0] == pytest.approx(-0.1)
    assert axis.label(axis.ticks_s[0]) == "-100 ms"


@pytest.mark.parametrize(
    ("connections", "said"),
    [
        ((), "saw none of its connections"),
        ((MadeConnection(why_not="no secrets"),), "its handshake could not be read: no secrets"),
    ],
)
def test_an_arm_without_a_ladder_says_why(
    tmp_path: Path, connections: tuple[MadeConnection, ...], said: str
) -> None:
    found = shown(tmp_path, *connections)
    assert found.drawing is None
    assert found.data is None
    assert said in found.faults[0]


def test_a_connection_of_an_earlier_visit_has_no_ladder() -> None:
    kept = MadeConnection()
    kept.request(0, "/", 0.0, 0.02)
    with pytest.raises(Unreadable, match="established before the load"):
        ladder(made(kept), 0.0)


def test_what_runs_beside_the_load_is_none_of_its_connections(tmp_path: Path) -> None:
    beside = over_tcp()
    for one in (*beside.packets, *beside.streams):
        for name in {"sent_s", "arrived_s", "request_sent_s"} & set(one):
            one[name] = None if one[name] is None else one[name] - 2.0
    found = shown(tmp_path, beside, over_quic(), arm="h3")
    assert "QUIC 42.0 ms" in found.arms[0].about
    assert "not shown" not in found.arms[0].about


def test_arrivals_with_gaps_are_not_drawn() -> None:
    with pytest.raises(Unreadable, match="3 packets were not recorded"):
        ladder(made(over_quic()).model_copy(update={"missing_records": 3}), 0.0)


def test_two_drawings_of_one_load_are_the_same(tmp_path: Path) -> None:
    trials = [left(tmp_path, "h2", 0, 1.2, over_tcp()), left(tmp_path, "h3", 0, 0.2, over_quic())]
    assert ladders(cell_of(trials), by_arm(trials), tmp_path) == ladders(
        cell_of(trials), by_arm(trials), tmp_path
    )


def test_a_packet_still_on_its_way_at_the_end_is_neither_drawn_nor_told_as_dropped(tmp_path: Path) -> None:
    connection = over_quic()
    connection.packet(UP, 0.07, None, fate="in flight", says=("request",))
    rungs = ladder(made(connection), 0.0).rungs
    assert all(rung.fate is None for rung in rungs)
    trials = [left(tmp_path, "h3", 0, 0.3, connection)]
    found = ladders(cell_of(trials), by_arm(trials), tmp_path)
    assert found is not None
    assert "dropped" not in found.arms[0].about


def test_a_handshake_of_which_nothing_had_arrived_or_been_dropped_is_not_taken_for_an_earlier_one() -> None:
    connection = MadeConnection("tcp", "h2")
    connection.packet(UP, 0.0, None, kind="SYN", fate="in flight", says=("SYN",))
    with pytest.raises(Unreadable, match="had not arrived"):
        ladder(made(connection), 0.0)

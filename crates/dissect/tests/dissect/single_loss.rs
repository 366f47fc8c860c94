//! A packet is lost; who waits for whom, and for how long, is worked out by hand.
//!
//! The server sends at 30, 31, 32, 33 ms a thousand bytes each: of the first response, of the first, of the second, of the
//! first; the packet at 31 ms is lost and what it held is sent again at 130 ms. Each is 10 ms on its way.

use pronghorn_path::Direction::{Down, Up};

use crate::made::{Trace, pieces, quic, tcp};

#[test]
fn over_tcp_the_other_response_waits_for_the_lost_packet() {
    let mut trace = Trace::default();
    tcp::begin(&mut trace);
    let lost = [&tcp::data(1, 2000)[1000..], &[]].concat();
    trace.pass(Down, 30, tcp::segment(Down, 0, &tcp::data(1, 2000)[..1000]));
    trace.lose(Down, 31, tcp::segment(Down, 1000, &lost));
    trace.pass(Down, 32, tcp::segment(Down, 2000, &tcp::data(3, 1000)));
    trace.pass(Down, 33, tcp::segment(Down, 3000, &tcp::data(1, 1000)));
    trace.pass(Down, 130, tcp::segment(Down, 1000, &lost));
    let told = trace.dissected("");
    let connection = &told.connections[0];
    assert_eq!(
        (connection.protocol, connection.why_not.as_deref()),
        (Some("h2"), None)
    );
    let both = |ms: f64| Some(ms);
    assert_eq!(
        pieces(connection),
        [
            (1, 0, 1000, 40.0, both(40.0), both(40.0)),
            // Of a stream of which nothing is missing: 98 ms of head-of-line blocking.
            (3, 0, 1000, 42.0, both(140.0), both(42.0)),
            // Of the stream that lacks a packet: it waits for its own.
            (1, 2000, 1000, 43.0, both(140.0), both(140.0)),
            (1, 1000, 1000, 140.0, both(140.0), both(140.0)),
        ]
    );
    assert_eq!(connection.pieces.first_fate[3], Some("loss"));
    assert_eq!(connection.pieces.first_sent_s[3], 0.031);
    assert_eq!(
        connection.packets.again,
        [false, false, false, false, false, false, false, true]
    );
    let requests: Vec<_> = connection
        .streams
        .iter()
        .map(|stream| (stream.id, stream.request_sent_s))
        .collect();
    assert_eq!(requests, [(1, Some(0.02)), (3, Some(0.02))]);
}

#[test]
fn over_quic_nobody_waits_for_another_stream() {
    let mut trace = Trace::default();
    quic::begin(&mut trace);
    trace.pass(
        Down,
        30,
        quic::packet(Down, 0, 0, &quic::stream(0, 0, 1000)),
    );
    trace.lose(
        Down,
        31,
        quic::packet(Down, 1, 0, &quic::stream(0, 1000, 1000)),
    );
    trace.pass(
        Down,
        32,
        quic::packet(Down, 2, 0, &quic::stream(4, 0, 1000)),
    );
    trace.pass(
        Down,
        33,
        quic::packet(Down, 3, 0, &quic::stream(0, 2000, 1000)),
    );
    trace.pass(
        Down,
        130,
        quic::packet(Down, 4, 0, &quic::stream(0, 1000, 1000)),
    );
    let told = trace.dissected(&quic::key_log());
    let connection = &told.connections[0];
    assert_eq!(
        (connection.protocol, connection.undecrypted),
        (Some("h3"), 0)
    );
    let both = |ms: f64| Some(ms);
    assert_eq!(
        pieces(connection),
        [
            (0, 0, 1000, 40.0, both(40.0), both(40.0)),
            (4, 0, 1000, 42.0, both(42.0), both(42.0)),
            (0, 2000, 1000, 43.0, both(140.0), both(140.0)),
            (0, 1000, 1000, 140.0, both(140.0), both(140.0)),
        ]
    );
    assert!(
        connection.packets.again[7],
        "the last packet's bytes had been sent"
    );
    assert_eq!(connection.packets.kind[1], "Initial+Handshake");
    let paths: Vec<_> = connection
        .streams
        .iter()
        .filter_map(|stream| stream.path.as_deref())
        .collect();
    assert_eq!(paths, ["/", "/"]);
}

#[test]
fn keys_are_updated_in_both_directions_more_than_once() {
    let mut trace = Trace::default();
    quic::begin(&mut trace);
    for (number, updates) in [(1, 1), (2, 1), (3, 2)] {
        trace.pass(
            Up,
            30 + u64::from(number),
            quic::packet(Up, number, updates, &[0x01; 8]),
        );
        let frames = quic::stream(0, 100 * number, 100);
        trace.pass(
            Down,
            40 + u64::from(number),
            quic::packet(Down, number, updates, &frames),
        );
    }
    let told = trace.dissected(&quic::key_log());
    assert_eq!(told.connections[0].undecrypted, 0);
    assert_eq!(
        told.connections[0]
            .pieces
            .length
            .iter()
            .filter(|length| **length == 100)
            .count(),
        3
    );
}

#[test]
fn what_no_secret_opens_is_counted_and_said() {
    let mut trace = Trace::default();
    quic::begin(&mut trace);
    trace.pass(
        Down,
        30,
        quic::packet(Down, 0, 0, &quic::stream(0, 0, 1000)),
    );
    let told = trace.dissected("");
    let connection = &told.connections[0];
    // The server's Handshake packet, the requests, the response.
    assert_eq!((connection.protocol, connection.undecrypted), (None, 3));
    assert_eq!(
        connection.why_not.as_deref(),
        Some("the key log has no secret of it")
    );
    assert_eq!(connection.packets.kind[3], "1-RTT");
}

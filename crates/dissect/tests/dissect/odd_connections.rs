//! Connections whose beginning isn't plain: refused, asked to come again, sharing a socket.

use pronghorn_dissect::Connection;
use pronghorn_path::Direction::{Down, Up};

use crate::made::{Trace, pieces, quic, tcp};

/// A request and its response of a hundred bytes, behind the hellos.
fn exchange(trace: &mut Trace, destination: &[u8]) {
    trace.pass(Down, 50, quic::server_hello(destination));
    trace.pass(Up, 60, quic::packet(Up, 5, 0, &quic::request(0)));
    trace.pass(Down, 70, quic::packet(Down, 1, 0, &quic::stream(0, 0, 100)));
}

fn is_read(connection: &Connection) {
    assert_eq!(
        (connection.protocol, connection.undecrypted),
        (Some("h3"), 0)
    );
    assert_eq!(connection.streams[0].path.as_deref(), Some("/"));
    assert_eq!(
        pieces(connection),
        [(0, 0, 100, 80.0, Some(80.0), Some(80.0))]
    );
}

#[test]
fn a_client_that_never_got_the_retry_goes_on_as_it_began() {
    let mut trace = Trace::default();
    trace.pass(Up, 0, quic::client_hello(&quic::ORIGINAL, 0));
    trace.lose(Down, 10, quic::retry(&[8; 8]));
    trace.pass(Up, 20, quic::client_hello(&quic::ORIGINAL, 1));
    trace.pass(Down, 30, quic::retry(&[9; 8]));
    trace.pass(Up, 40, quic::client_hello(&[9; 8], 2));
    exchange(&mut trace, &[9; 8]);
    let told = trace.dissected(&quic::key_log());
    assert_eq!(told.connections.len(), 1);
    is_read(&told.connections[0]);
}

#[test]
fn of_two_retries_the_client_heeds_the_first() {
    let mut trace = Trace::default();
    trace.pass(Up, 0, quic::client_hello(&quic::ORIGINAL, 0));
    trace.pass(Up, 5, quic::client_hello(&quic::ORIGINAL, 1));
    trace.pass(Down, 10, quic::retry(&[8; 8]));
    trace.pass(Down, 15, quic::retry(&[9; 8]));
    trace.pass(Up, 40, quic::client_hello(&[8; 8], 2));
    exchange(&mut trace, &[8; 8]);
    let told = trace.dissected(&quic::key_log());
    assert_eq!(told.connections.len(), 1);
    is_read(&told.connections[0]);
}

#[test]
fn a_server_that_refuses_a_connection_didn_t_begin_it_before() {
    let mut trace = Trace::default();
    trace.pass(Up, 0, tcp::with_flags(Up, 1000, tcp::SYN, b""));
    trace.pass(Down, 10, tcp::with_flags(Down, 0, tcp::RST | tcp::ACK, b""));
    let told = trace.dissected("");
    let connection = &told.connections[0];
    assert_eq!(connection.packets.kind, ["SYN", "RST"]);
    assert_eq!(connection.why_not, None);
}

#[test]
fn what_is_left_of_an_earlier_connection_between_the_sockets_spoils_nothing() {
    for late in [-5, 5] {
        let mut trace = Trace::default();
        let left = tcp::with_flags(Down, 77, tcp::ACK, b"of before");
        if late < 0 {
            trace.pass(Down, 0, left.clone());
        }
        trace.pass(Up, 1, tcp::with_flags(Up, 1000, tcp::SYN, b""));
        if late > 0 {
            trace.pass(Down, 5, left);
        }
        trace.pass(
            Down,
            11,
            tcp::with_flags(Down, 2000, tcp::SYN | tcp::ACK, b""),
        );
        trace.pass(
            Up,
            20,
            tcp::with_flags(Up, 1001, tcp::ACK, b"GET / HTTP/1.1\r\n\r\n"),
        );
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx";
        trace.pass(Down, 30, tcp::with_flags(Down, 2001, tcp::ACK, answer));
        let told = trace.dissected("");
        let connection = told.connections.last().expect("there is one");
        assert_eq!(
            (connection.protocol, connection.why_not.as_deref()),
            (Some("h1"), None)
        );
        assert_eq!(
            pieces(connection),
            [(0, 0, 39, 40.0, Some(40.0), Some(40.0))]
        );
    }
}

#[test]
fn a_request_counts_from_where_it_was_taken_if_early_data_was_not() {
    let mut trace = Trace::default();
    trace.pass(Up, 0, quic::client_hello(&quic::ORIGINAL, 0));
    trace.pass(Up, 1, quic::early(0, &quic::request(0)));
    trace.pass(Down, 10, quic::server_hello(&quic::ORIGINAL));
    trace.pass(Up, 11, quic::early(1, &quic::request(4)));
    let both = [quic::request(0), quic::request(4)].concat();
    trace.pass(Up, 20, quic::packet(Up, 2, 0, &both));
    trace.pass(Down, 70, quic::packet(Down, 1, 0, &quic::stream(0, 0, 100)));
    let told = trace.dissected(&quic::key_log());
    let connection = &told.connections[0];
    is_read(connection);
    let sent: Vec<_> = connection
        .streams
        .iter()
        .map(|stream| stream.request_sent_s)
        .collect();
    assert_eq!(sent, [Some(0.02), Some(0.02)]);
    assert_eq!(connection.packets.kind[1], "0-RTT");
}

#[test]
fn a_secret_of_no_suite_s_length_is_passed_over() {
    let mut trace = Trace::default();
    quic::begin(&mut trace);
    let long = quic::key_log().replace(&"04".repeat(32), &"04".repeat(65));
    let told = trace.dissected(&long);
    assert_eq!(told.connections.len(), 1);
}

#[test]
fn two_connections_of_a_socket_are_told_apart_by_their_connection_ids() {
    let mut trace = Trace::default();
    quic::begin(&mut trace);
    trace.pass(Up, 25, quic::client_hello_from(&[2; 3], &[6; 8], 0));
    trace.pass(Down, 70, quic::packet(Down, 1, 0, &quic::stream(0, 0, 100)));
    let told = trace.dissected(&quic::key_log());
    is_read(&told.connections[0]);
    assert_eq!(told.connections[1].packets.kind, ["Initial"]);
}

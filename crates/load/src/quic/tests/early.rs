//! Sessions that are resumed, with early data and without.

use std::sync::Arc;
use std::time::Instant;

use rustls::client::Resumption;

use super::super::QuicClient;
use super::client::{Driven, client, get, tls};
use super::server::{Certificate, Kind, Server, answer_all, response};
use crate::connection::{Connection, Event, Handshake};

/// TLS that keeps sessions.
fn keeping(certificate: &Certificate, early: bool) -> rustls::ClientConfig {
    let mut tls = tls(certificate);
    tls.resumption = Resumption::in_memory_sessions(8);
    tls.enable_early_data = early;
    tls
}

fn serve(certificate: &Certificate, status: u16) -> Server {
    Server::start(certificate, Kind::default(), move |connection| {
        answer_all(connection, response(status, b"ok"))
    })
}

/// Makes a connection and a request on it, after whose response the server's tickets are there.
fn gain(client: &Arc<QuicClient>) {
    let mut driven = Driven::open(client);
    driven.until(|driven| driven.connection.room() > 0);
    driven.ask_for(1);
    assert_eq!(driven.done().len(), 1);
}

fn handshake(driven: &Driven) -> Handshake {
    let mut handshakes = driven.events.iter().filter_map(|event| match event {
        Event::Connected(handshake) => Some(*handshake),
        _ => None,
    });
    handshakes.next().expect("it is connected")
}

/// A connection whose requests went as early data.
fn early(client: &Arc<QuicClient>, requests: u32) -> Driven {
    let mut driven = Driven::open(client);
    assert_eq!(driven.connection.room(), 0);
    driven.connection.flush(Instant::now(), &mut driven.events);
    assert!(matches!(driven.events[..], [Event::Ready { early: true }]));
    for ticket in 0..requests {
        driven.ask(ticket, &get());
    }
    driven.until(|driven| driven.over() == requests as usize);
    driven
}

#[test]
fn a_session_is_resumed() {
    let certificate = Certificate::new();
    let server = serve(&certificate, 200);
    let client = client(keeping(&certificate, false), server.address, 2);
    gain(&client);
    let mut driven = Driven::open(&client);
    driven.until(|driven| driven.connection.room() > 0);
    let expected = Handshake {
        resumed: true,
        early_data_accepted: false,
    };
    assert_eq!(handshake(&driven), expected);
    let tls = driven.connection.facts().tls.expect("QUIC has no clear");
    assert_eq!(tls.resumed, Some(true));
}

#[test]
fn early_data_is_answered() {
    let certificate = Certificate::new();
    let server = serve(&certificate, 200);
    let client = client(keeping(&certificate, true), server.address, 5);
    gain(&client);
    let mut driven = early(&client, 5);
    let expected = Handshake {
        resumed: true,
        early_data_accepted: true,
    };
    assert_eq!(handshake(&driven), expected);
    assert_eq!(driven.done().len(), 5);
    driven.events.clear();
    driven.ask_for(20);
    assert_eq!(driven.done().len(), 20);
}

#[test]
fn rejected_early_data_may_be_sent_again() {
    let certificate = Certificate::new();
    // Neither knows the other's tickets.
    let (one, other) = (serve(&certificate, 200), serve(&certificate, 200));
    let tls = keeping(&certificate, true);
    gain(&client(tls.clone(), one.address, 5));
    let mut driven = early(&client(tls, other.address, 5), 5);
    let expected = Handshake {
        resumed: false,
        early_data_accepted: false,
    };
    assert_eq!(handshake(&driven), expected);
    let mut refused = driven.refused();
    refused.sort_unstable();
    assert_eq!(refused, [0, 1, 2, 3, 4]);
    driven.events.clear();
    driven.ask_for(20);
    assert_eq!(driven.done().len(), 20);
}

#[test]
fn what_is_too_early_may_be_sent_again() {
    let certificate = Certificate::new();
    let server = serve(&certificate, 425);
    let client = client(keeping(&certificate, true), server.address, 2);
    // Not early, so that it is a response like others.
    gain(&client);
    let driven = early(&client, 2);
    assert!(handshake(&driven).early_data_accepted);
    assert_eq!(driven.refused().len(), 2);
}

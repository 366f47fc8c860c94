//! How connections end.

use std::net::{Ipv4Addr, UdpSocket};
use std::sync::mpsc;
use std::time::Instant;

use pronghorn_http::Protocol;
use pronghorn_http3::Code;
use quinn::ConnectionError;

use super::client::{Driven, client, get, tls};
use super::server::{
    Certificate, Control, Kind, Server, answer, answer_all, code, put_data, response,
};
use crate::connection::{Connection, ConnectionFailureKind, Ending, Event, FailureKind};

#[track_caller]
fn assert_failed(ending: &Ending, kind: ConnectionFailureKind) {
    match ending {
        Ending::Failed(failure) if failure.kind == kind => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_that_goes_away_answers_what_it_took() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let mut control = Control::open(&connection).await;
        for _ in 0..10 {
            let (mut send, mut receive) = connection.accept_bi().await.expect("a request");
            answer(&mut send, &mut receive, &response(200, b"ok")).await;
        }
        control.go_away(4 * 12).await;
        for _ in 0..2 {
            let (mut send, mut receive) = connection.accept_bi().await.expect("a request");
            answer(&mut send, &mut receive, &response(200, b"the last")).await;
            let _ = send.stopped().await;
        }
        connection.close(code(Code::NoError), b"");
    });
    let mut driven = Driven::connected(&certificate, server.address, 20);
    let request = get();
    for ticket in 0..20 {
        driven.ask(ticket, &request);
    }
    driven.until(|driven| driven.over() == 20);
    assert_eq!((driven.done().len(), driven.refused().len()), (12, 8));
    assert!(driven.refused().iter().all(|&ticket| ticket >= 12));
    assert_eq!(driven.connection.room(), 0);
    let going = driven
        .events
        .iter()
        .filter(|event| matches!(event, Event::GoingAway));
    assert_eq!(going.count(), 1);
    assert!(matches!(driven.ending(), Ending::Peer));
}

#[test]
fn we_end_it_in_good_order() {
    let certificate = Certificate::new();
    let (tell, told) = mpsc::channel();
    let server = Server::start(&certificate, Kind::default(), move |connection| {
        let tell = tell.clone();
        async move {
            answer_all(connection.clone(), response(200, b"ok")).await;
            tell.send(connection.closed().await)
                .expect("the test waits for it");
        }
    });
    let mut driven = Driven::connected(&certificate, server.address, 5);
    driven.ask_for(10);
    driven.connection.close(Instant::now());
    assert_eq!(driven.connection.room(), 0);
    assert!(matches!(driven.ending(), Ending::Local));
    assert_eq!(driven.connection.deadline(), None);
    let Ok(ConnectionError::ApplicationClosed(close)) = told.recv() else {
        panic!("it wasn't closed in good order");
    };
    assert_eq!(close.error_code, code(Code::NoError));
}

#[test]
fn what_is_in_flight_at_the_end_failed_with_the_connection() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        let mut kept = Vec::new();
        for _ in 0..5 {
            kept.push(connection.accept_bi().await.expect("a request"));
        }
        connection.close(code(Code::NoError), b"");
    });
    let mut driven = Driven::connected(&certificate, server.address, 5);
    let request = get();
    for ticket in 0..5 {
        driven.ask(ticket, &request);
    }
    assert_failed(driven.ending(), ConnectionFailureKind::Reset);
    assert_eq!(driven.failed(FailureKind::Connection).len(), 5);
    assert_eq!(driven.over(), 5);
}

#[test]
fn a_server_that_is_gone_is_noticed_by_its_closed_port() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        let _kept = connection.accept_bi().await;
        std::future::pending::<()>().await;
    });
    let mut driven = Driven::connected(&certificate, server.address, 5);
    let request = get();
    driven.ask(0, &request);
    driven.until(|driven| driven.connection.room() == 4);
    drop(server);
    driven.ask(1, &request);
    let told = match driven.ending() {
        Ending::Failed(failure) => failure.kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(told, ConnectionFailureKind::Reset);
    assert_eq!(driven.over(), 2);
    assert_eq!(driven.failed(FailureKind::Connection).len(), 2);
}

#[test]
fn a_port_on_which_nobody_listens_refuses() {
    let certificate = Certificate::new();
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = socket.local_addr().expect("it is bound");
    // Nobody else gets the port, and what comes from anywhere but there is refused (udp(7)).
    socket
        .connect((Ipv4Addr::LOCALHOST, 1))
        .expect("an address");
    let mut driven = Driven::open(&client(tls(&certificate), address, 1));
    assert_failed(driven.ending(), ConnectionFailureKind::Refused);
}

#[test]
fn a_server_that_says_nothing_is_left_at_once() {
    let certificate = Certificate::new();
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = socket.local_addr().expect("it is bound");
    let mut driven = Driven::open(&client(tls(&certificate), address, 1));
    driven.until(|driven| driven.connection.traffic().sent > 0);
    assert!(driven.connection.deadline().is_some());
    driven.connection.close(Instant::now());
    assert!(matches!(driven.ending(), Ending::Local));
}

#[test]
fn a_server_without_http_3_is_told_as_such() {
    let certificate = Certificate::new();
    let kind = Kind {
        alpn: Protocol::H2,
        ..Kind::default()
    };
    let server = Server::start(&certificate, kind, |_| async {});
    let mut driven = Driven::open(&client(tls(&certificate), server.address, 1));
    assert_failed(driven.ending(), ConnectionFailureKind::Alpn);
}

#[test]
fn a_certificate_that_nobody_trusts_is_tlss_failure() {
    let (ours, theirs) = (Certificate::new(), Certificate::new());
    let server = Server::start(&theirs, Kind::default(), |_| async {});
    let mut driven = Driven::open(&client(tls(&ours), server.address, 1));
    assert_failed(driven.ending(), ConnectionFailureKind::Tls);
}

#[test]
fn a_server_that_breaks_the_rules_is_told_which_and_left() {
    let certificate = Certificate::new();
    let (tell, told) = mpsc::channel();
    let server = Server::start(&certificate, Kind::default(), move |connection| {
        let tell = tell.clone();
        async move {
            let _control = Control::open(&connection).await;
            let _kept = connection.accept_bi().await.expect("a request");
            let (mut send, mut receive) = connection.accept_bi().await.expect("a request");
            let mut content_first = bytes::BytesMut::new();
            put_data(b"no head", &mut content_first);
            answer(&mut send, &mut receive, &content_first).await;
            tell.send(connection.closed().await)
                .expect("the test waits for it");
        }
    });
    let mut driven = Driven::connected(&certificate, server.address, 2);
    driven.ask(0, &get());
    driven.ask(1, &get());
    assert_failed(driven.ending(), ConnectionFailureKind::Protocol);
    assert_eq!(driven.failed(FailureKind::Protocol), [1]);
    assert_eq!(driven.over(), 2);
    let Ok(ConnectionError::ApplicationClosed(close)) = told.recv() else {
        panic!("it wasn't told");
    };
    assert_eq!(close.error_code, code(Code::FrameUnexpected));
}

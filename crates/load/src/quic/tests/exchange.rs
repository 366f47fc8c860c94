//! Requests and what becomes of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use bytes::Bytes;
use http::Method;
use pronghorn_http::Settings;
use pronghorn_http3::Code;

use super::client::{Driven, get, request};
use super::server::{
    Certificate, Control, Kind, Server, answer, answer_all, code, head, put_data, response,
};
use crate::connection::{Connection, Event, FailureKind};

#[test]
fn every_request_is_answered_and_every_byte_counted() {
    let certificate = Certificate::new();
    let content = [b'x'; 612];
    let server = Server::start(&certificate, Kind::default(), move |connection| {
        answer_all(connection, response(200, &content))
    });
    let mut driven = Driven::connected(&certificate, server.address, 20);
    driven.ask_for(500);
    let mut bytes = 0;
    for event in &driven.events {
        if let Event::Done {
            status,
            header_bytes,
            ..
        } = event
        {
            assert_eq!(*status, 200);
            bytes += header_bytes;
        }
    }
    let each = (":status".len() + "200".len() + "content-length".len() + "612".len()) as u64;
    assert_eq!(bytes, 500 * each);
    let traffic = driven.connection.traffic();
    assert_eq!(traffic.payload, 500 * 612);
    assert!(
        traffic.received > traffic.payload && traffic.sent > 0,
        "{traffic:?}"
    );
}

#[test]
fn content_counts_before_its_response_is_whole() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        let (mut send, _receive) = connection.accept_bi().await.expect("a request");
        let mut half = head(200, 60_000);
        put_data(&[b'x'; 30_000], &mut half);
        send.write_all(&half).await.expect("it is read");
        connection.closed().await;
    });
    let mut driven = Driven::connected(&certificate, server.address, 1);
    driven.ask(0, &get());
    driven.until(|driven| driven.connection.payload() >= 30_000);
    assert_eq!(driven.connection.payload(), 30_000);
    assert_eq!(
        (driven.over(), driven.connection.traffic().payload),
        (0, 30_000)
    );
}

#[test]
fn what_was_settled_is_told() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| {
        answer_all(connection, response(200, b""))
    });
    let driven = Driven::connected(&certificate, server.address, 1);
    let facts = driven.connection.facts();
    let tls = facts.tls.expect("QUIC has no clear");
    assert_eq!(tls.cipher.as_deref(), Some("TLS_AES_256_GCM_SHA384"));
    assert_eq!(
        (tls.alpn.as_deref(), tls.resumed),
        (Some("h3"), Some(false))
    );
    let Settings::Quic(settings) = facts.settings else {
        panic!("no settings of QUIC's");
    };
    assert_eq!(settings.stream_window, (1 << 30) - 1);
    assert!(settings.udp_receive_buffer > 0);
    let control = facts.quic_congestion_control.expect("it is known");
    assert_eq!(control.to_string(), "cubic");
}

#[test]
fn statuses_are_told_as_they_come() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| {
        answer_all(connection, response(503, b"later"))
    });
    let mut driven = Driven::connected(&certificate, server.address, 4);
    driven.ask_for(10);
    let unavailable = |event: &&Event| matches!(event, Event::Done { status: 503, .. });
    assert_eq!(driven.events.iter().filter(unavailable).count(), 10);
    assert_eq!(driven.connection.payload(), 10 * 5);
}

#[test]
fn more_requests_than_the_server_allows_at_a_time_wait_for_room() {
    let certificate = Certificate::new();
    let kind = Kind {
        streams: 3,
        ..Kind::default()
    };
    let server = Server::start(&certificate, kind, |connection| {
        answer_all(connection, response(200, b"three at a time"))
    });
    let mut driven = Driven::connected(&certificate, server.address, 10);
    assert_eq!(driven.connection.room(), 3);
    driven.ask_for(40);
    assert_eq!(driven.done().len(), 40);
}

#[test]
fn a_reset_costs_its_request_alone() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        for number in 0.. {
            let Ok((mut send, mut receive)) = connection.accept_bi().await else {
                return;
            };
            match number % 4 {
                0 => {
                    let _ = send.write_all(&head(200, 100)).await;
                    let _ = send.reset(code(Code::InternalError));
                }
                1 => {
                    let _ = send.reset(code(Code::RequestRejected));
                }
                _ => {
                    answer(&mut send, &mut receive, &response(200, b"ok")).await;
                }
            }
        }
    });
    let mut driven = Driven::connected(&certificate, server.address, 8);
    driven.ask_for(100);
    let reset = driven.failed(FailureKind::Reset).len();
    assert_eq!(
        (reset, driven.refused().len(), driven.done().len()),
        (25, 25, 50)
    );
}

#[test]
fn a_short_body_costs_its_request_alone() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| {
        let mut short = head(200, 100);
        put_data(b"six by", &mut short);
        answer_all(connection, short)
    });
    let mut driven = Driven::connected(&certificate, server.address, 8);
    driven.ask_for(20);
    assert_eq!(driven.failed(FailureKind::Short).len(), 20);
    assert!(driven.connection.room() > 0);
}

#[test]
fn a_body_may_be_larger_than_the_servers_window() {
    let certificate = Certificate::new();
    let kind = Kind {
        stream_window: 10_000,
        ..Kind::default()
    };
    let (tell, told) = mpsc::channel();
    let server = Server::start(&certificate, kind, move |connection| {
        let tell = tell.clone();
        async move {
            let _control = Control::open(&connection).await;
            while let Ok((mut send, mut receive)) = connection.accept_bi().await {
                let request = receive.read_to_end(1 << 24).await.expect("a request");
                tell.send(request.len()).expect("the test waits for it");
                let _ = send.write_all(&response(201, b"")).await;
                let _ = send.finish();
            }
        }
    });
    let mut driven = Driven::connected(&certificate, server.address, 2);
    let post = request(Method::POST, Bytes::from(vec![b'x'; 1_000_000]));
    for ticket in 0..2 {
        driven.ask(ticket, &post);
    }
    driven.until(|driven| driven.over() == 2);
    assert_eq!(driven.done().len(), 2);
    let came: Vec<usize> = told.try_iter().collect();
    assert_eq!(came, [1_000_000 + post.encoded.len(); 2]);
}

#[test]
fn a_server_may_answer_before_it_has_the_whole_request() {
    let certificate = Certificate::new();
    let kind = Kind {
        stream_window: 10_000,
        ..Kind::default()
    };
    let server = Server::start(&certificate, kind, |connection| async move {
        let _control = Control::open(&connection).await;
        while let Ok((mut send, mut receive)) = connection.accept_bi().await {
            let _ = receive.stop(code(Code::NoError));
            let _ = send.write_all(&response(413, b"")).await;
            let _ = send.finish();
        }
    });
    let mut driven = Driven::connected(&certificate, server.address, 1);
    let post = request(Method::POST, Bytes::from(vec![b'x'; 1_000_000]));
    for ticket in 0..3 {
        driven.until(|driven| driven.connection.room() > 0);
        driven.ask(ticket, &post);
        driven.until(|driven| driven.over() == ticket as usize + 1);
    }
    assert_eq!(driven.done(), [0, 1, 2]);
}

#[test]
fn a_cancelled_request_is_forgotten_and_the_server_told() {
    let certificate = Certificate::new();
    let cancelled = Arc::new(AtomicUsize::new(0));
    let counted = cancelled.clone();
    let server = Server::start(&certificate, Kind::default(), move |connection| {
        let counted = counted.clone();
        async move {
            let _control = Control::open(&connection).await;
            let mut first = true;
            while let Ok((mut send, mut receive)) = connection.accept_bi().await {
                if std::mem::take(&mut first) {
                    // Never answered, and in the end not wanted.
                    if let Ok(Some(reason)) = send.stopped().await {
                        assert_eq!(reason, code(Code::RequestCancelled));
                        counted.fetch_add(1, Ordering::Relaxed);
                    }
                    continue;
                }
                answer(&mut send, &mut receive, &response(200, b"ok")).await;
            }
        }
    });
    let mut driven = Driven::connected(&certificate, server.address, 2);
    let stream = driven.ask(7, &get());
    driven.until(|driven| driven.connection.room() == 1);
    driven.connection.cancel(7, stream);
    // Its number may be used again at once.
    driven.until(|driven| driven.connection.room() == 2);
    driven.ask(7, &get());
    driven.until(|driven| driven.over() == 1);
    assert_eq!(driven.done(), [7]);
    assert_eq!(cancelled.load(Ordering::Relaxed), 1);
}

//! Whole loads over HTTP/3, whose counts close whatever the server does.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::mpsc;
use std::time::Duration;

use bytes::BytesMut;
use http::{HeaderMap, HeaderName, HeaderValue};
use pronghorn_http3::Code;
use pronghorn_http3::message::put_trailers;
use serde_json::{Value, json};

use super::server::{
    Certificate, Control, HOST_NAME, Kind, Server, answer, answer_all, code, head, put_data,
    response,
};
use crate::{ConnectionFailureKind, FailureKind, Load, LoadReport, LoadSpec};

/// Five connections with four requests at a time, 200 in all, but for what `asked` says.
pub(super) fn load(certificate: &Certificate, server: &Server, asked: Value) -> LoadReport {
    let mut spec = json!({
        "targets": [{"url": format!("https://{HOST_NAME}/")}],
        "protocol": "h3",
        "address": server.address.ip(),
        "port": server.address.port(),
        "tls": {"ca": certificate.path()},
        "congestion_control": {"quic": "cubic"},
        "connections": 5,
        "streams": 4,
        "stop": {"requests": 200},
        "limit_s": 60,
    });
    for (key, value) in asked.as_object().expect("keys and values") {
        spec[key] = value.clone();
    }
    let spec: LoadSpec = serde_json::from_value(spec).expect("a specification");
    let load = Load::new(&spec).expect("a load");
    let report = load.run(|_| {}).expect("a report");
    let requests = &report.requests;
    assert_eq!(requests.planned, requests.sent + requests.unsent);
    let failed: u64 = requests.failed.values().sum();
    assert_eq!(requests.sent, requests.succeeded + failed);
    report
}

#[test]
fn all_is_answered() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| {
        answer_all(connection, response(200, b"ok"))
    });
    let report = load(
        &certificate,
        &server,
        json!({"threads": 2, "warm_up": {"requests": 50}}),
    );
    assert!(report.finished);
    assert_eq!(
        (report.requests.succeeded, report.requests.warm_up),
        (200, 50)
    );
    assert_eq!(report.connections.established, 5);
    assert_eq!(report.bytes.payload, 400);
    assert!(report.server_drops.is_some(), "the server is on this host");
    let tls = report.tls.expect("QUIC has no clear");
    assert_eq!(tls.cipher.as_deref(), Some("TLS_AES_256_GCM_SHA384"));
}

#[test]
fn each_request_has_its_connection_also_after_a_warm_up() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| {
        answer_all(connection, response(200, b"ok"))
    });
    let asked = json!({
        "connect": "each", "streams": 1, "stop": {"requests": 20}, "warm_up": {"requests": 10},
    });
    let report = load(&certificate, &server, asked);
    assert!(report.finished);
    assert_eq!(
        (report.requests.succeeded, report.requests.warm_up),
        (20, 10)
    );
    assert_eq!(report.connections.established, 30);
}

#[test]
fn a_connection_that_was_idle_for_too_long_is_no_failure() {
    let certificate = Certificate::new();
    let kind = Kind {
        idle: Duration::from_millis(400),
        ..Kind::default()
    };
    let server = Server::start(&certificate, kind, |connection| {
        answer_all(connection, response(200, b"ok"))
    });
    let asked = json!({
        "arrivals": {"rate_per_s": 0.7}, "connections": 2, "streams": 1, "stop": {"requests": 2},
    });
    let report = load(&certificate, &server, asked);
    assert!(report.finished);
    let connections = report.connections;
    assert!(connections.failed.is_empty(), "{connections:?}");
    assert!(connections.closed_by_peer >= 2, "{connections:?}");
}

#[test]
fn sessions_are_resumed_with_early_data() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| {
        answer_all(connection, response(200, b"ok"))
    });
    let asked =
        json!({"session": "0rtt", "connect": "each", "streams": 1, "stop": {"requests": 20}});
    let report = load(&certificate, &server, asked);
    assert_eq!(report.requests.succeeded, 20);
    let connections = report.connections;
    assert_eq!(
        (connections.resumed, connections.early_data_accepted),
        (20, 20)
    );
}

#[test]
fn what_a_server_that_goes_away_did_not_take_is_asked_of_the_next_connection() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let mut control = Control::open(&connection).await;
        let mut answered = 0;
        while let Ok((mut send, mut receive)) = connection.accept_bi().await {
            if answered == 7 {
                control.go_away(4 * answered).await;
            }
            if answered >= 7 {
                continue;
            }
            answer(&mut send, &mut receive, &response(200, b"ok")).await;
            answered += 1;
        }
    });
    let report = load(&certificate, &server, json!({}));
    assert!(report.finished);
    assert_eq!(report.requests.succeeded, 200, "{:?}", report.requests);
    assert!(report.requests.retried > 0);
    assert!(report.connections.established > 25);
}

#[test]
fn connections_that_are_not_made_by_the_end_are_cut() {
    let certificate = Certificate::new();
    // It hears, and says nothing.
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
    let spec = json!({
        "targets": [{"url": format!("https://{HOST_NAME}/")}],
        "protocol": "h3",
        "address": "127.0.0.1",
        "port": silent.local_addr().expect("it is bound").port(),
        "tls": {"ca": certificate.path()},
        "congestion_control": {"quic": "cubic"},
        "connections": 3,
        "stop": {"duration_s": 0.3},
    });
    let spec: LoadSpec = serde_json::from_value(spec).expect("a specification");
    let report = Load::new(&spec)
        .expect("a load")
        .run(|_| {})
        .expect("a report");
    let made = &report.connections;
    assert_eq!((made.attempted, made.established), (3, 0));
    assert_eq!(made.failed[&ConnectionFailureKind::Cut], 3, "{made:?}");
}

#[test]
fn resets_rejections_and_bad_statuses_are_counted_by_kind() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        let number = Rc::new(Cell::new(0));
        while let Ok((mut send, mut receive)) = connection.accept_bi().await {
            match number.replace(number.get() + 1) % 4 {
                0 => {
                    let _ = send.reset(code(Code::InternalError));
                }
                1 => {
                    let _ = send.reset(code(Code::RequestRejected));
                }
                2 => {
                    answer(&mut send, &mut receive, &response(500, b"sorry")).await;
                }
                _ => {
                    answer(&mut send, &mut receive, &response(200, b"ok")).await;
                }
            }
        }
    });
    let report = load(&certificate, &server, json!({}));
    assert!(report.finished);
    let requests = &report.requests;
    assert_eq!((requests.planned, requests.sent), (200, 200));
    assert!(requests.failed[&FailureKind::Reset] > 0);
    assert!(requests.failed[&FailureKind::Status] > 0);
    assert!(
        requests.succeeded > 0 && requests.retried > 0,
        "{requests:?}"
    );
}

#[test]
fn a_status_that_is_none_is_against_the_rules() {
    let certificate = Certificate::new();
    for status in [
        "000", "099", "101", "600", "999", "20", "1000", "0200", "-20", "2x0", "",
    ] {
        // HEADERS with `:status` by its static name (RFC 9204 §4.5.4) and a literal value.
        let length = 2 + 3 + status.len() as u8;
        let head = [1, length, 0, 0, 0x5f, 24 - 15, status.len() as u8];
        let content: BytesMut = [&head[..], status.as_bytes()].concat().as_slice().into();
        let server = Server::start(&certificate, Kind::default(), move |connection| {
            answer_all(connection, content.clone())
        });
        let report = load(&certificate, &server, json!({"stop": {"requests": 2}}));
        let requests = &report.requests;
        assert_eq!(requests.succeeded, 0, "{status:?}: {requests:?}");
        assert_eq!(requests.failed[&FailureKind::Protocol], 2, "{status:?}");
        assert!(requests.statuses.is_empty(), "{status:?}");
    }
}

#[test]
fn trailers_that_tell_of_a_failure_are_no_success() {
    let certificate = Certificate::new();
    for (status, failed) in [("0", 0), ("14", 4)] {
        let mut answer = head(200, 2);
        put_data(b"ok", &mut answer);
        let trailer = HeaderMap::from_iter([(
            HeaderName::from_static("grpc-status"),
            HeaderValue::from_static(status),
        )]);
        put_trailers(&trailer, &mut answer).expect("trailers");
        let server = Server::start(&certificate, Kind::default(), move |connection| {
            answer_all(connection, answer.clone())
        });
        let asked = json!({"connections": 1, "stop": {"requests": 4}});
        let requests = load(&certificate, &server, asked).requests;
        let found = requests.failed.get(&FailureKind::Grpc).copied();
        assert_eq!(
            (requests.succeeded, found.unwrap_or(0)),
            (4 - failed, failed)
        );
        assert_eq!(requests.statuses[&200], 4);
    }
}

#[test]
fn what_a_server_allows_at_a_time_is_told_where_it_is_less_than_asked_for() {
    let certificate = Certificate::new();
    for (streams, allowed) in [(1, Some(1)), (4, None), (100, None)] {
        let kind = Kind {
            streams,
            ..Kind::default()
        };
        let server = Server::start(&certificate, kind, |connection| {
            answer_all(connection, response(200, b"ok"))
        });
        let made = load(&certificate, &server, json!({})).connections;
        assert_eq!(made.streams_allowed, allowed, "{streams}");
        let most = u64::from(streams).min(4);
        assert_eq!(made.most_under_way, most, "{streams}");
    }
}

#[test]
fn a_server_that_dies_in_mid_run_ends_the_load() {
    let certificate = Certificate::new();
    let (tell, told) = mpsc::channel();
    // Where it dies after it has acknowledged all, the client sends nothing that a closed port could answer.
    let kind = Kind {
        idle: Duration::from_secs(2),
        ..Kind::default()
    };
    let server = Server::start(&certificate, kind, move |connection| {
        let tell = tell.clone();
        async move {
            let _control = Control::open(&connection).await;
            for _ in 0..10 {
                let Ok((mut send, mut receive)) = connection.accept_bi().await else {
                    return;
                };
                answer(&mut send, &mut receive, &response(200, b"ok")).await;
                // Acknowledged, that is.
                let _ = send.stopped().await;
            }
            // The test may have had enough.
            let _ = tell.send(());
            std::future::pending::<()>().await;
        }
    });
    let address = server.address;
    let killer = std::thread::spawn(move || {
        told.recv().expect("a connection has had its answers");
        drop(server);
    });
    // Nobody is there any more who could be asked.
    let server = Server::named(address);
    let report = load(&certificate, &server, json!({}));
    killer.join().expect("the server has gone");
    let requests = &report.requests;
    assert!(requests.succeeded >= 10, "{requests:?}");
    assert!(requests.succeeded < 200, "{requests:?}");
    let failed = requests.failed.get(&FailureKind::Connection);
    assert!(failed.is_some_and(|&failed| failed > 0), "{requests:?}");
}

#[test]
fn a_server_that_answers_nothing_does_not_hold_up_the_gaining_of_sessions() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        connection.closed().await;
    });
    // Their tickets come with the handshakes; the load itself then has its limit.
    let asked = json!({"session": "resumed", "connect_timeout_s": 1, "limit_s": 1});
    let report = load(&certificate, &server, asked);
    assert!(!report.finished);
    assert_eq!(
        (report.requests.succeeded, report.connections.resumed),
        (0, 5)
    );
}

//! Over HTTP/1.1.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pronghorn_load::{ConnectionFailureKind, FailureKind};
use serde_json::json;
use socket2::{Domain, Socket, Type};

use crate::server::{Count, Mortal, Then, h1, h1_response, start};
use crate::tls::{Certificate, HOST_NAME, Plain};
use crate::{failed_as, load};

#[test]
fn on_the_clean_path_all_succeed() {
    let port = start(|stream, _| h1(stream, |_| (h1_response(200), Then::Goes)));
    let report = load(
        "h1",
        port,
        json!({"connections": 3, "threads": 2, "stop": {"requests": 100}}),
    );
    assert_eq!((report.requests.succeeded, report.finished), (100, true));
    assert_eq!(report.bytes.payload, 500);
    assert_eq!(report.server_drops, None, "TCP drops nothing");
    assert_eq!(
        (report.connections.attempted, report.connections.established),
        (3, 3)
    );
    assert!(report.bytes.wire_received > 100 * (5 + 20) && report.bytes.wire_sent > 0);
}

#[test]
fn answers_of_a_pipeline_belong_to_its_requests_in_their_order() {
    let port = start(|stream, _| {
        h1(stream, |number| {
            (
                h1_response(if number % 4 == 3 { 503 } else { 200 }),
                Then::Goes,
            )
        })
    });
    let report = load("h1", port, json!({"streams": 8}));
    assert_eq!(report.requests.succeeded, 30);
    assert_eq!(failed_as(&report, FailureKind::Status), 10);
    assert_eq!(report.requests.statuses[&503], 10);
}

#[test]
fn requests_behind_a_last_response_are_sent_again() {
    let last = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let port = start(move |stream, _| {
        h1(stream, |number| match number {
            0..3 => (h1_response(200), Then::Goes),
            _ => (last.to_vec(), Then::Closes),
        })
    });
    let report = load("h1", port, json!({"streams": 6}));
    assert_eq!(
        (report.requests.succeeded, report.connections.attempted),
        (40, 10)
    );
    assert!(report.requests.retried > 0);
}

#[test]
fn requests_behind_last_responses_are_sent_again_for_as_long_as_others_are_answered() {
    let last = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let port = start(move |stream, _| {
        h1(stream, |number| match number {
            0..3 => (h1_response(200), Then::Goes),
            _ => (last.to_vec(), Then::Closes),
        })
    });
    let more = json!({"streams": 40, "stop": {"requests": 200}});
    let report = load("h1", port, more);
    assert_eq!(report.requests.succeeded, 200, "{:?}", report.requests);
    assert!(report.requests.failed.is_empty() && report.finished);
    assert!(report.requests.retried > 200 * 6);
}

/// A listener whose queue is full answers nothing.
#[test]
fn connections_that_are_not_made_by_the_end_are_cut() {
    let port = start(|_, _| std::thread::park());
    for protocol in ["h1", "h2"] {
        let spec = json!({
            "targets": [{"url": format!("https://127.0.0.1:{port}/")}],
            "protocol": protocol,
            "congestion_control": {},
            "tls": {"insecure": true},
            "connections": 3,
            "stop": {"duration_s": 0.3},
        });
        let spec: pronghorn_load::LoadSpec = serde_json::from_value(spec).expect("one");
        let load = pronghorn_load::Load::new(&spec).expect("it can be");
        let report = load.run(|_| {}).expect("it runs");
        let made = &report.connections;
        assert_eq!((made.attempted, made.established), (3, 0), "{protocol}");
        assert_eq!(made.failed[&ConnectionFailureKind::Cut], 3, "{made:?}");
    }
}

/// As a server that lingers, since it didn't read all of a request that was too large.
#[test]
fn tls_s_end_is_the_stream_s_however_long_its_socket_stays_open() {
    let certificate = Certificate::new();
    let config = certificate.server(pronghorn_http::Protocol::H1);
    let port = start(move |socket, _| {
        let mut stream = Plain::new(&config, socket);
        let mut come = Vec::new();
        let mut piece = [0; 4096];
        while !come.ends_with(b"\r\n\r\n") {
            match stream.read(&mut piece) {
                Ok(length) if length > 0 => come.extend_from_slice(&piece[..length]),
                _ => return,
            }
        }
        let answer = b"HTTP/1.1 431 Too Large\r\nconnection: close\r\n\r\ntoo large";
        stream.write_all(answer).expect("it takes it");
        stream.say_end();
        std::thread::park();
    });
    let more = json!({
        "targets": [{"url": format!("https://{HOST_NAME}/")}],
        "address": "127.0.0.1",
        "port": port,
        "tls": {"ca": certificate.path()},
        "stop": {"requests": 4},
    });
    let report = load("h1", port, more);
    assert_eq!(report.requests.statuses[&431], 4, "{:?}", report.requests);
    assert_eq!(report.bytes.payload, 4 * 9);
    assert!(report.finished);
}

#[test]
fn a_field_that_goes_on_in_the_next_line_is_read_as_one() {
    for head in [
        "x-folded: one\r\n two\r\n\tthree\r\ncontent-length: 5",
        "content-length:\r\n 5",
        "content-length: 5\r\n ",
        "connection:\r\n close\r\ncontent-length: 5",
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\nhello").into_bytes();
        let port = start(move |stream, _| h1(stream, |_| (answer.clone(), Then::Goes)));
        let report = load("h1", port, json!({"stop": {"requests": 4}}));
        assert_eq!(
            report.requests.succeeded, 4,
            "{head:?} {:?}",
            report.failures
        );
        assert_eq!(report.bytes.payload, 20, "{head:?}");
    }
}

#[test]
fn content_that_ends_before_its_stated_length_is_short() {
    let short = b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello";
    let port = start(move |stream, _| {
        h1(stream, |number| match number {
            0..4 => (h1_response(200), Then::Goes),
            _ => (short.to_vec(), Then::Closes),
        })
    });
    let report = load("h1", port, json!({}));
    assert_eq!(report.requests.succeeded, 32);
    assert_eq!(failed_as(&report, FailureKind::Short), 8);
    assert_eq!(report.connections.closed_by_peer, 8);
}

#[test]
fn a_connection_that_closes_without_an_answer_loses_its_requests() {
    let port = start(|stream, _| {
        h1(stream, |number| match number {
            0..4 => (h1_response(200), Then::Goes),
            _ => (Vec::new(), Then::Closes),
        })
    });
    let report = load("h1", port, json!({}));
    assert_eq!(report.requests.succeeded, 32);
    assert_eq!(failed_as(&report, FailureKind::Connection), 8);
}

#[test]
fn a_response_against_the_rules_is_no_success() {
    let port = start(|stream, _| h1(stream, |_| (b"gibberish\r\n\r\n".to_vec(), Then::Goes)));
    let report = load("h1", port, json!({"stop": {"requests": 3}}));
    assert_eq!(failed_as(&report, FailureKind::Protocol), 3);
    assert_eq!(
        report.connections.failed[&ConnectionFailureKind::Protocol],
        3
    );
}

#[test]
fn a_status_that_is_none_is_against_the_rules() {
    for status in ["000", "099", "600", "999", "20", "1000", "-20", "2x0", ""] {
        let answer = format!("HTTP/1.1 {status} Said\r\ncontent-length: 0\r\n\r\n").into_bytes();
        let port = start(move |stream, _| h1(stream, |_| (answer.clone(), Then::Goes)));
        let report = load("h1", port, json!({"stop": {"requests": 2}}));
        let failed = failed_as(&report, FailureKind::Protocol);
        assert_eq!((report.requests.succeeded, failed), (0, 2), "{status:?}");
        assert!(report.requests.statuses.is_empty(), "{status:?}");
    }
}

#[test]
fn content_until_the_end_of_a_connection_is_whole() {
    let port = start(|stream, _| {
        h1(stream, |_| {
            (b"HTTP/1.1 200 OK\r\n\r\nhello".to_vec(), Then::Closes)
        })
    });
    let report = load("h1", port, json!({"streams": 4}));
    assert_eq!((report.requests.succeeded, report.bytes.payload), (40, 200));
    assert_eq!(report.connections.attempted, 40);
}

#[test]
fn a_request_without_an_answer_times_out_and_takes_its_connection_with_it() {
    let port = start(|stream, _| h1(stream, |_| (Vec::new(), Then::Goes)));
    let more = json!({"stop": {"requests": 6}, "streams": 2, "request_timeout_s": 0.1});
    let report = load("h1", port, more);
    let timed_out = failed_as(&report, FailureKind::Timeout);
    assert_eq!(timed_out + failed_as(&report, FailureKind::Connection), 6);
    assert!(timed_out >= 3 && report.finished);
}

#[test]
fn what_is_in_flight_at_the_limit_is_cut() {
    let port = start(|stream, _| {
        h1(stream, |number| match number {
            0..5 => (h1_response(200), Then::Goes),
            _ => (Vec::new(), Then::Goes),
        })
    });
    let report = load("h1", port, json!({"connections": 2, "limit_s": 2.0}));
    assert_eq!(report.requests.succeeded, 10);
    assert_eq!(failed_as(&report, FailureKind::Cut), 2);
    assert_eq!((report.requests.unsent, report.finished), (28, false));
    assert!(
        (2.0..20.0).contains(&report.window_s),
        "{}",
        report.window_s
    );
}

#[test]
fn a_server_that_is_killed_leaves_requests_lost_and_unsent() {
    let answered = Count::default();
    let server = Mortal::start(move |stream| {
        let mut killed = false;
        h1(stream, |_| {
            if answered.next() < 20 {
                return (h1_response(200), Then::Goes);
            }
            killed = true;
            (Vec::new(), Then::Closes)
        });
        killed
    });
    let report = load("h1", server.port, json!({"connections": 3, "limit_s": 2.0}));
    assert!(server.is_dead());
    assert_eq!(report.requests.succeeded, 20);
    assert!(failed_as(&report, FailureKind::Connection) >= 1);
    assert!(report.requests.unsent > 0 && !report.finished);
    assert!(report.connections.failed[&ConnectionFailureKind::Refused] > 0);
}

#[test]
fn a_slot_gives_up_after_ten_connections_that_nobody_took() {
    // Bound, so that no other test gets the port, but not listening.
    let bound = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    bound.bind(&any.into()).expect("a port");
    let address = bound.local_addr().expect("it is bound");
    let port = address.as_socket().expect("an IP address").port();
    let report = load("h1", port, json!({}));
    assert_eq!((report.requests.sent, report.requests.unsent), (0, 40));
    assert_eq!(
        report.connections.failed[&ConnectionFailureKind::Refused],
        10
    );
    assert!(!report.finished);
}

#[test]
fn a_new_connection_for_each_request_is_counted_as_such() {
    let port = start(|stream, _| h1(stream, |_| (h1_response(200), Then::Goes)));
    let report = load("h1", port, json!({"connect": "each", "connections": 4}));
    assert_eq!(
        (report.requests.succeeded, report.connections.established),
        (40, 40)
    );
}

#[test]
fn a_warm_up_is_counted_apart() {
    let port = start(|stream, _| h1(stream, |_| (h1_response(200), Then::Goes)));
    let more = json!({"warm_up": {"requests": 7}, "connections": 2, "threads": 2});
    let report = load("h1", port, more);
    assert_eq!(
        (report.requests.succeeded, report.requests.warm_up),
        (40, 7)
    );
    let more = json!({"warm_up": {"duration_s": 0.2}, "stop": {"duration_s": 0.3}});
    // A busy host may let nothing through for so long, now and then.
    let has_both = (0..5).any(|_| {
        let report = load("h1", port, more.clone());
        assert!((report.window_s - 0.3).abs() < 1e-9 && report.finished);
        report.requests.warm_up > 0 && report.requests.succeeded > 0
    });
    assert!(has_both);
}

#[test]
fn a_load_that_is_stopped_tells_what_was() {
    let port = start(|stream, _| h1(stream, |_| (h1_response(200), Then::Goes)));
    let spec = json!({
        "targets": [{"url": format!("http://127.0.0.1:{port}/")}],
        "protocol": "h1", "congestion_control": {}, "stop": {"duration_s": 600.0},
    });
    let spec = serde_json::from_value(spec).expect("a specification");
    let load = pronghorn_load::Load::new(&spec).expect("it can be");
    let stop = load.stop();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        stop.now();
    });
    let report = load.run(|_| {}).expect("it runs");
    crate::check(&report);
    assert!(report.requests.succeeded > 0 && !report.finished);
    assert!(report.window_s < 60.0);
}

/// A server that has sent all of a response has begun after the request was sent, and the client has it all only afterwards.
#[test]
fn no_response_is_told_to_have_come_before_the_server_had_sent_it() {
    const CONTENT: usize = 48 << 20;
    let took = Arc::new(Mutex::new(Vec::new()));
    let noted = took.clone();
    let port = start(move |stream, _| {
        let noted = noted.clone();
        let mut content = stream.try_clone().expect("a descriptor");
        h1(stream, move |_| {
            let began = Instant::now();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {CONTENT}\r\n\r\n");
            content.write_all(head.as_bytes()).expect("it is read");
            let piece = vec![0; 1 << 20];
            for _ in 1..CONTENT / piece.len() {
                content.write_all(&piece).expect("it is read");
            }
            // Before the last piece: this thread may lose its CPU as soon as that is on its way.
            noted.lock().expect("nobody panics").push(began.elapsed());
            content.write_all(&piece).expect("it is read");
            (Vec::new(), Then::Goes)
        });
    });
    let report = load(
        "h1",
        port,
        json!({"connections": 6, "stop": {"requests": 6}}),
    );
    assert_eq!(report.requests.succeeded, 6);
    let told = report.latency_seconds.total.expect("there are responses");
    let took = took.lock().expect("nobody panics");
    let least = took.iter().min().expect("there are some").as_secs_f64();
    let most = took.iter().max().expect("there are some").as_secs_f64();
    assert!(
        told.min >= least && told.max >= most,
        "{} to {} s for what took {least} to {most} s to send",
        told.min,
        told.max
    );
}

#[test]
fn connections_that_are_through_earlier_have_a_higher_rate() {
    let port = start(|stream, number| {
        h1(stream, move |_| {
            if number == 0 {
                std::thread::sleep(Duration::from_millis(10));
            }
            (h1_response(200), Then::Goes)
        })
    });
    let report = load("h1", port, json!({"connections": 4}));
    let spread = report.connections.requests_per_second;
    let spread = spread.expect("there are connections");
    assert!(spread.max > 1.05 * spread.min, "{spread:?}");
    let all = report.requests_per_second;
    assert!((4.0 * spread.min / all - 1.0).abs() < 1e-6, "{spread:?}");
}

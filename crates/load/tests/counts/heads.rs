//! A request's head that is too large for the server has one kind, however the server says so; over HTTP/3,
//! `src/quic/tests/faults.rs`.

use pronghorn_load::{FailureKind, LoadReport};
use serde_json::json;

use crate::server::{STATUS_200, Then, frame, h1, h1_response, h2, h2_response, start};
use crate::{failed_as, load};

/// The static table's index of 400.
const STATUS_400: u8 = 12;
const LARGE: usize = 9000;
const SMALL: usize = 100;

/// Two requests with a header of so many bytes.
fn ask(protocol: &str, port: u16, bytes: usize) -> LoadReport {
    let target = json!({
        "url": format!("http://127.0.0.1:{port}/"), "headers": [["x-filler", "x".repeat(bytes)]],
    });
    let more = json!({"targets": [target], "stop": {"requests": 2}});
    load(protocol, port, more)
}

fn check(protocol: &str, port: u16, of_small: FailureKind) {
    let report = ask(protocol, port, LARGE);
    let failed = failed_as(&report, FailureKind::Head);
    assert_eq!(failed, 2, "{protocol}: {:?}", report.requests);
    let report = ask(protocol, port, SMALL);
    assert_eq!(
        failed_as(&report, of_small),
        2,
        "{protocol}: {:?}",
        report.requests
    );
}

#[test]
fn over_http_1_it_is_a_status_or_the_connections_end() {
    for status in [400, 414, 431, 494] {
        let port = start(move |stream, _| h1(stream, move |_| (h1_response(status), Then::Goes)));
        check("h1", port, FailureKind::Status);
    }
    let port = start(|stream, _| h1(stream, |_| (Vec::new(), Then::Closes)));
    check("h1", port, FailureKind::Connection);
}

#[test]
fn over_http_2_it_is_a_status_or_the_streams_or_the_connections_end() {
    let answered = start(|stream, _| h2(stream, |id, _| (h2_response(id, STATUS_400), Then::Goes)));
    check("h2", answered, FailureKind::Status);
    let reset = start(|stream, _| {
        h2(stream, |id, _| {
            (frame(3, 0, id, &[0, 0, 0, 11]), Then::Goes)
        })
    });
    check("h2", reset, FailureKind::Reset);
    let closed = start(|stream, _| {
        h2(stream, |id, _| {
            let said = [&id.to_be_bytes()[..], &[0, 0, 0, 11]].concat();
            (frame(7, 0, 0, &said), Then::Closes)
        })
    });
    check("h2", closed, FailureKind::Connection);
}

#[test]
fn a_large_head_that_the_server_takes_is_no_fault_and_other_statuses_are_their_own() {
    let port = start(|stream, _| h2(stream, |id, _| (h2_response(id, STATUS_200), Then::Goes)));
    assert_eq!(ask("h2", port, LARGE).requests.succeeded, 2);
    let port = start(|stream, _| h1(stream, |_| (h1_response(503), Then::Goes)));
    assert_eq!(failed_as(&ask("h1", port, LARGE), FailureKind::Status), 2);
}

#[test]
fn a_large_head_that_the_server_took_before_is_not_what_ends_a_connection() {
    let port = start(|stream, _| {
        h1(stream, |answered| match answered {
            0 => (h1_response(200), Then::Goes),
            _ => (Vec::new(), Then::Closes),
        });
    });
    let report = ask("h1", port, LARGE);
    assert_eq!(report.requests.succeeded, 1, "{:?}", report.requests);
    assert_eq!(failed_as(&report, FailureKind::Connection), 1);
}

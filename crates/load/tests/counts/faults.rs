//! One fault has one kind over HTTP/1.1 and 2 (docs/load.md); over HTTP/3, `src/quic/tests/faults.rs`.

use pronghorn_load::{ConnectionFailureKind, FailureKind, LoadReport};
use serde_json::json;

use crate::server::{STATUS_200, Then, field, frame, h1, h2, h2_response, start};
use crate::{failed_as, load};

const GOAWAY: u8 = 7;
const RST_STREAM: u8 = 3;
const ENHANCE_YOUR_CALM: [u8; 4] = [0, 0, 0, 11];

/// What becomes of two requests that HTTP/2 answers with these fields after `:status: 200`.
fn over_http_2(fields: &[u8]) -> LoadReport {
    let block = [&[0x80 | STATUS_200], fields].concat();
    let port = start(move |stream, _| {
        h2(stream, |id, _| {
            let mut pieces = block.chunks(16_000).peekable();
            let mut bytes = Vec::new();
            let mut kind = 1;
            while let Some(piece) = pieces.next() {
                let last = if pieces.peek().is_none() { 4 } else { 0 };
                // END_STREAM is the first frame's.
                bytes.extend(frame(kind, last | u8::from(kind == 1), id, piece));
                kind = 9;
            }
            (bytes, Then::Goes)
        })
    });
    load("h2", port, json!({"stop": {"requests": 2}}))
}

#[test]
fn fields_that_http_2_does_not_have_are_malformed() {
    for (name, value) in [
        ("Vary", "x"),
        ("x y", "z"),
        ("connection", "close"),
        ("keep-alive", "5"),
        ("proxy-connection", "close"),
        ("transfer-encoding", "chunked"),
        ("upgrade", "h3"),
        ("te", "trailers"),
        ("x", "a\nb"),
        ("content-length", "x"),
        (":path", "/"),
    ] {
        let report = over_http_2(&field(name, value));
        assert_eq!(failed_as(&report, FailureKind::Protocol), 2, "{name}");
        // The stream is lost, and the connection goes on.
        assert_eq!(report.connections.attempted, 1, "{name}");
    }
    assert_eq!(over_http_2(&field("x-y", "a\tb ~")).requests.succeeded, 2);
}

#[test]
fn a_head_beyond_64_kib_is_against_the_rules() {
    let fields = |number: usize| field("x-filler", &"x".repeat(100)).repeat(number);
    // 8 + 100 + 32 bytes each.
    let report = over_http_2(&fields(500));
    assert_eq!(failed_as(&report, FailureKind::Protocol), 2);
    assert_eq!(over_http_2(&fields(460)).requests.succeeded, 2);
    let port = start(|stream, _| {
        h1(stream, |_| {
            let fill = format!("x-filler: {}\r\n", "x".repeat(1000)).repeat(66);
            let head = format!("HTTP/1.1 200 OK\r\n{fill}content-length: 0\r\n\r\n");
            (head.into_bytes(), Then::Goes)
        })
    });
    let report = load("h1", port, json!({"stop": {"requests": 2}}));
    assert_eq!(failed_as(&report, FailureKind::Protocol), 2);
}

#[test]
fn a_reset_is_told_by_the_name_of_its_code() {
    for (code, name) in [
        (11, "ENHANCE_YOUR_CALM"),
        (2, "INTERNAL_ERROR"),
        (255, "0xff"),
    ] {
        let port = start(move |stream, _| {
            h2(stream, |id, _| {
                (frame(RST_STREAM, 0, id, &[0, 0, 0, code]), Then::Goes)
            })
        });
        let report = load("h2", port, json!({"stop": {"requests": 1}}));
        assert_eq!(failed_as(&report, FailureKind::Reset), 1);
        let said = format!("the server reset the stream with {name}");
        assert_eq!(report.failures[0].detail, said);
    }
}

#[test]
fn a_connection_that_the_server_ends_for_a_reason_is_told_with_it() {
    let port = start(|stream, _| {
        h2(stream, |id, number| {
            if number == 0 {
                return (h2_response(id, STATUS_200), Then::Goes);
            }
            let said = [&id.to_be_bytes()[..], &ENHANCE_YOUR_CALM, b"too_many_pings"].concat();
            (frame(GOAWAY, 0, 0, &said), Then::Closes)
        })
    });
    let report = load("h2", port, json!({"stop": {"requests": 2}}));
    assert_eq!(failed_as(&report, FailureKind::Connection), 1);
    assert_eq!(report.connections.failed[&ConnectionFailureKind::Reset], 1);
    let told = |failure: &pronghorn_load::Failure| {
        failure
            .detail
            .contains("GOAWAY ENHANCE_YOUR_CALM: too_many_pings")
    };
    assert!(report.failures.iter().all(told), "{:?}", report.failures);
}

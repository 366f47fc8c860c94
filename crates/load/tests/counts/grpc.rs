//! Calls of gRPC that fail by their trailers.

use pronghorn_load::FailureKind;
use serde_json::json;

use crate::server::{Then, field, frame, h1, h2, start};
use crate::{failed_as, load};

#[test]
fn trailers_of_http_2_that_tell_of_a_failure_are_no_success() {
    for (status, succeeds) in [("0", true), ("14", false), ("x", false)] {
        let port = start(move |stream, _| {
            h2(stream, |id, _| {
                let trailers = frame(1, 0x5, id, &field("grpc-status", status));
                let head = frame(1, 0x4, id, &[0x88]);
                let answer = [head, frame(0, 0, id, b"hello"), trailers].concat();
                (answer, Then::Goes)
            })
        });
        let report = load("h2", port, json!({"stop": {"requests": 4}}));
        let expected = if succeeds { (4, 0) } else { (0, 4) };
        let found = failed_as(&report, FailureKind::Grpc);
        assert_eq!((report.requests.succeeded, found), expected, "{status}");
        assert_eq!(report.requests.statuses[&200], 4);
        if status == "14" {
            let detail = &report.failures[0].detail;
            assert_eq!(detail, "the response has grpc-status UNAVAILABLE");
        }
    }
}

#[test]
fn a_head_without_content_tells_it_too() {
    let head = [vec![0x88], field("grpc-status", "5")].concat();
    let port = start(move |stream, _| {
        h2(stream, |id, number| {
            let bytes = if number % 2 == 0 {
                frame(1, 0x5, id, &head)
            } else {
                // In the head of a response with content it says nothing.
                [frame(1, 0x4, id, &head), frame(0, 1, id, b"hello")].concat()
            };
            (bytes, Then::Goes)
        })
    });
    let report = load("h2", port, json!({"stop": {"requests": 4}}));
    assert_eq!(report.requests.succeeded, 2);
    assert_eq!(failed_as(&report, FailureKind::Grpc), 2);
}

#[test]
fn chunks_of_http_1_have_trailers_too() {
    let answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nx: y\r\nGrpc-Status: 13\r\n\r\n";
    let port = start(move |stream, _| h1(stream, |_| (answer.to_vec(), Then::Goes)));
    let report = load("h1", port, json!({"stop": {"requests": 4}}));
    assert_eq!(failed_as(&report, FailureKind::Grpc), 4);
    assert_eq!(report.bytes.payload, 20);
}

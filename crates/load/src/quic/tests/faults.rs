//! One fault has one kind (docs/load.md); over HTTP/1.1 and 2, `tests/counts/faults.rs`.

use bytes::BytesMut;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use pronghorn_http3::Code;
use pronghorn_http3::message::put_response;
use serde_json::json;

use super::loads::load;
use super::server::{
    Certificate, Control, HOST_NAME, Kind, Server, answer, answer_all, code, head, put_data,
    response,
};
use crate::{ConnectionFailureKind, FailureKind, LoadReport};

/// What becomes of two requests that are answered so.
fn answered(bytes: BytesMut) -> LoadReport {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), move |connection| {
        answer_all(connection, bytes.clone())
    });
    let asked = json!({"connections": 1, "stop": {"requests": 2}});
    load(&certificate, &server, asked)
}

/// HEADERS with `:status: 200` and a literal field (RFC 9204 §4.5.6), whose name has up to 6 bytes more than 7.
fn with_field(name: &str, value: &str) -> BytesMut {
    let mut section = vec![0, 0, 0xc0 | 25, 0x20 | 7, (name.len() - 7) as u8];
    section.extend(name.bytes());
    section.push(value.len() as u8);
    section.extend(value.bytes());
    let mut out = BytesMut::new();
    out.extend_from_slice(&[1, section.len() as u8]);
    out.extend_from_slice(&section);
    out
}

#[test]
fn other_content_than_stated_is_short_or_against_the_rules() {
    for (stated, kind) in [(6, FailureKind::Short), (4, FailureKind::Protocol)] {
        let mut bytes = head(200, stated);
        put_data(b"hello", &mut bytes);
        let failed = answered(bytes).requests.failed;
        assert_eq!((failed.len(), failed.get(&kind)), (1, Some(&2)), "{stated}");
    }
}

#[test]
fn fields_that_http_3_does_not_have_are_malformed() {
    for name in ["X-Filler", "connection", "keep-alive"] {
        let failed = answered(with_field(name, "x")).requests.failed;
        assert_eq!(failed.get(&FailureKind::Protocol), Some(&2), "{name}");
    }
    assert_eq!(answered(with_field("x-filler", "x")).requests.succeeded, 2);
}

#[test]
fn a_head_beyond_64_kib_is_against_the_rules() {
    let with_fields = |number: usize| {
        let filler = HeaderValue::from_str(&"x".repeat(100)).expect("a value");
        let field = (HeaderName::from_static("x-filler"), filler);
        let fields = std::iter::repeat_n(field, number);
        let mut out = BytesMut::new();
        put_response(StatusCode::OK, &HeaderMap::from_iter(fields), &mut out).expect("a response");
        out
    };
    // 8 + 100 + 32 bytes each.
    let failed = answered(with_fields(500)).requests.failed;
    assert_eq!(failed.get(&FailureKind::Protocol), Some(&2));
    assert_eq!(answered(with_fields(460)).requests.succeeded, 2);
}

/// Two requests with a header of so many bytes, one after the other.
fn asked_with(certificate: &Certificate, server: &Server, bytes: usize) -> LoadReport {
    let target = json!({
        "url": format!("https://{HOST_NAME}/"), "headers": [["x-filler", "x".repeat(bytes)]],
    });
    let asked = json!({
        "targets": [target], "connections": 1, "streams": 1, "stop": {"requests": 2},
    });
    load(certificate, server, asked)
}

#[test]
fn a_request_s_head_that_is_too_large_has_one_kind_however_the_server_says_so() {
    let certificate = Certificate::new();
    let answered = Server::start(&certificate, Kind::default(), |connection| {
        answer_all(connection, response(431, b"no"))
    });
    let reset = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        while let Ok((mut send, _receive)) = connection.accept_bi().await {
            let _ = send.reset(code(Code::ExcessiveLoad));
        }
    });
    let closed = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        let _request = connection.accept_bi().await;
        connection.close(code(Code::ExcessiveLoad), b"");
    });
    for (server, of_small) in [
        (answered, FailureKind::Status),
        (reset, FailureKind::Reset),
        (closed, FailureKind::Connection),
    ] {
        for (bytes, kind) in [(9000, FailureKind::Head), (100, of_small)] {
            let failed = asked_with(&certificate, &server, bytes).requests.failed;
            assert_eq!(failed.get(&kind), Some(&2), "{failed:?}");
        }
    }
}

#[test]
fn a_reset_is_told_by_the_name_of_its_code() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        while let Ok((mut send, _receive)) = connection.accept_bi().await {
            let _ = send.reset(code(Code::ExcessiveLoad));
        }
    });
    let asked = json!({"connections": 1, "stop": {"requests": 1}});
    let report = load(&certificate, &server, asked);
    let said = "the server reset the stream with H3_EXCESSIVE_LOAD";
    assert_eq!(report.failures[0].detail, said);
}

#[test]
fn a_connection_that_the_server_ends_for_a_reason_is_told_with_it() {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, Kind::default(), |connection| async move {
        let _control = Control::open(&connection).await;
        let (mut send, mut receive) = connection.accept_bi().await.expect("a request");
        answer(&mut send, &mut receive, &response(200, b"ok")).await;
        let _second = connection.accept_bi().await;
        connection.close(code(Code::ExcessiveLoad), b"too_many_pings");
    });
    let asked = json!({"connections": 1, "streams": 1, "stop": {"requests": 2}});
    let report = load(&certificate, &server, asked);
    assert_eq!(report.requests.failed[&FailureKind::Connection], 1);
    assert_eq!(report.connections.failed[&ConnectionFailureKind::Reset], 1);
    let said = "H3_EXCESSIVE_LOAD: too_many_pings";
    assert!(
        report
            .failures
            .iter()
            .all(|failure| failure.detail.contains(said)),
        "{:?}",
        report.failures
    );
}

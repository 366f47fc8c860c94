//! Content of requests, and a client's own certificate; over HTTP/1.1 and 2, `tests/counts/uploads.rs` and `ways.rs`.

use std::time::Duration;

use bytes::BytesMut;
use pronghorn_http3::Code;
use serde_json::json;
use tempfile::NamedTempFile;

use super::loads::load;
use super::server::{Certificate, Control, HOST_NAME, Kind, Server, answer_all, response};
use crate::quic::code;
use crate::{FailureKind, LoadReport};

/// What a server does with a request's content before it answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taking {
    Reads,
    Leaves,
    /// As RFC 9114 §4.1 has it of content that isn't needed.
    Stops,
}

/// Two requests whose content is a file of holes.
fn upload(kind: Kind, bytes: u64, taking: Taking) -> LoadReport {
    let certificate = Certificate::new();
    let server = Server::start(&certificate, kind, move |connection| async move {
        if taking == Taking::Reads {
            return answer_all(connection, response(200, b"ok")).await;
        }
        let _control = Control::open(&connection).await;
        let mut kept = Vec::new();
        while let Ok((mut send, mut receive)) = connection.accept_bi().await {
            if taking == Taking::Stops {
                let _ = receive.stop(code(Code::NoError));
            }
            let said: BytesMut = response(200, b"ok");
            let _ = send.write_all(&said).await;
            let _ = send.finish();
            kept.push(receive);
        }
    });
    let body = NamedTempFile::new().expect("a file");
    body.as_file().set_len(bytes).expect("it has holes");
    let target = json!({
        "url": format!("https://{HOST_NAME}/"), "method": "POST", "body_file": body.path(),
    });
    let asked = json!({"targets": [target], "connections": 1, "stop": {"requests": 2}});
    load(&certificate, &server, asked)
}

#[test]
fn a_file_is_sent_whole_and_counts() {
    let report = upload(Kind::default(), 3_000_000, Taking::Reads);
    assert_eq!(report.requests.succeeded, 2, "{:?}", report.failures);
    assert_eq!(report.bytes.uploaded, 6_000_000);
}

#[test]
fn an_upload_that_is_answered_before_it_was_sent_is_no_success() {
    let windows = |stream_window| Kind {
        stream_window,
        ..Kind::default()
    };
    for (kind, bytes, taking) in [
        (windows(65_536), 1 << 30, Taking::Leaves),
        (windows(65_536), 1 << 30, Taking::Stops),
        // All of it is handed over at once, and sent as the congestion window allows.
        (windows(16 << 20), 8 << 20, Taking::Stops),
    ] {
        let report = upload(kind, bytes, taking);
        let early = report.requests.failed.get(&FailureKind::Early);
        assert_eq!(early, Some(&2), "{:?}", report.requests);
        assert_eq!(
            (report.requests.statuses[&200], report.bytes.uploaded),
            (2, 0)
        );
    }
}

/// As a server does that can't keep up.
#[test]
fn datagrams_that_the_server_s_socket_has_no_room_for_are_counted() {
    let certificate = Certificate::new();
    let kind = Kind {
        receive_buffer: 4096,
        ..Kind::default()
    };
    let server = Server::start(&certificate, kind, |connection| async move {
        // Nothing is read of any connection meanwhile.
        std::thread::sleep(Duration::from_millis(100));
        answer_all(connection, response(200, b"ok")).await;
    });
    let body = NamedTempFile::new().expect("a file");
    body.as_file().set_len(50_000).expect("it has holes");
    let target = json!({
        "url": format!("https://{HOST_NAME}/"), "method": "POST", "body_file": body.path(),
    });
    let asked = json!({"targets": [target], "connections": 5, "stop": {"requests": 10}});
    let report = load(&certificate, &server, asked);
    assert_eq!(report.requests.succeeded, 10, "{:?}", report.failures);
    assert!(report.server_drops.is_some_and(|drops| drops > 0));
}

#[test]
fn a_server_that_wants_a_certificate_is_shown_ours() {
    let certificate = Certificate::new();
    let kind = Kind {
        wants_certificate: true,
        ..Kind::default()
    };
    let server = Server::start(&certificate, kind, |connection| {
        answer_all(connection, response(200, b"ok"))
    });
    let with = |tls: serde_json::Value| {
        let asked = json!({"tls": tls, "connections": 1, "stop": {"requests": 2}, "limit_s": 5.0});
        load(&certificate, &server, asked)
    };
    // The server trusts whom it is itself.
    let (ca, key) = (certificate.path(), certificate.key());
    let report = with(json!({"ca": ca, "certificate": ca, "key": key}));
    assert_eq!(report.requests.succeeded, 2, "{:?}", report.failures);
    assert_eq!(with(json!({"ca": ca})).requests.succeeded, 0);
}

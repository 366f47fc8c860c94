//! TLS sessions over TCP: each connection goes on with one that an earlier one has gained.

use pronghorn_http::Protocol;
use pronghorn_load::LoadReport;
use serde_json::{Value, json};

use crate::load;
use crate::server::{STATUS_200, Then, h1, h1_response, h2, h2_response, start};
use crate::tls::{Certificate, HOST_NAME, Plain};

/// Twenty requests, each over a connection of its own, two at a time.
fn resumed(protocol: Protocol, more: Value) -> LoadReport {
    let certificate = Certificate::new();
    let config = certificate.server(protocol);
    let port = start(move |stream, _| {
        let plain = Plain::new(&config, stream);
        match protocol {
            Protocol::H1 => h1(plain, |_| (h1_response(200), Then::Goes)),
            _ => h2(plain, |id, _| (h2_response(id, STATUS_200), Then::Goes)),
        }
    });
    let mut spec = json!({
        "targets": [{"url": format!("https://{HOST_NAME}:{port}/")}],
        "address": "127.0.0.1",
        "connect": "each",
        "connections": 2,
        "stop": {"requests": 20},
        "tls": {"ca": certificate.path()},
    });
    for (key, value) in more.as_object().expect("an object") {
        spec[key] = value.clone();
    }
    if let Some(version) = more.get("version") {
        spec["tls"]["version"] = version.clone();
        spec.as_object_mut().expect("an object").remove("version");
    }
    let report = load(&protocol.to_string(), port, spec);
    assert_eq!((report.requests.succeeded, report.finished), (20, true));
    assert_eq!(report.connections.established, 20);
    report
}

#[test]
fn every_connection_is_resumed() {
    for (protocol, version) in [
        (Protocol::H1, "1.3"),
        (Protocol::H2, "1.3"),
        (Protocol::H2, "1.2"),
    ] {
        let more = json!({"session": "resumed", "version": version});
        let report = resumed(protocol, more);
        let counts = (
            report.connections.resumed,
            report.connections.early_data_accepted,
        );
        assert_eq!(counts, (20, 0), "{protocol} over TLS {version}");
    }
}

/// Tickets come only after the response to early data, and only to a connection that is still there.
#[test]
fn every_connection_is_resumed_with_early_data() {
    for protocol in [Protocol::H1, Protocol::H2] {
        let report = resumed(protocol, json!({"session": "0rtt"}));
        let counts = (
            report.connections.resumed,
            report.connections.early_data_accepted,
        );
        assert_eq!(counts, (20, 20), "{protocol}");
    }
}

#[test]
fn without_sessions_every_handshake_is_whole() {
    let report = resumed(Protocol::H1, json!({}));
    assert_eq!(report.connections.resumed, 0);
}

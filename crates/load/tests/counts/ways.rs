//! How a server is reached: over a Unix socket, and with a certificate of the client's own.

use std::os::unix::net::UnixListener;
use std::sync::Arc;

use pronghorn_http::Protocol;
use pronghorn_load::{ConnectionFailureKind, Load, LoadSpec};
use serde_json::{Value, json};

use crate::load;
use crate::server::{STATUS_200, Then, h1, h1_response, h2, h2_response, start};
use crate::tls::{Certificate, HOST_NAME, Plain};

fn refused(spec: Value) -> String {
    let spec: LoadSpec = serde_json::from_value(spec).expect("a specification");
    Load::new(&spec).err().expect("it is refused").to_string()
}

#[test]
fn a_server_on_a_unix_socket_is_loaded_over_http_1_and_2() {
    for protocol in ["h1", "h2"] {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).expect("a socket");
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                std::thread::spawn(move || match protocol {
                    "h1" => h1(stream, |_| (h1_response(200), Then::Goes)),
                    _ => h2(stream, |id, _| (h2_response(id, STATUS_200), Then::Goes)),
                });
            }
        });
        let more = json!({"unix_socket": path, "connections": 2});
        let report = load(protocol, 80, more);
        assert_eq!(report.requests.succeeded, 40, "{:?}", report.failures);
        assert_eq!(report.congestion_controller, None);
        // Nobody tells how many bytes are on a wire that there isn't.
        assert_eq!((report.bytes.payload, report.bytes.wire_received), (200, 0));
        let more = json!({"unix_socket": folder.path().join("nowhere"), "stop": {"requests": 1}, "limit_s": 1.0});
        let report = load(protocol, 80, more);
        let failed = report.connections.failed;
        assert!(
            failed[&ConnectionFailureKind::Unreachable] > 0,
            "{failed:?}"
        );
    }
}

#[test]
fn what_a_unix_socket_does_not_have_is_refused() {
    let spec = |protocol: &str, more: Value| {
        let mut spec = json!({
            "targets": [{"url": "https://localhost/"}], "protocol": protocol, "unix_socket": "/s",
            "congestion_control": {}, "tls": {"insecure": true}, "stop": {"requests": 1},
        });
        for (key, value) in more.as_object().expect("an object") {
            spec[key] = value.clone();
        }
        spec
    };
    for (protocol, more, said) in [
        (
            "h3",
            json!({"congestion_control": {"quic": "cubic"}}),
            "unix_socket: QUIC goes over UDP",
        ),
        (
            "h2",
            json!({"congestion_control": {"tcp": "cubic"}}),
            "congestion_control.tcp: ",
        ),
        (
            "h2",
            json!({"port": 80}),
            "unix_socket: it has no address, port or zone",
        ),
    ] {
        let found = refused(spec(protocol, more));
        assert!(found.starts_with(said), "{found}");
    }
}

#[test]
fn a_server_that_wants_a_certificate_is_shown_ours() {
    for protocol in [Protocol::H1, Protocol::H2] {
        let certificate = Certificate::new();
        let ours = Certificate::new();
        let config = Arc::new(certificate.server_wanting(protocol, &ours));
        let port = start(move |stream, _| {
            let plain = Plain::new(&config, stream);
            match protocol {
                Protocol::H1 => h1(plain, |_| (h1_response(200), Then::Goes)),
                _ => h2(plain, |id, _| (h2_response(id, STATUS_200), Then::Goes)),
            }
        });
        let with = |tls: Value| {
            let more = json!({
                "targets": [{"url": format!("https://{HOST_NAME}:{port}/")}],
                "address": "127.0.0.1", "tls": tls, "stop": {"requests": 4}, "limit_s": 5.0,
            });
            load(&protocol.to_string(), port, more)
        };
        let ca = certificate.path();
        let report = with(json!({"ca": ca, "certificate": ours.path(), "key": ours.key()}));
        assert_eq!(report.requests.succeeded, 4, "{:?}", report.failures);
        assert_eq!(with(json!({"ca": ca})).requests.succeeded, 0);
    }
}

#[test]
fn a_certificate_has_its_key() {
    let [one, other] = [Certificate::new(), Certificate::new()];
    let spec = |tls: Value| {
        json!({
            "targets": [{"url": "https://127.0.0.1/"}], "protocol": "h2", "tls": tls,
            "congestion_control": {}, "stop": {"requests": 1},
        })
    };
    let alone = refused(spec(json!({"insecure": true, "certificate": one.path()})));
    assert!(alone.contains("a certificate without its key"), "{alone}");
    let foreign = json!({"insecure": true, "certificate": one.path(), "key": other.key()});
    assert!(!refused(spec(foreign)).is_empty());
}

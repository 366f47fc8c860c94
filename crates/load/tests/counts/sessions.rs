//! TLS sessions over TCP: each connection goes on with one that an earlier one has gained.

use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use pronghorn_http::Protocol;
use pronghorn_load::LoadReport;
use serde_json::{Value, json};

use crate::load;
use crate::server::{STATUS_200, Then, frame, h1, h1_response, h2, h2_response, start};
use crate::tls::{Certificate, HOST_NAME, Plain};

/// Frames' types and a flag of the last (RFC 9113 §6).
const HEADERS: u8 = 1;
const PING: u8 = 6;
const ACK: u8 = 1;

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

/// A connection whose server reads on, and so gives tickets, only once the next one is answered.
struct Held {
    plain: Plain,
    number: usize,
    answered: Arc<(Mutex<usize>, Condvar)>,
    is_answered: bool,
}

impl Read for Held {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_answered {
            let (last, changed) = &*self.answered;
            let last = last.lock().expect("nobody panics");
            let patience = Duration::from_secs(10);
            let waited = changed.wait_timeout_while(last, patience, |last| *last <= self.number);
            drop(waited.expect("nobody panics"));
        }
        self.plain.read(buffer)
    }
}

impl Write for Held {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.plain.write(bytes)?;
        let (last, changed) = &*self.answered;
        let mut last = last.lock().expect("nobody panics");
        *last = self.number.max(*last);
        changed.notify_all();
        // The first one, which gains the first sessions, isn't held.
        self.is_answered = self.number > 0;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.plain.flush()
    }
}

#[test]
fn a_connection_that_waits_for_its_ticket_does_not_hold_up_the_next() {
    let certificate = Certificate::new();
    let config = certificate.server(Protocol::H1);
    let answered = Arc::default();
    let port = start(move |stream, number| {
        let held = Held {
            plain: Plain::new(&config, stream),
            number,
            answered: Arc::clone(&answered),
            is_answered: false,
        };
        h1(held, |_| (h1_response(200), Then::Goes));
    });
    let spec = json!({
        "targets": [{"url": format!("https://{HOST_NAME}:{port}/")}],
        "address": "127.0.0.1",
        "connect": "each",
        "session": "0rtt",
        "stop": {"requests": 10},
        "tls": {"ca": certificate.path()},
    });
    let report = load("h1", port, spec);
    assert_eq!(report.requests.succeeded, 10);
    let connections = report.connections;
    assert_eq!((connections.established, connections.resumed), (10, 10));
}

/// A connection whose server, once it has answered, reads nothing more and sends PINGs' answers for ever.
struct Flood {
    plain: Plain,
    is_first: bool,
}

impl Read for Flood {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.plain.read(buffer)
    }
}

impl Write for Flood {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.plain.write(bytes)?;
        let is_response = bytes.get(3) == Some(&HEADERS);
        if is_response && !self.is_first {
            let pings = frame(PING, ACK, 0, &[0; 8]).repeat(2000);
            loop {
                self.plain.write_all(&pings)?;
            }
        }
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.plain.flush()
    }
}

#[test]
fn a_flood_on_a_connection_that_waits_for_its_ticket_does_not_keep_the_load_from_its_end() {
    let certificate = Certificate::new();
    let config = certificate.server(Protocol::H2);
    let port = start(move |stream, number| {
        let flood = Flood {
            plain: Plain::new(&config, stream),
            is_first: number == 0,
        };
        h2(flood, |id, _| (h2_response(id, STATUS_200), Then::Goes));
    });
    let spec = json!({
        "targets": [{"url": format!("https://{HOST_NAME}:{port}/")}],
        "address": "127.0.0.1",
        "connect": "each",
        "session": "0rtt",
        "stop": {"requests": 4},
        "tls": {"ca": certificate.path()},
    });
    let report = load("h2", port, spec);
    assert_eq!((report.requests.succeeded, report.finished), (4, true));
}

#[test]
fn without_sessions_every_handshake_is_whole() {
    let report = resumed(Protocol::H1, json!({}));
    assert_eq!(report.connections.resumed, 0);
}

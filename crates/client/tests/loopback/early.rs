//! Requests that come as early data (0-RTT): which are answered at once and which have to come again.

use http::Method;
use pronghorn_client::{EarlyData, LoadError, Outcome, PageLoad, Reason, Target};
use pronghorn_http::{Protocol, SessionUse};
use pronghorn_origin::{AccessLog, EXECUTE_PATH, LogEntry, Origin};

use super::fixture::{AMPLE, Fixture, PROTOCOLS, on_one_thread, target};

/// How often a load is made that can't go as early data on a host that is too busy: over QUIC a request is early
/// if it meets a server that hasn't done its handshake yet.
const ATTEMPTS: usize = 20;

/// A page that needs nothing else.
pub(crate) fn fixture() -> Fixture {
    Fixture::new(&[("site/index.html", b"<p>All of it.")])
}

/// An origin that takes early data: its port and its log.
pub(crate) fn serve(fixture: &Fixture) -> (u16, AccessLog) {
    let origin: Origin = fixture.origin_with(true, &[]);
    let (port, log) = (origin.port(), origin.log());
    tokio::task::spawn_local(origin.serve());
    (port, log)
}

pub(crate) async fn load(
    target: &Target,
    session: SessionUse,
    method: Method,
    path: &str,
) -> PageLoad {
    let target = Target {
        session,
        method,
        ..target.clone()
    };
    pronghorn_client::load(target, path, AMPLE)
        .await
        .expect("usable TLS")
}

/// Gains a session by a GET of `/`, and makes the request as early data, which the origin must have accepted.
pub(crate) async fn early(target: &Target, port: u16, method: &Method, path: &str) -> PageLoad {
    let direct = Target {
        address: (target.address.ip(), port).into(),
        ..target.clone()
    };
    load(&direct, SessionUse::Gain, Method::GET, "/").await;
    let page = load(target, SessionUse::ZeroRtt, method.clone(), path).await;
    assert_eq!(page.connections[0].early_data, Some(EarlyData::Accepted));
    assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
    page
}

/// The entries of a path: method, status, and whether it was early.
pub(crate) fn entries(log: &AccessLog, path: &str) -> Vec<(String, u16, bool)> {
    let of_path = |entry: &LogEntry| entry.path == path;
    log.entries()
        .into_iter()
        .filter(of_path)
        .map(|entry| (entry.method, entry.status, entry.early))
        .collect()
}

fn post(status: u16, early: bool) -> (String, u16, bool) {
    ("POST".to_owned(), status, early)
}

#[test]
fn a_post_in_early_data_is_answered_425_repeated_after_the_handshake_and_executed_once() {
    let fixture = fixture();
    for protocol in PROTOCOLS {
        on_one_thread(async {
            let (port, log) = serve(&fixture);
            let base = target(&fixture.path("ca.pem"), port, protocol);
            let cold = load(&base, SessionUse::Cold, Method::POST, EXECUTE_PATH).await;
            for attempt in 1.. {
                assert!(attempt <= ATTEMPTS, "{protocol}: never early");
                let before = entries(&log, EXECUTE_PATH).len();
                let page = early(&base, port, &Method::POST, EXECUTE_PATH).await;
                let executed = entries(&log, EXECUTE_PATH).split_off(before);
                let document = &page.resources[0];
                assert_eq!(
                    (document.method.as_str(), document.status),
                    ("POST", Some(204))
                );
                let Some(too_early_s) = document.too_early_s else {
                    assert_eq!(protocol, Protocol::H3, "over TCP it is early or rejected");
                    assert_eq!(executed, [post(204, false)], "{protocol}");
                    continue;
                };
                assert_eq!(executed, [post(425, true), post(204, false)], "{protocol}");
                assert_eq!(
                    page.connections.len(),
                    1,
                    "{protocol}: over the same connection"
                );
                assert!(document.request_s <= Some(too_early_s));
                assert!(Some(too_early_s) <= document.first_byte_s);
                // What early data spares, the repetition costs.
                assert_eq!(page.round_trips, cold.round_trips, "{protocol}");
                break;
            }
        });
    }
}

#[test]
fn a_get_in_early_data_is_served_at_once() {
    let fixture = fixture();
    for protocol in PROTOCOLS {
        on_one_thread(async {
            let (port, log) = serve(&fixture);
            let base = target(&fixture.path("ca.pem"), port, protocol);
            for attempt in 1.. {
                assert!(attempt <= ATTEMPTS, "{protocol}: never early");
                let page = early(&base, port, &Method::GET, "/").await;
                assert_eq!(page.resources[0].too_early_s, None, "{protocol}");
                let (method, status, was_early) = entries(&log, "/").pop().expect("an entry");
                assert_eq!((method.as_str(), status), ("GET", 200), "{protocol}");
                if was_early {
                    break;
                }
                assert_eq!(protocol, Protocol::H3, "over TCP it is early or rejected");
            }
        });
    }
}

#[test]
fn a_post_after_the_handshake_is_executed_at_once() {
    let fixture = fixture();
    for protocol in PROTOCOLS {
        on_one_thread(async {
            let (port, log) = serve(&fixture);
            let base = target(&fixture.path("ca.pem"), port, protocol);
            load(&base, SessionUse::Gain, Method::GET, "/").await;
            for session in [SessionUse::Cold, SessionUse::Resumed] {
                let page = load(&base, session, Method::POST, EXECUTE_PATH).await;
                assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
                assert_eq!(page.resources[0].too_early_s, None, "{protocol}");
            }
            let executed = [post(204, false), post(204, false)];
            assert_eq!(entries(&log, EXECUTE_PATH), executed, "{protocol}");
        });
    }
}

#[test]
fn a_post_of_a_file_is_no_execution() {
    let fixture = fixture();
    for protocol in PROTOCOLS {
        on_one_thread(async {
            let (port, log) = serve(&fixture);
            let base = target(&fixture.path("ca.pem"), port, protocol);
            let page = load(&base, SessionUse::Cold, Method::POST, "/").await;
            assert_eq!(page.reason, Some(Reason::Status), "{protocol}");
            assert_eq!(entries(&log, "/"), [post(405, false)], "{protocol}");
        });
    }
}

#[test]
fn a_method_that_asks_for_no_resource_is_refused() {
    let fixture = fixture();
    on_one_thread(async {
        let base = target(&fixture.path("ca.pem"), 443, Protocol::H2);
        let connect = Target {
            method: Method::CONNECT,
            ..base
        };
        let refused = pronghorn_client::load(connect, "/", AMPLE).await;
        assert!(matches!(refused, Err(LoadError::Connect)));
    });
}

//! Requests that are due whatever becomes of others.

use std::time::Duration;

use pronghorn_load::{ConnectionFailureKind, FailureKind};
use serde_json::json;

use crate::server::{Then, h1, h1_response, start};
use crate::{failed_as, load};

#[test]
fn an_open_loop_sends_what_is_due_or_tells_of_it() {
    let port = start(|stream, _| h1(stream, |_| (h1_response(200), Then::Goes)));
    let arrivals = json!({"rate_per_s": 400.0, "distribution": "poisson", "seed": 4});
    let more =
        json!({"arrivals": arrivals, "connections": 3, "threads": 3, "stop": {"requests": 100}});
    let report = load("h1", port, more.clone());
    assert_eq!(
        (report.requests.succeeded, report.requests.planned),
        (100, 100)
    );
    let mut late = more;
    late["stop"] = json!({"duration_s": 0.5});
    late["connect"] = json!("each");
    let report = load("h1", port, late);
    assert!(
        report.requests.planned > 100,
        "200 in the mean: {:?}",
        report.requests
    );
}

#[test]
fn an_open_loop_gives_every_connection_its_part() {
    let port = start(|stream, _| h1(stream, |_| (h1_response(200), Then::Goes)));
    let more =
        json!({"arrivals": {"rate_per_s": 400.0}, "connections": 4, "stop": {"requests": 80}});
    let report = load("h1", port, more);
    let spread = report.connections.requests_per_second;
    assert!(spread.is_some_and(|spread| spread.min > 0.0), "{spread:?}");
}

#[test]
fn an_open_loop_that_nobody_answers_does_not_hide_what_was_due() {
    let port = start(|stream, _| h1(stream, |_| (Vec::new(), Then::Goes)));
    let more = json!({
        "arrivals": {"rate_per_s": 100.0}, "connections": 2, "stop": {"duration_s": 1.0}, "limit_s": 1.2,
    });
    let report = load("h1", port, more);
    assert_eq!((report.requests.planned, report.requests.sent), (100, 2));
    assert_eq!(
        (report.requests.unsent, failed_as(&report, FailureKind::Cut)),
        (98, 2)
    );
}

#[test]
fn what_was_to_warm_up_is_not_unsent_when_a_load_is_cut_before() {
    let port = start(|stream, _| h1(stream, |_| (h1_response(200), Then::Goes)));
    let more = json!({
        "arrivals": {"rate_per_s": 100.0}, "warm_up": {"duration_s": 20.0}, "stop": {"requests": 50}, "limit_s": 2.0,
    });
    let report = load("h1", port, more);
    assert!(report.requests.warm_up > 0 && !report.finished);
    assert_eq!((report.requests.planned, report.requests.unsent), (50, 50));
}

/// The second request is due when the server has closed the connection that it had asked for nothing.
#[test]
fn a_connection_that_the_server_finds_idle_is_no_failure() {
    let port = start(|stream, _| {
        let patience = Some(Duration::from_millis(1500));
        stream.set_read_timeout(patience).expect("it is TCP");
        h1(stream, |_| (h1_response(200), Then::Goes));
    });
    let more = json!({"arrivals": {"rate_per_s": 0.5}, "connections": 2, "stop": {"requests": 2}});
    let report = load("h1", port, more);
    assert_eq!((report.requests.succeeded, report.finished), (2, true));
    let connections = report.connections;
    assert!(connections.failed.is_empty(), "{connections:?}");
    assert!(connections.closed_by_peer >= 1, "{connections:?}");
}

#[test]
fn a_server_that_wants_no_connection_is_not_taken_for_one_that_finds_them_idle() {
    let port = start(|_, _| {});
    let more = json!({"arrivals": {"rate_per_s": 0.1}, "stop": {"requests": 2}, "limit_s": 0.8});
    let report = load("h1", port, more);
    assert_eq!(report.requests.succeeded, 0);
    assert!(report.connections.failed[&ConnectionFailureKind::Refused] > 0);
}

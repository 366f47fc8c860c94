//! Every count closes, whatever the server does: planned = sent + unsent, sent = succeeded + failed.

mod faults;
mod grpc;
mod h1;
mod h2;
mod heads;
mod open_loop;
mod payload;
mod server;
mod sessions;
mod targets;
mod tls;
mod uploads;
mod ways;

use pronghorn_load::{FailureKind, Load, LoadReport, LoadSpec};
use serde_json::{Value, json};

/// Runs a load of `protocol` in the clear against a port of this machine, with `more` of its specification.
fn load(protocol: &str, port: u16, more: Value) -> LoadReport {
    let mut spec = json!({
        "targets": [{"url": format!("http://127.0.0.1:{port}/")}],
        "protocol": protocol,
        "congestion_control": {},
        "stop": {"requests": 40},
        "limit_s": 30,
    });
    for (key, value) in more.as_object().expect("an object") {
        spec[key] = value.clone();
    }
    let spec: LoadSpec = serde_json::from_value(spec).expect("a specification");
    let load = Load::new(&spec).expect("it can be");
    let report = load.run(|_| {}).expect("it runs");
    check(&report);
    report
}

fn check(report: &LoadReport) {
    let requests = &report.requests;
    let failed: u64 = requests.failed.values().sum();
    assert_eq!(
        requests.planned,
        requests.sent + requests.unsent,
        "{requests:?}"
    );
    assert_eq!(requests.sent, requests.succeeded + failed, "{requests:?}");
    let times =
        |told: &Option<pronghorn_load::Distribution>| told.as_ref().map_or(0, |told| told.count);
    assert_eq!(times(&report.latency_seconds.total), requests.succeeded);
    assert_eq!(
        times(&report.latency_seconds.first_byte),
        requests.succeeded
    );
    assert_eq!(
        times(&report.latency_seconds.connect),
        report.connections.established
    );
    let statuses: u64 = requests.statuses.values().sum();
    let kinds = [FailureKind::Status, FailureKind::Grpc, FailureKind::Early];
    let answered = kinds.map(|kind| failed_as(report, kind));
    let answered = requests.succeeded + answered.iter().sum::<u64>();
    // Whether a head was too large is said with a status or without.
    let heads = failed_as(report, FailureKind::Head);
    assert!(
        (answered..=answered + heads).contains(&statuses),
        "{requests:?}"
    );
    let made = &report.connections;
    let not_made: u64 = made.failed.values().sum();
    assert!(made.established <= made.attempted);
    assert!(made.attempted <= made.established + not_made, "{made:?}");
}

fn failed_as(report: &LoadReport, kind: FailureKind) -> u64 {
    report.requests.failed.get(&kind).copied().unwrap_or(0)
}

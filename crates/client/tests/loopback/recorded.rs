//! Recorded pages: which request is made upon what, what is answered, and what fails.

use std::sync::Arc;
use std::time::Duration;

use pronghorn_client::{Host, Itinerary, Outcome, PageLoad, Reason, Steps, Tolerate};
use pronghorn_http::Protocol;
use pronghorn_origin::{AccessLog, Content, Match, Origin, OriginConfig, Recorded};
use serde_json::{Value, json};

use crate::fixture::{AMPLE, Fixture, HOST_NAME, PROTOCOLS, on_one_thread, target};

const PAGE: &[u8] = b"<script src=/a.js></script><p>padding</p>";

/// A recorded answer; its body is a file's name.
fn answer(method: &str, target: &str, status: u16, body: Option<&str>, think_s: f64) -> Value {
    json!({
        "host": HOST_NAME, "method": method, "target": target, "status": status,
        "headers": [["content-type", "text/plain"]], "body": body, "think_s": think_s,
    })
}

/// A recorded request, whose answer has this status and so many bytes.
fn step(
    method: &str,
    target: &str,
    answer: (u16, u64),
    cause: (Option<usize>, &str, Option<u64>),
) -> Value {
    let (status, bytes) = answer;
    let (initiator, upon, upon_bytes) = cause;
    json!({
        "host": HOST_NAME, "method": method, "target": target, "headers": [["x-asked", "yes"]],
        "content_bytes": if method == "POST" { 70_000 } else { 0 }, "kind": "other", "urgency": null, "incremental": null,
        "status": status, "bytes": bytes, "initiator": initiator, "upon": upon,
        "upon_bytes": upon_bytes, "compute_s": 0.0,
    })
}

/// Loads recorded `steps` from an origin with recorded `answers`, whose bodies are files of the fixture's folder.
fn load(
    protocol: Protocol,
    answers: &[Value],
    steps: &[Value],
    compute: bool,
) -> (PageLoad, AccessLog) {
    load_within(AMPLE, &[], protocol, answers, steps, compute)
}

/// The same, within a time, where requests for some paths may fail.
fn load_within(
    limit: Duration,
    tolerated: &[&str],
    protocol: Protocol,
    answers: &[Value],
    steps: &[Value],
    compute: bool,
) -> (PageLoad, AccessLog) {
    let tolerate = Tolerate::new(tolerated.iter().map(|&glob| glob.to_owned()).collect());
    let fixture = Fixture::new(&[("site/bodies/page", PAGE), ("site/bodies/a", b"script")]);
    let write = |name: &str, what: &[Value]| {
        let text = serde_json::to_vec(what).expect("JSON");
        std::fs::write(fixture.path(name), text).expect("a file");
    };
    write("site/answers.json", answers);
    write("site/requests.json", steps);
    let site = Arc::new(Recorded::read(&fixture.path("site")).expect("a recorded site"));
    let config = OriginConfig {
        content: Content::Recorded { site, think: 1.0 },
        ..fixture.origin_config()
    };
    let steps = Steps::read(&fixture.path("site/requests.json")).expect("requests");
    let ca = fixture.path("ca.pem");
    on_one_thread(async {
        let origin = Origin::bind(&config).expect("an origin");
        let (port, log) = (origin.port(), origin.log());
        tokio::task::spawn_local(origin.serve());
        let target = target(&ca, port, protocol);
        let host = Host {
            name: HOST_NAME.to_owned(),
            address: target.address.ip(),
            protocol,
        };
        let itinerary = Itinerary {
            steps,
            hosts: vec![host],
            compute,
        };
        let page = pronghorn_client::load_recorded(target, itinerary, limit, tolerate);
        (page.await.expect("usable TLS"), log)
    })
}

#[test]
fn every_protocol_loads_what_was_recorded_in_its_order() {
    let answers = [
        answer("GET", "/", 200, Some("page"), 0.0),
        answer("GET", "/a.js", 200, Some("a"), 0.0),
        answer("POST", "/send", 204, None, 0.0),
        answer("GET", "/gone?_=1", 410, Some("a"), 0.0),
    ];
    let steps = [
        step("GET", "/", (200, PAGE.len() as u64), (None, "end", None)),
        step("GET", "/a.js", (200, 6), (Some(0), "bytes", Some(27))),
        step("POST", "/send", (204, 0), (Some(1), "end", None)),
        step("GET", "/gone?_=2", (410, 6), (Some(2), "head", None)),
    ];
    for protocol in PROTOCOLS {
        let (page, log) = load(protocol, &answers, &steps, true);
        assert_eq!(page.outcome, Outcome::Ok, "{protocol}: {:?}", page.detail);
        assert_eq!(page.resources.len(), 4, "{protocol}");
        let after = |place: usize| page.resources[place].start_s;
        let ended = |place: usize| page.resources[place].last_byte_s.expect("an end");
        assert!(after(1) <= ended(0) && after(2) >= ended(1) && after(3) <= ended(2));
        let matched: Vec<_> = log.entries().iter().map(|entry| entry.matched).collect();
        let exact = Some(Match::Exact);
        assert_eq!(matched, [exact, exact, exact, Some(Match::Varied)]);
        assert!(
            log.entries()
                .iter()
                .all(|one| one.host.as_deref() == Some(HOST_NAME))
        );
    }
}

#[test]
fn what_was_computed_and_what_the_server_took_is_waited_for() {
    let answers = [
        answer("GET", "/", 200, Some("page"), 0.2),
        answer("GET", "/a.js", 200, Some("a"), 0.0),
    ];
    let mut steps = [
        step("GET", "/", (200, PAGE.len() as u64), (None, "end", None)),
        step("GET", "/a.js", (200, 6), (Some(0), "end", None)),
    ];
    steps[1]["compute_s"] = json!(0.3);
    for protocol in PROTOCOLS {
        for (compute, least_s) in [(true, 0.5), (false, 0.2)] {
            let (page, _) = load(protocol, &answers, &steps, compute);
            let load_s = page.load_s.expect("a load");
            assert!(load_s >= least_s, "{protocol}: {load_s}");
            let computed_s =
                page.resources[1].start_s - page.resources[0].last_byte_s.expect("an end");
            assert_eq!(computed_s >= 0.3, compute, "{protocol}: {computed_s}");
        }
    }
}

#[test]
fn another_answer_than_the_recorded_one_fails_the_load() {
    let answers = [answer("GET", "/", 200, Some("page"), 0.0)];
    let whole = PAGE.len() as u64;
    for (target, recorded, reason) in [
        ("/", (200, whole + 1), Reason::Incomplete),
        ("/", (404, whole), Reason::Status),
        ("/other", (200, whole), Reason::Status),
    ] {
        let steps = [step("GET", target, recorded, (None, "end", None))];
        let (page, log) = load(Protocol::H2, &answers, &steps, true);
        assert_eq!(page.outcome, Outcome::Failed);
        assert_eq!(page.reason, Some(reason), "{:?}", page.detail);
        let missed = log.entries()[0].matched == Some(Match::Missed);
        assert_eq!(missed, target == "/other");
    }
}

#[test]
fn what_may_fail_may_be_unfinished_at_the_time_limit() {
    let answers = [
        answer("GET", "/", 200, Some("page"), 0.0),
        answer("GET", "/slow", 200, Some("a"), 3600.0),
    ];
    let steps = [
        step("GET", "/", (200, PAGE.len() as u64), (None, "end", None)),
        step("GET", "/slow", (200, 6), (Some(0), "end", None)),
    ];
    let limit = Duration::from_secs(2);
    for (tolerated, outcome) in [(&["/slow"][..], Outcome::Ok), (&[], Outcome::Failed)] {
        let (page, _) = load_within(limit, tolerated, Protocol::H2, &answers, &steps, true);
        assert_eq!(page.outcome, outcome, "{:?}", page.detail);
        assert!(page.resources[1].error.is_some());
    }
}

#[test]
fn requests_that_can_not_be_are_refused() {
    let page = || step("GET", "/", (200, 1), (None, "end", None));
    let after = |cause| step("GET", "/a", (200, 1), cause);
    let with = |key: &str, value: Value| {
        let mut step = after((Some(0), "end", None));
        step[key] = value;
        step
    };
    for (steps, said) in [
        (
            vec![page(), after((Some(1), "end", None))],
            "request 1: it is set off by no request before it",
        ),
        (
            vec![after((Some(0), "end", None))],
            "request 0: the first request is the page's",
        ),
        (
            vec![page(), after((Some(0), "bytes", None))],
            "request 1: `upon` = bytes needs `upon_bytes`",
        ),
        (
            vec![page(), with("compute_s", json!(1e30))],
            "request 1: compute_s = 1000000000000000000000000000000; allowed is 0 to 86400",
        ),
        (
            vec![page(), with("content_bytes", json!(1_u64 << 40))],
            "request 1: content_bytes = 1099511627776; allowed is 0 to 268435456",
        ),
    ] {
        let fixture = Fixture::new(&[]);
        let text = serde_json::to_vec(&steps).expect("JSON");
        std::fs::write(fixture.path("requests.json"), text).expect("a file");
        let refused = Steps::read(&fixture.path("requests.json")).expect_err("a refusal");
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

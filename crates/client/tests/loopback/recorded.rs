//! Recorded pages: which request is made upon what, what is answered, and what fails.

use std::sync::Arc;

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
        "content_bytes": if method == "POST" { 70_000 } else { 0 }, "kind": "other", "urgency": null,
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
        let page = pronghorn_client::load_recorded(target, itinerary, AMPLE, Tolerate::default());
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
fn a_request_that_nothing_sets_off_is_refused() {
    let fixture = Fixture::new(&[]);
    let steps = [
        step("GET", "/", (200, 1), (None, "end", None)),
        step("GET", "/a", (200, 1), (Some(1), "end", None)),
    ];
    let text = serde_json::to_vec(&steps).expect("JSON");
    std::fs::write(fixture.path("requests.json"), text).expect("a file");
    let refused = Steps::read(&fixture.path("requests.json")).expect_err("a refusal");
    assert!(refused.to_string().contains("request 1"), "{refused}");
}

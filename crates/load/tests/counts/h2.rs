//! Over HTTP/2.

use pronghorn_load::{ConnectionFailureKind, FailureKind};
use serde_json::json;

use crate::server::{Count, STATUS_200, STATUS_500, Then, frame, h2, h2_response, start};
use crate::{failed_as, load};

const GOAWAY: u8 = 7;
const RST_STREAM: u8 = 3;
const REFUSED_STREAM: [u8; 4] = [0, 0, 0, 7];
const INTERNAL_ERROR: [u8; 4] = [0, 0, 0, 2];

fn goes(bytes: Vec<u8>) -> (Vec<u8>, Then) {
    (bytes, Then::Goes)
}

#[test]
fn on_the_clean_path_all_succeed() {
    let port = start(|stream, _| h2(stream, |id, _| goes(h2_response(id, STATUS_200))));
    let report = load(
        "h2",
        port,
        json!({"connections": 2, "streams": 10, "stop": {"requests": 101}}),
    );
    assert_eq!(
        (report.requests.succeeded, report.bytes.payload),
        (101, 505)
    );
    assert_eq!((report.connections.established, report.finished), (2, true));
}

#[test]
fn statuses_from_400_are_failures() {
    let port = start(|stream, _| {
        h2(stream, |id, number| {
            goes(h2_response(
                id,
                if number % 2 == 0 {
                    STATUS_200
                } else {
                    STATUS_500
                },
            ))
        })
    });
    let report = load("h2", port, json!({"streams": 5}));
    assert_eq!(report.requests.succeeded, 20);
    assert_eq!(failed_as(&report, FailureKind::Status), 20);
    assert_eq!(report.requests.statuses[&500], 20);
}

#[test]
fn a_status_that_is_none_is_against_the_rules() {
    for status in [
        "000", "099", "101", "600", "999", "20", "1000", "0200", "-20", "2x0", "",
    ] {
        let literal = [&[STATUS_200, status.len() as u8], status.as_bytes()].concat();
        let port = start(move |stream, _| h2(stream, |id, _| goes(frame(1, 0x5, id, &literal))));
        let report = load("h2", port, json!({"stop": {"requests": 2}}));
        let failed = failed_as(&report, FailureKind::Protocol);
        assert_eq!((report.requests.succeeded, failed), (0, 2), "{status:?}");
        assert!(report.requests.statuses.is_empty(), "{status:?}");
    }
}

#[test]
fn a_stream_that_is_reset_fails_and_the_others_go_on() {
    let port = start(|stream, _| {
        h2(stream, |id, number| {
            goes(if number % 4 == 0 {
                frame(RST_STREAM, 0, id, &INTERNAL_ERROR)
            } else {
                h2_response(id, STATUS_200)
            })
        })
    });
    let report = load("h2", port, json!({"streams": 8}));
    assert_eq!(failed_as(&report, FailureKind::Reset), 10);
    assert_eq!(
        (report.requests.succeeded, report.connections.attempted),
        (30, 1)
    );
}

#[test]
fn a_request_that_is_refused_is_sent_again() {
    let count = Count::default();
    let port = start(move |stream, _| {
        let count = count.clone();
        h2(stream, move |id, _| {
            goes(if count.next() % 3 == 0 {
                frame(RST_STREAM, 0, id, &REFUSED_STREAM)
            } else {
                h2_response(id, STATUS_200)
            })
        })
    });
    // One at a time, so that which of them is refused doesn't hang on the order of events.
    let report = load("h2", port, json!({}));
    assert_eq!(
        (report.requests.succeeded, report.requests.retried),
        (40, 20)
    );
}

#[test]
fn a_request_that_is_always_refused_where_nothing_is_answered_fails_after_six_attempts() {
    let port = start(|stream, _| {
        h2(stream, |id, _| {
            goes(frame(RST_STREAM, 0, id, &REFUSED_STREAM))
        })
    });
    let report = load("h2", port, json!({"stop": {"requests": 4}, "streams": 2}));
    assert_eq!(failed_as(&report, FailureKind::Refused), 4);
    assert_eq!((report.requests.sent, report.requests.retried), (4, 20));
}

/// As nginx's `keepalive_requests 10` with a hundred requests at a time: most are sent dozens of times.
#[test]
fn requests_that_goaways_leave_unprocessed_are_sent_again_for_as_long_as_others_are_answered() {
    let port = start(|stream, _| {
        h2(stream, |id, number| match number {
            0..9 => goes(h2_response(id, STATUS_200)),
            9 => {
                let goaway = frame(GOAWAY, 0, 0, &[&id.to_be_bytes()[..], &[0; 4]].concat());
                goes([h2_response(id, STATUS_200), goaway].concat())
            }
            _ => goes(Vec::new()),
        })
    });
    let report = load(
        "h2",
        port,
        json!({"stop": {"requests": 400}, "streams": 100}),
    );
    assert_eq!(report.requests.succeeded, 400, "{:?}", report.requests);
    assert!(report.requests.failed.is_empty() && report.finished);
    assert!(report.requests.retried > 400 * 6);
}

#[test]
fn a_goaway_in_the_middle_loses_nothing() {
    let port = start(|stream, _| {
        h2(stream, |id, number| match number {
            0..9 => goes(h2_response(id, STATUS_200)),
            // The tenth is answered, those after it are not.
            9 => {
                let mut bytes = frame(GOAWAY, 0, 0, &[&id.to_be_bytes()[..], &[0; 4]].concat());
                bytes.extend(h2_response(id, STATUS_200));
                goes(bytes)
            }
            _ => goes(Vec::new()),
        })
    });
    let report = load("h2", port, json!({"streams": 4}));
    assert_eq!(
        (report.requests.succeeded, report.connections.attempted),
        (40, 4)
    );
}

#[test]
fn a_lost_connection_loses_what_was_in_flight() {
    let port = start(|stream, _| {
        h2(stream, |id, number| match number {
            0..7 => goes(h2_response(id, STATUS_200)),
            _ => (Vec::new(), Then::Closes),
        })
    });
    let report = load("h2", port, json!({"streams": 2}));
    assert!(failed_as(&report, FailureKind::Connection) > 0);
    assert!(report.requests.succeeded >= 28 && report.requests.unsent == 0);
}

#[test]
fn content_other_than_stated_is_short_or_wrong() {
    // content-length: 6, and 4; the static table's entry 28 with a literal.
    let port = start(|stream, _| {
        h2(stream, |id, number| {
            let stated = if number % 2 == 0 { b'6' } else { b'4' };
            let block = [0x88, 0x0f, 0x0d, 1, stated];
            goes([frame(1, 0x4, id, &block), frame(0, 0x1, id, b"hello")].concat())
        })
    });
    let report = load("h2", port, json!({}));
    assert_eq!(failed_as(&report, FailureKind::Short), 20);
    assert_eq!(failed_as(&report, FailureKind::Protocol), 20);
}

#[test]
fn a_request_without_an_answer_times_out_and_the_connection_goes_on() {
    let port = start(|stream, _| {
        h2(stream, |id, number| {
            goes(if number % 10 == 0 {
                Vec::new()
            } else {
                h2_response(id, STATUS_200)
            })
        })
    });
    let report = load("h2", port, json!({"streams": 2, "request_timeout_s": 0.4}));
    assert_eq!(report.connections.attempted, 1);
    let timed_out = failed_as(&report, FailureKind::Timeout);
    // Whoever is slow makes more of them.
    assert!(timed_out >= 4 && report.finished, "{:?}", report.requests);
}

#[test]
fn frames_against_the_rules_end_the_connection() {
    let port = start(|stream, _| {
        // Content without a head.
        h2(stream, |id, _| goes(frame(0, 0x1, id, b"hello")))
    });
    let report = load("h2", port, json!({"stop": {"requests": 3}}));
    assert_eq!(failed_as(&report, FailureKind::Protocol), 3);
    assert_eq!(
        report.connections.failed[&ConnectionFailureKind::Protocol],
        3
    );
}

#[test]
fn a_server_that_allows_fewer_streams_is_asked_for_no_more() {
    let most = std::sync::Arc::new(std::sync::Mutex::new((0, 0)));
    let seen = most.clone();
    let port = start(move |mut stream, _| {
        use std::io::Write;
        // MAX_CONCURRENT_STREAMS 3, before the helper's own SETTINGS.
        let _ = stream.write_all(&frame(4, 0, 0, &[0, 3, 0, 0, 0, 3]));
        let mut waiting = Vec::new();
        let seen = seen.clone();
        h2(stream, move |id, _| {
            waiting.push(id);
            let mut seen = seen.lock().expect("nobody panics");
            seen.0 += 1;
            seen.1 = seen.1.max(waiting.len());
            // The client's first requests may be on their way before it has read the SETTINGS.
            if waiting.len() < 3 && seen.0 < 30 {
                return goes(Vec::new());
            }
            goes(
                waiting
                    .drain(..)
                    .flat_map(|id| h2_response(id, STATUS_200))
                    .collect(),
            )
        });
    });
    let report = load("h2", port, json!({"streams": 10, "stop": {"requests": 30}}));
    assert_eq!(report.requests.succeeded, 30);
    assert!(most.lock().expect("nobody panics").1 <= 3);
    assert_eq!(report.connections.streams_allowed, Some(3));
    assert_eq!(report.connections.most_under_way, 3);
}

#[test]
fn content_of_requests_waits_for_the_windows() {
    let port = start(|stream, _| h2_upload(stream));
    let body = "YWJj".repeat(60_000);
    let target =
        json!({"url": format!("http://127.0.0.1:{port}/"), "method": "POST", "body": body});
    let report = load(
        "h2",
        port,
        json!({"targets": [target], "streams": 3, "stop": {"requests": 5}}),
    );
    assert_eq!(report.requests.succeeded, 5);
}

/// Answers a request once its 180 000 bytes have come, and gives windows back a frame at a time.
fn h2_upload(mut stream: std::net::TcpStream) {
    use std::collections::HashMap;
    use std::io::{Read, Write};
    let mut come = HashMap::new();
    let mut preface = [0; 24];
    if stream.read_exact(&mut preface).is_err() || stream.write_all(&frame(4, 0, 0, &[])).is_err() {
        return;
    }
    let mut head = [0; 9];
    while stream.read_exact(&mut head).is_ok() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let id = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let mut payload = vec![0; length as usize];
        if stream.read_exact(&mut payload).is_err() {
            return;
        }
        if head[3] != 0 || length == 0 {
            continue;
        }
        let sum = come.entry(id).or_insert(0);
        *sum += length;
        let mut answer = frame(8, 0, 0, &length.to_be_bytes());
        if head[4] & 1 == 1 {
            assert_eq!(*sum, 180_000, "all of the content came");
            answer.extend(h2_response(id, STATUS_200));
        } else {
            answer.extend(frame(8, 0, id, &length.to_be_bytes()));
        }
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

#[test]
fn a_connection_a_request_serves_its_further_attempts_too() {
    let port = start(|stream, _| {
        h2(stream, |id, number| {
            goes(if number == 0 {
                frame(RST_STREAM, 0, id, &REFUSED_STREAM)
            } else {
                h2_response(id, STATUS_200)
            })
        })
    });
    let report = load("h2", port, json!({"connect": "each"}));
    assert_eq!(
        (report.requests.succeeded, report.requests.retried),
        (40, 40)
    );
    assert_eq!(report.connections.attempted, 40);
}

/// Such as one that is shutting down.
#[test]
fn a_server_that_sends_every_connection_away_is_spared_a_storm() {
    let port = start(|stream, _| h2(stream, |_, _| goes(frame(GOAWAY, 0, 0, &[0; 8]))));
    let report = load("h2", port, json!({"stop": {"duration_s": 1.0}}));
    assert!(report.requests.succeeded == 0 && report.requests.retried > 0);
    // One at the beginning, and then one each tenth of a second, to the last attempt of a request begun at the end.
    assert!(
        (2..=20).contains(&report.connections.attempted),
        "{:?}",
        report.connections
    );
}

//! What is recorded of QUIC connections: flights and qlogs.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pronghorn_client::{Outcome, PageLoad, Target};
use pronghorn_flight::{ConnectionFlight, End, Flight, Recorder, Transport, monotonic_s};
use pronghorn_http::{Protocol, QlogFolder, QuicWatch};
use serde_json::Value;

use crate::fixture::{AMPLE, Fixture, on_one_thread, target};

/// The bytes of the page.
const PAGE: usize = 3_000_000;

/// Loads a large page over HTTP/3 with both ends watched.
fn load(quic_watch: &QuicWatch) -> PageLoad {
    let fixture = Fixture::new(&[("site/index.html", &[b'a'; PAGE])]);
    on_one_thread(async {
        let origin = fixture.origin_watched(quic_watch.clone());
        let port = origin.port();
        let serving = tokio::task::spawn_local(origin.serve());
        let target = Target {
            quic_watch: quic_watch.clone(),
            ..target(&fixture.path("ca.pem"), port, Protocol::H3)
        };
        let page = pronghorn_client::load(target, "/", AMPLE).await;
        serving.abort();
        page.expect("usable TLS")
    })
}

fn end_of(flight: &Flight, end: End) -> &ConnectionFlight {
    let mut of_end = flight.connections.iter().filter(|one| one.host == end);
    let first = of_end.next().expect("the connection's end was looked at");
    assert!(of_end.next().is_none(), "there was one connection");
    first
}

#[test]
fn both_ends_of_a_quic_connection_are_recorded() {
    let recorder = Recorder::new(0.001).expect("an interval");
    recorder.begin();
    let page = load(&QuicWatch {
        flight: Some(Arc::clone(&recorder)),
        qlog: None,
    });
    assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
    let flight = recorder.flight().expect("it has begun");
    let [client, server] = [End::Client, End::Server].map(|end| end_of(&flight, end));
    assert_eq!(
        (client.local_port, client.local_address.as_str()),
        (server.peer_port, server.peer_address.as_str())
    );
    assert_eq!(
        (client.peer_port, client.peer_address.as_str()),
        (server.local_port, server.local_address.as_str())
    );
    for end in [client, server] {
        assert_eq!(end.transport, Transport::Quic);
        assert_eq!(end.congestion_controller.as_deref(), Some("cubic"));
        assert!(end.mss >= Some(1200), "{:?}", end.mss);
        let last = end.mss_changes.last().map(|change| change.bytes);
        assert!(last.is_some() && last == end.mss);
        assert_eq!(end.black_holes, Some(0));
        let samples = &end.samples;
        assert!(samples.at_s.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(samples.cwnd_bytes.iter().all(|bytes| *bytes > Some(0)));
        assert!(samples.srtt_s.iter().all(|srtt_s| *srtt_s > Some(0.0)));
        assert!(samples.timeouts.iter().any(Option::is_some));
        assert!(samples.retransmits.iter().all(Option::is_none));
    }
    let last = |column: &[Option<u64>]| column.iter().flatten().copied().max();
    assert!(last(&server.samples.acked_bytes) > Some(PAGE as u64 / 2));
    assert!(last(&client.samples.acked_bytes) < Some(PAGE as u64 / 10));
    assert!(last(&server.samples.in_flight_bytes) > Some(1200));
    // The page's start lies on the flight's axis, before its connection was looked at.
    let start_s = page.started_monotonic_s - flight.clock_base_monotonic_s;
    assert!(start_s >= -0.001 && start_s <= client.samples.at_s[0]);
    assert!(flight.cost.ticks >= 2 && flight.cost.cpu_s > 0.0);
}

#[test]
fn a_load_says_when_it_began_on_the_clock_of_all_programs() {
    let before_s = monotonic_s(std::time::Instant::now());
    let page = load(&QuicWatch::default());
    let after_s = monotonic_s(std::time::Instant::now());
    let began_s = page.started_monotonic_s;
    assert!((before_s - 0.001..after_s).contains(&began_s));
}

/// The events that quinn writes, all of qlog 0.3 (draft-ietf-quic-qlog-quic-events-01), and what each has in its data.
const EVENTS: [(&str, &[&str]); 4] = [
    (
        "transport:packet_sent",
        &["header", "frames", "is_coalesced", "raw"],
    ),
    (
        "transport:packet_received",
        &["header", "frames", "is_coalesced", "raw"],
    ),
    (
        "recovery:metrics_updated",
        &[
            "min_rtt",
            "smoothed_rtt",
            "latest_rtt",
            "rtt_variance",
            "pto_count",
            "congestion_window",
            "bytes_in_flight",
            "ssthresh",
            "packets_in_flight",
            "pacing_rate",
        ],
    ),
    ("recovery:packet_lost", &["header"]),
];
const PACKET_TYPES: [&str; 4] = ["initial", "handshake", "0RTT", "1RTT"];

fn records(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("the file is there");
    let records = text.split('\u{1e}').skip(1);
    let parsed = records.map(|record| serde_json::from_str(record).expect("JSON"));
    parsed.collect()
}

#[test]
fn qlogs_of_both_ends_are_of_the_schema_that_they_name() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = QlogFolder::new(&place.path().join("qlog")).expect("a folder");
    let page = load(&QuicWatch {
        flight: None,
        qlog: Some(Arc::clone(&folder)),
    });
    assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
    assert_eq!((folder.files(), folder.fault()), (2, None));
    for end in ["client", "server"] {
        let file = place.path().join("qlog").join(format!("{end}-0.sqlog"));
        let records = records(&file);
        let (header, events) = records.split_first().expect("a header");
        assert_eq!(header["qlog_version"], "0.3");
        assert_eq!(header["qlog_format"], "JSON-SEQ");
        assert_eq!(header["trace"]["vantage_point"]["type"], end);
        assert!(events.iter().all(|event| event.get("group_id").is_none()));
        let mut before_ms = 0.0;
        for event in events {
            let at_ms = event["time"].as_f64().expect("a time");
            assert!(at_ms >= before_ms, "{at_ms} after {before_ms}");
            before_ms = at_ms;
            let name = event["name"].as_str().expect("a name");
            let known = EVENTS.iter().find(|(known, _)| *known == name);
            let (_, fields) = known.expect("an event of quinn's");
            let data = event["data"].as_object().expect("data");
            assert!(
                data.keys().all(|key| fields.contains(&key.as_str())),
                "{event}"
            );
            if fields.contains(&"header") {
                let kind = data["header"]["packet_type"].as_str().expect("a type");
                assert!(PACKET_TYPES.contains(&kind), "{event}");
                assert!(data["header"]["packet_number"].is_u64(), "{event}");
            }
        }
        for (name, _) in &EVENTS[..3] {
            assert!(events.iter().any(|event| event["name"] == *name), "{name}");
        }
    }
    let sent = |end: &str| {
        let file = place.path().join("qlog").join(format!("{end}-0.sqlog"));
        let records = records(&file);
        let sent = records
            .iter()
            .filter(|record| record["name"] == EVENTS[0].0);
        sent.count()
    };
    assert!(sent("server") > PAGE / 65_536, "every packet is told");
}

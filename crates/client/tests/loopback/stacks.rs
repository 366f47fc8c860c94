//! HTTP/3 over s2n-quic: the same page, told by both ends.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use pronghorn_client::{Outcome, PageLoad, Target};
use pronghorn_flight::{End, Recorder};
use pronghorn_http::{
    CongestionControl, Protocol, QuicCongestionControl, QuicSettings, QuicStack, QuicWatch,
    Settings, TransportKnobs,
};
use pronghorn_origin::{ConnectionEntry, Face, Origin, OriginConfig};

use crate::fixture::{AMPLE, Fixture, on_one_thread, target};

/// The bytes of the script: many times a first window, and what is handed over at a time.
const SCRIPT: usize = 2_000_000;

/// Loads a page over s2n-quic at both ends, over IPv4; gives what the origin logged of its connections as well.
fn load(
    quic: QuicCongestionControl,
    knobs: TransportKnobs,
    quic_watch: &QuicWatch,
) -> (PageLoad, Vec<ConnectionEntry>) {
    load_from(Ipv4Addr::LOCALHOST.into(), quic, knobs, quic_watch)
}

/// Likewise, from an origin at `address`.
fn load_from(
    address: IpAddr,
    quic: QuicCongestionControl,
    knobs: TransportKnobs,
    quic_watch: &QuicWatch,
) -> (PageLoad, Vec<ConnectionEntry>) {
    let fixture = Fixture::new(&[
        (
            "site/index.html",
            b"<!doctype html><link rel=stylesheet href=/a.css><script src=/b.js></script>",
        ),
        ("site/a.css", &[b' '; 30_000]),
        ("site/b.js", &[b' '; SCRIPT]),
    ]);
    let congestion_control = CongestionControl {
        tcp: "reno".to_owned(),
        quic,
    };
    on_one_thread(async {
        let given = fixture.origin_config();
        let faces = given.faces.into_iter();
        let config = OriginConfig {
            faces: faces.map(|face| Face { address, ..face }).collect(),
            quic_stack: QuicStack::S2n,
            congestion_control: congestion_control.clone(),
            knobs,
            quic_watch: quic_watch.clone(),
            ..fixture.origin_config()
        };
        let origin = Origin::bind(&config).expect("an origin");
        let (port, log) = (origin.port(), origin.log());
        let serving = tokio::task::spawn_local(origin.serve());
        let target = Target {
            address: SocketAddr::from((address, port)),
            quic_stack: QuicStack::S2n,
            congestion_control,
            knobs,
            quic_watch: quic_watch.clone(),
            ..target(&fixture.path("ca.pem"), port, Protocol::H3)
        };
        let page = pronghorn_client::load(target, "/", AMPLE).await;
        let connections = log.connections();
        serving.abort();
        (page.expect("usable TLS"), connections)
    })
}

fn quic(settings: &Settings) -> QuicSettings {
    match settings {
        Settings::Quic(settings) => *settings,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_page_comes_whole_and_both_ends_name_stack_and_controller() {
    for control in [QuicCongestionControl::Cubic, QuicCongestionControl::Bbr2] {
        let (page, served) = load(control, TransportKnobs::default(), &QuicWatch::default());
        assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
        let bytes: u64 = page.resources.iter().map(|one| one.bytes).sum();
        assert!(bytes > SCRIPT as u64, "{bytes}");
        let ([client], [server]) = (&page.connections[..], &served[..]) else {
            panic!("one connection: {:?}, {served:?}", page.connections);
        };
        let name = control.to_string();
        assert_eq!(client.congestion_controller.as_ref(), Some(&name));
        assert_eq!(server.congestion_controller.as_ref(), Some(&name));
        assert_eq!(client.alpn.as_deref(), Some("h3"));
        assert!(client.secured_s > Some(0.0) && client.key_exchange.is_some());
        for settings in [&client.settings, &server.settings] {
            let settings = quic(settings);
            assert_eq!(settings.stack, QuicStack::S2n);
            assert_eq!(settings.initial_window, 12_000, "{name}");
            assert_eq!(settings.stream_window, 3_750_000);
            assert!(settings.udp_payload >= 1200 && settings.udp_receive_buffer > 0);
        }
    }
}

#[test]
fn knobs_are_what_the_stack_is_given() {
    let knobs = TransportKnobs {
        initial_window: Some(14_480),
        stream_window: Some(100_000),
        segmentation_offload: Some(false),
        mtu_discovery: Some(false),
        initial_mtu: Some(1400),
        ..TransportKnobs::default()
    };
    let families: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    for address in families {
        let watch = QuicWatch::default();
        let (page, served) = load_from(address, QuicCongestionControl::Cubic, knobs, &watch);
        assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
        let server = quic(&served[0].settings);
        assert_eq!(server.initial_window, 14_480);
        let sizes = (server.stream_window, server.udp_payload);
        assert_eq!(sizes, (100_000, 1400), "{address}");
        assert!(!server.segmentation_offload && !server.mtu_discovery);
    }
}

#[test]
fn both_ends_are_recorded() {
    let recorder = Recorder::new(0.001).expect("an interval");
    recorder.begin();
    let watch = QuicWatch {
        flight: Some(Arc::clone(&recorder)),
        qlog: None,
    };
    let (page, _) = load(
        QuicCongestionControl::Cubic,
        TransportKnobs::default(),
        &watch,
    );
    assert_eq!(page.outcome, Outcome::Ok, "{:?}", page.detail);
    let flight = recorder.flight().expect("it has begun");
    for end in [End::Client, End::Server] {
        let of_end = flight.connections.iter().find(|one| one.host == end);
        let of_end = of_end.expect("the connection's end was looked at");
        assert_eq!(of_end.program, "s2n-quic");
        assert_eq!(of_end.congestion_controller.as_deref(), Some("cubic"));
        let last = of_end.mss_changes.last().map(|change| change.bytes);
        assert!(of_end.mss.is_some() && last == of_end.mss);
        assert_eq!(of_end.black_holes, Some(0));
        let samples = &of_end.samples;
        assert!(samples.cwnd_bytes.iter().flatten().all(|&bytes| bytes > 0));
        assert!(samples.srtt_s.iter().flatten().all(|&srtt_s| srtt_s > 0.0));
        assert!(samples.acked_bytes.iter().all(Option::is_none));
    }
}

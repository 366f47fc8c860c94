//! A bench whose path begins after a warm-up.

use std::fs;
use std::net::UdpSocket;
use std::thread::sleep;
use std::time::Duration;

use pronghorn_bench::{Bench, BenchError, BenchSpec, Side};
use pronghorn_path::{Cross, Direction, LinkSpec, Outage, PathSpec, Window};

use crate::cross::once_carried;
use crate::echo::{delays, socket};
use crate::open;
use crate::traffic::{impaired, one_way, send, series, settled};
use crate::transfer::transfer;

const PORT: u16 = 9;
const SENT: u64 = 400;

pub(crate) fn decides_as_a_new_one_does() {
    let path = impaired(0.3, 0.1, 0.0);
    let fresh = one_way(path.clone(), 5, SENT).1;
    let mut bench = open_warm(path);
    assert_eq!(
        series(&bench, SENT).len() as u64,
        SENT,
        "a warm-up is whole"
    );
    for (seed, alike) in [(5, true), (6, false), (5, true)] {
        bench.begin(seed, None).expect("it was opened for it");
        assert_eq!(series(&bench, SENT) == fresh, alike, "seed {seed}");
        let up = bench.counters().up.counters;
        assert!(up.balance() && up.packets_in == SENT, "{up:?}");
    }
}

pub(crate) fn counts_from_zero() {
    let mut bench = open_warm(delays(Duration::from_millis(1), Duration::from_millis(1)));
    transfer(&bench, 300_000);
    let sink = socket(&bench, Side::Server, PORT);
    let source = socket(&bench, Side::Client, 0);
    let mut sent = 0;
    while bench.counters().host.udp_receive_buffer_drops.server == 0 {
        send(&bench, &source, sent..sent + 500);
        sent += 500;
    }
    let used = settled(&bench, sent);
    assert!(
        bench.settle(Duration::from_secs(30)),
        "late packets are over"
    );
    let before = bench.begin(1, None).expect("it was opened for it");
    assert!(before.up >= used.up.counters.packets_in);
    assert!(before.down >= used.down.counters.packets_in);
    let begun = bench.counters();
    for link in [&begun.down, &begun.up] {
        assert_eq!(link.counters, pronghorn_path::Counters::default());
        assert_eq!((link.lateness.count, link.delay_min_s), (0, None));
        assert_eq!((link.handover.count, link.superpackets_in), (0, 0));
    }
    assert_eq!(begun.host.udp_receive_buffer_drops.server, 0);
    drop(sink);
}

pub(crate) fn delivers_what_is_inside() {
    let delay = Duration::from_millis(150);
    let mut bench = open_warm(delays(Duration::ZERO, delay));
    let sink = socket(&bench, Side::Server, PORT);
    let source = socket(&bench, Side::Client, 0);
    for seed in [1, 2] {
        send(&bench, &source, 0..20);
        let before = bench.begin(seed, None).expect("it was opened for it");
        assert_eq!((before.down, before.up), (0, 20));
        for number in 0..20 {
            assert_eq!(received(&sink), number);
        }
        let begun = bench.counters();
        let up = &begun.up;
        assert_eq!((up.counters.packets_in, up.counters.packets_out), (0, 0));
        assert_eq!(up.lateness.count, 0);
        let wakes = begun.down.wake.count + up.wake.count;
        assert_eq!(wakes, 0, "knocks of before the beginning");
    }
}

pub(crate) fn starts_its_clock_with_its_first_packet() {
    let mut path = delays(Duration::from_millis(1), Duration::from_millis(1));
    path.up.outage = Some(Outage::Scheduled {
        windows: vec![Window {
            at_ns: 1_000_000,
            for_ns: 3_600_000_000_000,
        }],
        repeat_ns: None,
    });
    let mut bench = open_warm(path);
    let sink = socket(&bench, Side::Server, PORT);
    let source = socket(&bench, Side::Client, 0);
    let pause = || sleep(Duration::from_millis(3));
    for number in 0..3 {
        send(&bench, &source, number..number + 1);
        assert_eq!(received(&sink), number);
        pause();
    }
    for seed in [1, 2] {
        bench.begin(seed, None).expect("it was opened for it");
        pause();
        send(&bench, &source, 10..11);
        assert_eq!(received(&sink), 10, "the clock has only just started");
        pause();
        send(&bench, &source, 11..12);
        assert_eq!(settled(&bench, 2).up.counters.outage_dropped, 1);
    }
}

pub(crate) fn rebinds_by_its_own_clock() {
    let mut bench = open_warm(PathSpec {
        rebind_ns: vec![1_000_000],
        ..delays(Duration::from_millis(1), Duration::from_millis(1))
    });
    let server = socket(&bench, Side::Server, PORT);
    let client = socket(&bench, Side::Client, 40_000);
    let own = client.local_addr().expect("it is bound");
    let seen = |number| {
        send(&bench, &client, number..number + 1);
        let mut got = [0; 300];
        server.recv_from(&mut got).expect("it arrives").1
    };
    for number in 0..2 {
        assert_eq!(seen(number), own, "there is no NAT before the beginning");
        sleep(Duration::from_millis(3));
    }
    bench.begin(1, None).expect("it was opened for it");
    let seen = |number| {
        send(&bench, &client, number..number + 1);
        let mut got = [0; 300];
        server.recv_from(&mut got).expect("it arrives").1
    };
    assert_eq!(seen(2), own);
    sleep(Duration::from_millis(3));
    assert_ne!(seen(3), own);
}

pub(crate) fn starts_cross_traffic() {
    let link = LinkSpec {
        delay_ns: 2_000_000,
        rate_bit_per_s: Some(40_000_000),
        ..LinkSpec::default()
    };
    let mut bench = open_warm(PathSpec {
        down: link.clone(),
        up: link,
        cross: Some(Cross {
            flows: 2,
            tcp_congestion_control: "reno".to_owned(),
            direction: Direction::Down,
            warmup_ns: 200_000_000,
        }),
        ..PathSpec::default()
    });
    assert_eq!(bench.counters().cross, None);
    for seed in [1, 2] {
        bench.begin(seed, None).expect("it was opened for it");
        once_carried(&bench, 2, 0);
        assert!(bench.counters().down.counters.packets_out > 0);
    }
}

pub(crate) fn leaves_tcp_nothing_to_remember() {
    let bench = open_warm(PathSpec::default());
    for side in [Side::Client, Side::Server] {
        let saved = bench.host(side).within(|| {
            fs::read_to_string("/proc/sys/net/ipv4/tcp_no_metrics_save").expect("it is there")
        });
        assert_eq!(saved.trim_end(), "1");
    }
}

pub(crate) fn without_a_warm_up_is_refused() {
    let mut bench = open(PathSpec::default(), 1);
    assert!(matches!(bench.begin(1, None), Err(BenchError::NoWarmUp)));
}

/// A bench over `path`, which has not begun.
fn open_warm(path: PathSpec) -> Bench {
    Bench::open(BenchSpec {
        path,
        tcp_congestion_control: "cubic".into(),
        warm_up: true,
        ..BenchSpec::default()
    })
    .expect("a bench opens where the isolation is had")
}

/// The number of the next datagram.
fn received(sink: &UdpSocket) -> u64 {
    let mut got = [0; 300];
    let length = sink.recv(&mut got).expect("it arrives");
    got[..length]
        .first_chunk()
        .map_or(0, |number| u64::from_le_bytes(*number))
}

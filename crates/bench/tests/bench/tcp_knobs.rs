//! What is asked of the hosts' TCP: it reads back, and packets show it.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pronghorn_bench::{
    Bench, BenchError, BenchSpec, HostTcp, PathReport, Side, TcpKnobs, TcpOfHosts,
};
use pronghorn_path::{Loss, PathSpec};

use crate::echo::delays;
use crate::transfer::{listen, transfer};

const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn the_initial_window_is_the_first_flight() {
    for (asked, segments) in [(None, 10), (Some(2), 2), (Some(40), 40)] {
        let tcp = TcpKnobs {
            initial_window_segments: asked,
            ..TcpKnobs::default()
        };
        // The handshake has two packets of the client's; no acknowledgement comes after it.
        let mut path = delays(Duration::from_millis(2), Duration::from_millis(2));
        path.up.loss = Some(Loss::Packets {
            numbers: (3..400).collect(),
        });
        let bench = open(path, tcp);
        for host in both(&bench.tcp()) {
            assert_eq!(host.initial_window_segments, asked);
        }
        let (listener, at) = listen(&bench);
        let connect = move || TcpStream::connect(at);
        let client = bench.host(Side::Client).within(connect);
        let (mut server, _) = listener.accept().expect("a connection came");
        server.set_nonblocking(true).expect("it is a socket");
        let full = fill(&mut server);
        assert_eq!(full, ErrorKind::WouldBlock);
        let first = until(&bench, |report| new_segments(report) >= segments);
        // A probe of the tail may be a new segment, and no other is, however long it waits (RFC 8985, section 7.3).
        sleep(Duration::from_millis(100));
        // A segment that is just being sent again is counted before it is seen.
        let looks = (0..3).map(|_| new_segments(&bench.counters()));
        let last = looks.max().unwrap_or_default();
        assert!(
            (segments..=segments + 1).contains(&last),
            "{asked:?}: {last}, at first {}",
            new_segments(&first)
        );
        drop(client);
    }
}

/// Of the server's, beside its half of the handshake.
fn new_segments(report: &PathReport) -> u64 {
    let sent = report.down.counters.packets_in;
    sent.saturating_sub(1 + report.host.tcp_retransmits.server)
}

/// Writes until there is no room, and tells why it ended.
fn fill(stream: &mut TcpStream) -> ErrorKind {
    loop {
        if let Err(error) = stream.write_all(&[7; 64 * 1024]) {
            return error.kind();
        }
    }
}

fn until(bench: &Bench, holds: impl Fn(&PathReport) -> bool) -> PathReport {
    let asked = Instant::now();
    loop {
        let report = bench.counters();
        if holds(&report) {
            return report;
        }
        assert!(asked.elapsed() < PATIENCE, "{report:?}");
        sleep(Duration::from_millis(2));
    }
}

pub(crate) fn a_receive_buffer_bounds_what_a_round_trip_brings() {
    const BUFFER: u32 = 32 * 1024;
    const BYTES: usize = 400_000;
    let tcp = TcpKnobs {
        receive_buffer: Some(BUFFER),
        ..TcpKnobs::default()
    };
    let one_way = Duration::from_millis(10);
    let bench = open(delays(one_way, one_way), tcp);
    for host in both(&bench.tcp()) {
        let [least, first, most] = host.receive_buffer.expect("the kernel tells");
        assert_eq!((first, most), (BUFFER.into(), BUFFER.into()));
        assert!(least <= first);
    }
    let started = Instant::now();
    transfer(&bench, BYTES);
    let round_trips = (BYTES / BUFFER as usize - 1) as u32;
    let took = started.elapsed();
    assert!(took >= round_trips * 2 * one_way, "{took:?}");
}

pub(crate) fn what_is_asked_for_reads_back() {
    let shipped = open(PathSpec::default(), TcpKnobs::default()).tcp();
    let asked = TcpKnobs {
        initial_window_segments: None,
        receive_buffer: None,
        send_buffer: Some(300_000),
        slow_start_after_idle: Some(false),
    };
    let found = open(PathSpec::default(), asked).tcp();
    for (before, after) in both(&shipped).into_iter().zip(both(&found)) {
        assert_eq!(before.slow_start_after_idle, Some(true), "Linux's default");
        assert_eq!(after.slow_start_after_idle, Some(false));
        let [least, first, _] = before.send_buffer.expect("the kernel tells");
        assert_eq!(after.send_buffer, Some([least, first, 300_000]));
        assert_eq!(after.receive_buffer, before.receive_buffer);
        assert_eq!(after.hystart, before.hystart);
        assert_eq!(after.initial_window_segments, None);
        assert_eq!(after.tcp_congestion_controls, ["cubic"]);
    }
    assert_eq!(
        open(PathSpec::default(), TcpKnobs::default()).tcp(),
        shipped,
        "no bench sees another's"
    );
}

pub(crate) fn what_no_kernel_takes_is_refused() {
    let spec = BenchSpec {
        tcp: TcpKnobs {
            initial_window_segments: Some(0),
            ..TcpKnobs::default()
        },
        ..BenchSpec::default()
    };
    let refused = Bench::open(spec).map(drop);
    assert!(matches!(
        refused,
        Err(BenchError::OutOfRange {
            key: "initial_window_segments",
            ..
        })
    ));
}

pub(crate) fn single_packets_stay_single() {
    for single_packets in [true, false] {
        let bench = Bench::open(BenchSpec {
            path: delays(Duration::from_millis(2), Duration::from_millis(2)),
            tcp_congestion_control: "cubic".into(),
            single_packets,
            ..BenchSpec::default()
        })
        .expect("a bench opens where the isolation is had");
        transfer(&bench, 2_000_000);
        let report = bench.close();
        assert_eq!(report.down.superpackets_in == 0, single_packets);
        assert_eq!(report.host.offloads == ["csum"], single_packets);
        let down = report.down.counters;
        assert!(down.packets_in >= 2_000_000 / 1500 && down.bytes_in / down.packets_in <= 1500);
    }
}

fn open(path: PathSpec, tcp: TcpKnobs) -> Bench {
    Bench::open(BenchSpec {
        path,
        tcp_congestion_control: "cubic".into(),
        tcp,
        ..BenchSpec::default()
    })
    .expect("a bench opens where the isolation is had")
}

fn both(hosts: &TcpOfHosts) -> [&HostTcp; 2] {
    [&hosts.client, &hosts.server]
}

//! Flows that share the path with what is measured.

use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pronghorn_bench::{Bench, CrossReport, Side};
use pronghorn_path::{Cross, Direction, LinkSpec, PathSpec, Queue};

use crate::open;
use crate::transfer::{listen, transfer};

const RATE_BIT_PER_S: u64 = 40_000_000;
const TRANSFER: usize = 6_000_000;

/// Over 6 MB, more than a hundred round trips, two flows of one congestion control come near their
/// equal shares; a tenth or nine tenths of the bytes means that one was shut out.
pub(crate) fn a_flow_beside_gets_its_share() {
    let bench = open(shared(Direction::Down, "cubic", 1, 500), 1);
    let before = once_carried(&bench, 1, 0);
    assert_eq!(
        (before.flows, before.tcp_congestion_controls),
        (1, vec!["cubic".to_owned()])
    );
    transfer(&bench, TRANSFER);
    let after = cross(&bench);
    let beside = (after.bytes - before.bytes) as f64;
    let share = TRANSFER as f64 / (TRANSFER as f64 + beside);
    assert!((0.1..0.9).contains(&share), "{share} of the bytes");
    assert!(after.goodput_bit_per_s < RATE_BIT_PER_S as f64);
    let report = bench.close();
    let carried = report.down.counters.bytes_out;
    assert!(
        carried > TRANSFER as u64 + after.bytes,
        "both took the one link"
    );
}

pub(crate) fn its_congestion_control_is_its_own() {
    for direction in [Direction::Down, Direction::Up] {
        let bench = open(shared(direction, "reno", 3, 300), 1);
        let (listener, at) = listen(&bench);
        let accept = move || listener.accept().map(|(stream, _)| stream);
        let accepted = bench
            .host(Side::Server)
            .thread("accept", accept)
            .expect("a thread");
        let _measured = bench
            .host(Side::Client)
            .within(move || TcpStream::connect(at))
            .expect("the server listens");
        let served = accepted
            .join()
            .expect("the thread ends")
            .expect("a connection came");
        let control =
            nix::sys::socket::getsockopt(&served, nix::sys::socket::sockopt::TcpCongestion)
                .expect("TCP has one");
        assert!(
            control.to_string_lossy().starts_with("cubic"),
            "the bench's own"
        );
        once_carried(&bench, 3, 500_000);
        let report = bench.close();
        let cross = report.cross.expect("cross traffic was asked for");
        assert_eq!(
            (cross.flows, cross.tcp_congestion_controls),
            (3, vec!["reno".to_owned()])
        );
        let (there, back) = match direction {
            Direction::Down => (report.down, report.up),
            Direction::Up => (report.up, report.down),
        };
        assert!(
            there.counters.bytes_in > 5 * back.counters.bytes_in,
            "{direction:?}"
        );
    }
}

fn shared(direction: Direction, control: &str, flows: u32, warmup_ms: u64) -> PathSpec {
    let link = LinkSpec {
        delay_ns: 5_000_000,
        rate_bit_per_s: Some(RATE_BIT_PER_S),
        queue: Some(Queue::Bytes(100_000)),
        ..LinkSpec::default()
    };
    PathSpec {
        down: link.clone(),
        up: link,
        cross: Some(Cross {
            flows,
            tcp_congestion_control: control.to_owned(),
            direction,
            warmup_ns: warmup_ms * 1_000_000,
        }),
        ..PathSpec::default()
    }
}

/// The cross traffic once so many flows are connected and have carried so many bytes; on a busy host their
/// warm-up may be over before.
pub(crate) fn once_carried(bench: &Bench, flows: u32, bytes: u64) -> CrossReport {
    let asked = Instant::now();
    loop {
        let report = cross(bench);
        if report.flows == flows && report.bytes >= bytes {
            return report;
        }
        assert!(asked.elapsed() < Duration::from_secs(60), "{report:?}");
        sleep(Duration::from_millis(5));
    }
}

fn cross(bench: &Bench) -> CrossReport {
    bench.counters().cross.expect("cross traffic was asked for")
}

//! What the path counts against what was asked for and what arrived.

use std::collections::BTreeSet;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::time::Duration;

use pronghorn_bench::{Bench, LinkReport, PathReport, Side};
use pronghorn_path::{LinkSpec, Loss, PathSpec};

use crate::echo::{delays, socket};
use crate::open;
use crate::statistics::assert_binomial;
use crate::transfer::transfer;

const PORT: u16 = 9;
const SENT: u64 = 4000;
const PAYLOAD: usize = 200;

pub(crate) fn loss_and_corruption_agree() {
    let (loss, corrupt) = (0.15, 0.05);
    let (report, received) = one_way(impaired(loss, 0.0, corrupt), 3, SENT);
    let path = &report.up.counters;
    assert_eq!(path.packets_in, SENT);
    assert!(path.balance() && path.held == 0, "{path:?}");
    assert_binomial("lost", path.lost, SENT, loss);
    assert_binomial("corrupted", path.corrupted, path.packets_out, corrupt);
    // The checksums of IPv4 and UDP find every single flipped bit: no corrupted packet arrives.
    let dropped = report.host.udp_receive_buffer_drops.server;
    assert_eq!(
        received.len() as u64 + dropped,
        path.packets_out - path.corrupted
    );
    assert_eq!(report.up.ring_dropped, 0);
    assert_eq!(report.down.counters.packets_in, 0, "nothing answers");
}

pub(crate) fn duplication_agrees() {
    let (loss, duplicate) = (0.3, 0.2);
    let (report, received) = one_way(impaired(loss, duplicate, 0.0), 4, SENT);
    let path = &report.up.counters;
    assert!(path.balance() && path.held == 0, "{path:?}");
    assert_binomial("duplicated", path.duplicated, SENT, duplicate);
    assert_eq!(
        report.host.udp_receive_buffer_drops.server, 0,
        "the receiver keeps up"
    );
    assert_eq!(received.len() as u64, path.packets_out);
    // As in netem, a lost packet that was duplicated leaves one copy.
    let arrived: BTreeSet<u64> = received.into_iter().collect();
    let undelivered = SENT - arrived.len() as u64;
    assert_binomial("undelivered", undelivered, SENT, loss * (1.0 - duplicate));
}

pub(crate) fn the_same_seed_decides_the_same() {
    let arrivals = |seed| one_way(impaired(0.3, 0.1, 0.0), seed, 400).1;
    let first = arrivals(5);
    assert_eq!(first, arrivals(5));
    assert_ne!(first, arrivals(6));
}

pub(crate) fn tcp_goes_through() {
    const BYTES: usize = 300_000;
    let mut path = delays(Duration::from_millis(2), Duration::from_millis(2));
    path.down.loss = Some(Loss::independent(0.02));
    path.down.corrupt = 0.01;
    path.down.duplicate = 0.01;
    let bench = open(path, 11);
    transfer(&bench, BYTES);
    let report = bench.close();
    assert!(report.down.counters.bytes_in > BYTES as u64);
    assert!(report.down.counters.lost > 0);
    assert!(
        report.host.tcp_retransmits.server > 0,
        "what is lost is sent again"
    );
}

pub(crate) fn a_burst_fills_no_ring() {
    const BURST: u64 = 3000;
    let bench = open(delays(Duration::ZERO, Duration::from_millis(50)), 1);
    let _sink = socket(&bench, Side::Server, PORT);
    let source = socket(&bench, Side::Client, 0);
    send(&bench, &source, 0..BURST);
    let report = settled(&bench, BURST);
    assert_eq!(
        (report.up.counters.packets_out, report.up.ring_dropped),
        (BURST, 0)
    );
}

pub(crate) fn what_a_full_ring_drops_is_counted() {
    let bench = open(delays(Duration::ZERO, Duration::ZERO), 1);
    shorten_ring(&bench);
    let _sink = socket(&bench, Side::Server, PORT);
    let source = socket(&bench, Side::Client, 0);
    let mut sent = 0;
    while bench.counters().up.ring_dropped == 0 {
        assert!(sent < 1_000_000, "a ring of one packet is never full");
        send(&bench, &source, sent..sent + 100);
        sent += 100;
    }
    let dropped = bench.counters().up.ring_dropped;
    let up = settled(&bench, sent - dropped).up;
    assert_eq!(up.counters.packets_in + up.ring_dropped, sent);
    assert_eq!(up.counters.packets_out, up.counters.packets_in);
}

/// Leaves the client's device room for one packet (`netdevice(7)`, `SIOCSIFTXQLEN`).
fn shorten_ring(bench: &Bench) {
    let asked = bench.host(Side::Client).within(|| {
        let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
        // SAFETY: an all-zero ifreq is valid, and outlives the call.
        unsafe {
            let mut request: libc::ifreq = std::mem::zeroed();
            for (to, from) in request.ifr_name.iter_mut().zip(b"path0") {
                *to = *from as libc::c_char;
            }
            request.ifr_ifru.ifru_metric = 1;
            libc::ioctl(
                socket.as_raw_fd(),
                libc::SIOCSIFTXQLEN as _,
                &raw const request,
            )
        }
    });
    assert_eq!(asked, 0, "the device takes another length");
}

pub(crate) fn impaired(loss: f64, duplicate: f64, corrupt: f64) -> PathSpec {
    let up = LinkSpec {
        delay_ns: 1_000_000,
        loss: Some(Loss::independent(loss)),
        duplicate,
        corrupt,
        ..LinkSpec::default()
    };
    PathSpec {
        up,
        ..PathSpec::default()
    }
}

/// A new bench's final report after a series, and what arrived of it.
pub(crate) fn one_way(path: PathSpec, seed: u64, count: u64) -> (PathReport, Vec<u64>) {
    let bench = open(path, seed);
    let numbers = series(&bench, count);
    (bench.close(), numbers)
}

/// Sends numbered datagrams up, as the first packets that are counted, so few at a time that the receiver's
/// buffer holds them; the numbers in the order of their arrival.
pub(crate) fn series(bench: &Bench, count: u64) -> Vec<u64> {
    const BURST: u64 = 50;
    let sink = socket(bench, Side::Server, PORT);
    sink.set_nonblocking(true).expect("it is a socket");
    let source = socket(bench, Side::Client, 40_000);
    let mut numbers = Vec::new();
    for start in (0..count).step_by(BURST as usize) {
        let end = count.min(start + BURST);
        send(bench, &source, start..end);
        // What has left the path lies in the receiver's buffer.
        settled(bench, end);
        let mut got = [0; PAYLOAD + 1];
        while let Ok(length) = sink.recv(&mut got) {
            let number = got
                .iter()
                .take(8)
                .rev()
                .fold(0, |n, byte| (n << 8) | u64::from(*byte));
            assert!(
                got[..length] == payload(number),
                "datagram {number} arrives as it was sent"
            );
            numbers.push(number);
        }
    }
    numbers
}

fn payload(number: u64) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..PAYLOAD as u64)
        .map(|i| (number.wrapping_mul(i) >> 3) as u8)
        .collect();
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes
}

pub(crate) fn send(bench: &Bench, source: &UdpSocket, numbers: Range<u64>) {
    let to = SocketAddr::from((bench.host(Side::Server).address(), PORT));
    for number in numbers {
        source
            .send_to(&payload(number), to)
            .expect("the ring has room");
    }
}

/// The counters once `count` packets have entered the way up and none is left inside.
pub(crate) fn settled(bench: &Bench, count: u64) -> PathReport {
    let through = |link: &LinkReport| link.counters.packets_in >= count && link.counters.held == 0;
    for _ in 0..60_000 {
        let report = bench.counters();
        if through(&report.up) || report.up.fault.is_some() {
            return report;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    bench.counters()
}

//! Super-packets on real devices: what the path does, it does to single segments.

use std::mem::size_of;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Duration;

use pronghorn_bench::{BothSides, PathReport, Side};
use pronghorn_path::{LinkSpec, Loss, PathSpec};

use crate::echo::{delays, socket};
use crate::open;
use crate::statistics::assert_binomial;
use crate::traffic::settled;
use crate::transfer::transfer;

const PORT: u16 = 9;
/// Bytes of each datagram, and datagrams in each super-packet.
const SIZE: usize = 1200;
const TOGETHER: u64 = 40;
const BUFFERS: u64 = 150;

pub(crate) fn losses_take_single_segments() {
    let probability = 0.01;
    let (report, received) = segmented(LinkSpec {
        loss: Some(Loss::independent(probability)),
        ..LinkSpec::default()
    });
    let up = &report.up.counters;
    let sent = BUFFERS * TOGETHER;
    assert_eq!(up.packets_in, sent, "each segment is a packet of its own");
    assert_eq!(up.bytes_in, sent * (20 + 8 + SIZE as u64));
    assert_binomial("lost", up.lost, sent, probability);
    assert_eq!(received.len() as u64, sent - up.lost);
    let missing: Vec<u64> = (0..sent)
        .filter(|number| received.binary_search(number).is_err())
        .collect();
    let neighbours = missing.windows(2).filter(|pair| pair[0] + 1 == pair[1]);
    assert!(
        neighbours.count() * 4 < missing.len(),
        "losses stand apart: {missing:?}"
    );
    // Kernels before 6.2 leave no datagrams to divide.
    if report.host.offloads.contains(&"uso") {
        assert_eq!(report.up.superpackets_in, BUFFERS);
        assert!(
            report.up.superpackets_out >= BUFFERS,
            "what is left of each goes on together"
        );
    } else {
        assert_eq!(report.up.superpackets_in, 0);
    }
}

pub(crate) fn corrupted_segments_are_found_by_their_checksums() {
    let (report, received) = segmented(LinkSpec {
        corrupt: 0.05,
        ..LinkSpec::default()
    });
    let up = &report.up;
    let sent = BUFFERS * TOGETHER;
    assert_binomial("corrupted", up.counters.corrupted, sent, 0.05);
    assert_eq!(received.len() as u64, sent - up.counters.corrupted);
    let errors = report.host.checksum_errors.server;
    assert_eq!(errors + up.undeliverable, up.counters.corrupted);
    assert_eq!(report.host.checksum_errors.client, 0);
}

pub(crate) fn corrupted_tcp_is_found_by_its_checksums() {
    let mut path = delays(Duration::from_millis(1), Duration::from_millis(1));
    path.down.corrupt = 0.01;
    path.up.corrupt = 0.1;
    let mut bench = open(path, 5);
    transfer(&bench, 4_000_000);
    // What is corrupted is counted when it enters, and what still is inside has met no checksum.
    assert!(
        bench.settle(Duration::from_secs(30)),
        "the connection is over"
    );
    let report = bench.close();
    let errors = report.host.checksum_errors;
    assert!(report.down.superpackets_in > 0);
    for (link, errors) in [(&report.down, errors.client), (&report.up, errors.server)] {
        assert!(link.counters.corrupted > 0);
        assert_eq!(errors + link.undeliverable, link.counters.corrupted);
    }
}

pub(crate) fn what_comes_twice_is_no_checksum_error() {
    let mut path = delays(Duration::from_millis(1), Duration::from_millis(1));
    path.down.duplicate = 1.0;
    path.up.duplicate = 1.0;
    let bench = open(path, 5);
    transfer(&bench, 100_000);
    let report = bench.close();
    assert!(report.down.counters.duplicated > 0);
    assert_eq!(report.host.checksum_errors, BothSides::default());
}

pub(crate) fn tcp_goes_through_whole_in_super_packets() {
    // A busy host makes TCP send again what was only late; a lack of the path's would every time.
    let mut retransmits = (0..5).map(|_| retransmits_of_a_transfer());
    assert!(retransmits.any(|again| again == 0));
}

/// Of a transfer in super-packets over a path that takes nothing away.
fn retransmits_of_a_transfer() -> u64 {
    let bench = open(
        delays(Duration::from_millis(5), Duration::from_millis(5)),
        1,
    );
    transfer(&bench, 8_000_000);
    let report = bench.close();
    let down = &report.down;
    assert!(down.superpackets_in > 0 && down.superpackets_out > 0);
    assert!(
        down.counters.bytes_in / down.counters.packets_in <= 1500,
        "packets are no longer than the MTU"
    );
    assert_eq!((down.malformed, down.ring_dropped), (0, 0));
    report.host.tcp_retransmits.server
}

/// Sends numbered datagrams up, many in one call (`UDP_SEGMENT`, udp(7)); the final report, and the numbers
/// that arrived, in order. Each one that arrives is whole.
fn segmented(up: LinkSpec) -> (PathReport, Vec<u64>) {
    let bench = open(
        PathSpec {
            up,
            ..PathSpec::default()
        },
        7,
    );
    let sink = socket(&bench, Side::Server, PORT);
    sink.set_nonblocking(true).expect("it is a socket");
    let source = socket(&bench, Side::Client, 40_000);
    ask_for_segments(&source);
    let to = SocketAddr::from((bench.host(Side::Server).address(), PORT));
    let mut received = Vec::new();
    for first in (0..BUFFERS).map(|buffer| buffer * TOGETHER) {
        let numbers = first..first + TOGETHER;
        let content: Vec<u8> = numbers.flat_map(datagram).collect();
        source.send_to(&content, to).expect("the kernel has USO");
        settled(&bench, first + TOGETHER);
        let mut got = [0; SIZE + 1];
        while let Ok(length) = sink.recv(&mut got) {
            let number = u64::from_le_bytes(got[..8].try_into().expect("eight bytes"));
            assert!(got[..length] == datagram(number), "{number} is whole");
            received.push(number);
        }
    }
    received.sort_unstable();
    (bench.close(), received)
}

fn datagram(number: u64) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..SIZE as u64)
        .map(|i| (number.wrapping_mul(i) >> 3) as u8)
        .collect();
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn ask_for_segments(socket: &UdpSocket) {
    let size = SIZE as libc::c_int;
    // SAFETY: the option takes an int, which outlives the call.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_UDP,
            libc::UDP_SEGMENT,
            (&raw const size).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    assert_eq!(set, 0, "UDP_SEGMENT: {}", std::io::Error::last_os_error());
}

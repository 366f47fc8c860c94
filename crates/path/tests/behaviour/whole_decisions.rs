//! The decision stream of a million packets behind gates and before each kind of bottleneck, with schedules.

use pronghorn_path::{
    Aqm, Direction, DropCause, Jitter, Link, LinkSpec, Loss, Mtu, Order, Outage, Overhead, Queue,
    Reorder, Schedule, Time, TokenBucket, Trace, Udp, Window,
};

use crate::harness::{MS, Numbered, assorted};

const PACKETS: u64 = 1_000_000;
/// 780 bytes each 50 µs are 125 Mbit/s on average.
const GAP_NS: u64 = 50_000;

/// FNV-1a (Fowler, Noll, Vo).
struct Fingerprint(u64);

impl Fingerprint {
    fn take(&mut self, words: &[u64]) {
        for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// Of all that becomes of each packet, whether it leaves or is dropped. Every cause must occur but those named.
fn fingerprint(spec: &LinkSpec, never: &[DropCause]) -> u64 {
    let mut link = Link::new(spec, 1, Direction::Up).expect("a valid specification");
    link.keep_dropped();
    let mut causes = [0_u64; 7];
    let mut marked = 0;
    let mut hash = Fingerprint(0xcbf2_9ce4_8422_2325);
    let mut drain = |link: &mut Link<Numbered>, now| {
        while let Some(left) = link.pop(now) {
            let marks = left.marks;
            marked += u64::from(marks.congestion);
            let flags = [marks.copy, marks.corrupted, marks.hurried, marks.congestion];
            let flags = flags
                .iter()
                .fold(0, |all, flag| all << 1 | u64::from(*flag));
            let flipped = left.packet.flipped.map_or(0, |bit| bit as u64 + 1);
            hash.take(&[left.number, flags, flipped, left.reached.0, left.due.0]);
        }
        while let Some(dropped) = link.take_dropped() {
            causes[dropped.cause as usize] += 1;
            let copy = u64::from(dropped.marks.copy);
            hash.take(&[dropped.number, copy, dropped.cause as u64 + 1, dropped.at.0]);
        }
    };
    for id in 0..PACKETS {
        let now = Time(id * GAP_NS);
        drain(&mut link, now);
        let len = 40 + id as usize * 7919 % 1481;
        link.push(now, assorted(id, len));
    }
    drain(&mut link, Time::MAX);
    assert!(link.counters().balance() && link.counters().held == 0);
    // Links alone know no handover.
    let own = |cause: &DropCause| *cause != DropCause::LeftBehind;
    for cause in DropCause::ALL.into_iter().filter(own) {
        let found = causes[cause as usize] > 0;
        assert_eq!(found, !never.contains(&cause), "{cause:?} occurs");
    }
    assert_eq!(marked > 0, !never.contains(&DropCause::Aqm));
    hash.0
}

fn bucket(rate_bit_per_s: u64) -> TokenBucket {
    TokenBucket {
        rate_bit_per_s,
        burst_bytes: 30_000,
    }
}

/// What all have in common: everything before the bottleneck.
fn base() -> LinkSpec {
    LinkSpec {
        mtu: Some(Mtu {
            bytes: 1500,
            icmp: false,
        }),
        udp: Some(Udp::Police(bucket(30_000_000))),
        outage: Some(Outage::Scheduled {
            windows: vec![Window {
                at_ns: 300 * MS,
                for_ns: 20 * MS,
            }],
            repeat_ns: Some(700 * MS),
        }),
        delay_ns: 10 * MS,
        jitter: Some(Jitter {
            spread_ns: MS,
            correlation: 0.5,
            order: Order::Break,
            ..Jitter::default()
        }),
        reorder: Some(Reorder {
            probability: 0.05,
            correlation: 0.3,
            gap: 3,
        }),
        loss: Some(Loss::independent(0.01)),
        duplicate: 0.02,
        corrupt: 0.03,
        police: Some(bucket(110_000_000)),
        queue: Some(Queue::Bytes(500_000)),
        ..LinkSpec::default()
    }
}

fn codel_at_a_changing_rate() -> LinkSpec {
    let text = "time,rate,loss,jitter,queue,delay\n0s,120Mbit,1%,1ms,,\n100ms,60Mbit,,2ms,400kB,\n\
                250ms,105Mbit,5%,,30ms,12ms\n400ms,20Mbit,0%,0ms,250packets,1ms\n";
    LinkSpec {
        overhead: Some(Overhead {
            packet_bytes: 8,
            cell_bytes: Some(48),
            cell_overhead_bytes: 5,
        }),
        aqm: Some(Aqm::Codel {
            target_ns: 5 * MS,
            interval_ns: 50 * MS,
            ecn: true,
        }),
        schedule: Some(Schedule {
            text: text.to_owned(),
            repeat_ns: Some(500 * MS),
        }),
        ..base()
    }
}

fn fq_codel_before_a_trace() -> LinkSpec {
    let mut millis: Vec<u32> = (0..500).map(|place| place * place * 7 % 61).collect();
    millis.sort_unstable();
    millis.push(61);
    let lines: Vec<String> = millis.iter().map(u32::to_string).collect();
    LinkSpec {
        outage: Some(Outage::Random {
            on_mean_ns: 500 * MS,
            off_mean_ns: 50 * MS,
        }),
        trace: Some(Trace {
            text: lines.join("\n"),
            repeat: true,
        }),
        queue: Some(Queue::TimeNs(30 * MS)),
        aqm: Some(Aqm::FqCodel {
            target_ns: MS,
            interval_ns: 20 * MS,
            flows: 4,
            quantum_bytes: 1514,
            ecn: true,
        }),
        ..base()
    }
}

fn drop_tail() -> LinkSpec {
    LinkSpec {
        udp: Some(Udp::Block),
        police: Some(bucket(70_000_000)),
        rate_bit_per_s: Some(60_000_000),
        queue: None,
        ..base()
    }
}

/// If a fingerprint changes, no recorded run with such a path can be repeated. Of these only the lengths of random
/// outages and the correlated jitter hang on the platform's logarithms and exponentials (see `decisions.rs`).
#[test]
fn a_million_packets_meet_the_same_links_in_every_run_and_version() {
    let unmanaged = [DropCause::Aqm];
    for (name, spec, never, expected) in [
        (
            "CoDel",
            codel_at_a_changing_rate(),
            &[][..],
            12_350_804_956_751_069_366,
        ),
        (
            "FQ-CoDel",
            fq_codel_before_a_trace(),
            &[],
            7_709_236_501_198_325_096,
        ),
        (
            "drop-tail",
            drop_tail(),
            &unmanaged,
            16_809_949_285_340_740_607,
        ),
    ] {
        let found = fingerprint(&spec, never);
        assert_eq!(found, fingerprint(&spec, never), "two runs of {name}");
        assert_eq!(found, expected, "{name} before");
    }
}

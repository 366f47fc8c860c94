//! How long a packet takes a link's thread, push, look for the deadline and pop together, by what is switched on.
//!
//!     cargo run --release -p pronghorn-path --example speed
//!
//! Packets of 1500 bytes come at 40 Gbit/s of virtual time, 0.3 µs apart; the median of five rounds is told.

use std::hint::black_box;
use std::time::Instant;

use pronghorn_path::{
    Aqm, Direction, Distribution, Jitter, Link, LinkSpec, Loss, Mtu, Order, Outage, Overhead,
    Packet, Queue, Reorder, Schedule, Time, TokenBucket, Trace, Udp, Window,
};

const PACKETS: u64 = 2_000_000;
const GAP_NS: u64 = 300;

/// As small as a driver's handle to a packet.
struct Handle {
    flow: u64,
}

impl Packet for Handle {
    fn len(&self) -> usize {
        1500
    }

    fn flip_bit(&mut self, bit: usize) {
        self.flow ^= bit as u64;
    }

    fn duplicate(&self) -> Self {
        Handle { flow: self.flow }
    }

    fn flow(&self, key: u64) -> u64 {
        (self.flow ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
    }

    fn is_udp_other_than_dns(&self) -> bool {
        self.flow % 2 == 0
    }
}

fn nanos_a_packet(spec: &LinkSpec) -> Result<f64, pronghorn_path::SpecError> {
    let mut rounds = Vec::new();
    for _ in 0..5 {
        let mut link = Link::new(spec, 1, Direction::Down)?;
        let begun = Instant::now();
        for i in 0..PACKETS {
            let now = Time(i * GAP_NS);
            link.push(now, Handle { flow: i % 8 });
            if link.next_due().is_some_and(|due| due <= now) {
                while let Some(departure) = link.pop(now) {
                    black_box(departure.packet.flow);
                }
            }
        }
        rounds.push(begun.elapsed().as_nanos() as f64 / PACKETS as f64);
    }
    rounds.sort_by(f64::total_cmp);
    Ok(rounds[rounds.len() / 2])
}

fn delayed() -> LinkSpec {
    LinkSpec {
        delay_ns: 1_000_000,
        ..LinkSpec::default()
    }
}

fn rated() -> LinkSpec {
    LinkSpec {
        rate_bit_per_s: Some(40_000_000_000),
        ..delayed()
    }
}

fn fq_codel() -> Option<Aqm> {
    Some(Aqm::FqCodel {
        target_ns: 5_000_000,
        interval_ns: 100_000_000,
        flows: 1024,
        quantum_bytes: 1514,
        ecn: true,
    })
}

fn jittered(spec: LinkSpec) -> LinkSpec {
    LinkSpec {
        jitter: Some(Jitter {
            distribution: Distribution::Uniform,
            spread_ns: 100_000,
            order: Order::Keep,
            ..Jitter::default()
        }),
        loss: Some(Loss::independent(1e-6)),
        ..spec
    }
}

fn everything() -> LinkSpec {
    let bucket = TokenBucket {
        rate_bit_per_s: 100_000_000_000,
        burst_bytes: 1_000_000,
    };
    LinkSpec {
        mtu: Some(Mtu {
            bytes: 1500,
            icmp: false,
        }),
        udp: Some(Udp::Police(bucket)),
        outage: Some(Outage::Scheduled {
            windows: vec![Window {
                at_ns: 1_000_000_000,
                for_ns: 1_000,
            }],
            repeat_ns: Some(2_000_000_000),
        }),
        reorder: Some(Reorder {
            probability: 0.01,
            correlation: 0.25,
            gap: 1,
        }),
        duplicate: 0.001,
        corrupt: 0.001,
        police: Some(bucket),
        overhead: Some(Overhead {
            packet_bytes: 38,
            ..Overhead::default()
        }),
        queue: Some(Queue::TimeNs(10_000_000)),
        aqm: fq_codel(),
        schedule: Some(Schedule {
            text: "time,rate,delay\n0s,42Gbit,1ms\n10ms,41Gbit,2ms".to_owned(),
            repeat_ns: Some(20_000_000),
        }),
        ..jittered(rated())
    }
}

fn main() -> Result<(), pronghorn_path::SpecError> {
    let overloaded = |aqm| LinkSpec {
        rate_bit_per_s: Some(20_000_000_000),
        aqm,
        ..delayed()
    };
    let trace = "1\n".repeat(1000);
    let links = [
        ("delay", delayed()),
        ("delay, rate", rated()),
        ("delay, rate, jitter in order, loss 1e-6", jittered(rated())),
        ("delay, rate at twice its load", overloaded(None)),
        (
            "delay, rate at twice its load, FQ-CoDel",
            overloaded(fq_codel()),
        ),
        (
            "delay, trace of 12 Gbit/s at three times its load",
            LinkSpec {
                trace: Some(Trace {
                    text: trace,
                    repeat: true,
                }),
                ..delayed()
            },
        ),
        ("everything", everything()),
    ];
    for (name, spec) in links {
        println!("{:>6.0} ns  {name}", nanos_a_packet(&spec)?);
    }
    Ok(())
}

//! The largest and smallest values that are allowed, at both ends of time.

use pronghorn_path::{
    Aqm, Distribution, Jitter, LinkSpec, Order, Overhead, Queue, Reorder, Schedule, Time,
    TokenBucket, Trace,
};

use crate::harness::{assorted, link};

const HOUR_NS: u64 = 3_600_000_000_000;
const MOST: u64 = 1_000_000_000_000;

fn times() -> [Time; 8] {
    let end = u64::MAX;
    [0, 1, HOUR_NS, 1 << 63, end - MOST, end - 1, end, end].map(Time)
}

fn slow_or_fast() -> Vec<LinkSpec> {
    let mut specs = Vec::new();
    for rate in [1, MOST] {
        let bucket = TokenBucket {
            rate_bit_per_s: rate,
            burst_bytes: MOST,
        };
        for queue in [
            Queue::Bytes(MOST),
            Queue::Packets(1_000_000_000),
            Queue::TimeNs(HOUR_NS),
        ] {
            specs.push(LinkSpec {
                delay_ns: HOUR_NS,
                rate_bit_per_s: Some(rate),
                queue: Some(queue),
                police: Some(bucket),
                overhead: Some(Overhead {
                    packet_bytes: 65_535,
                    cell_bytes: Some(1),
                    cell_overhead_bytes: 65_535,
                }),
                ..LinkSpec::default()
            });
        }
    }
    specs
}

fn managed() -> Vec<LinkSpec> {
    let mut specs = Vec::new();
    for (target_ns, interval_ns) in [(1, 1), (HOUR_NS, HOUR_NS), (1, HOUR_NS), (HOUR_NS, 1)] {
        for (flows, quantum_bytes) in [(1, 1), (65_536, 1_000_000)] {
            let fq_codel = Aqm::FqCodel {
                target_ns,
                interval_ns,
                flows,
                quantum_bytes,
                ecn: true,
            };
            let codel = Aqm::Codel {
                target_ns,
                interval_ns,
                ecn: false,
            };
            for aqm in [codel, fq_codel] {
                specs.push(LinkSpec {
                    rate_bit_per_s: Some(1),
                    queue: Some(Queue::Bytes(1)),
                    aqm: Some(aqm),
                    ..LinkSpec::default()
                });
                specs.push(LinkSpec {
                    trace: Some(Trace {
                        text: "0\n1000000000".to_owned(),
                        repeat: true,
                    }),
                    queue: Some(Queue::TimeNs(1)),
                    aqm: Some(aqm),
                    ..LinkSpec::default()
                });
            }
        }
    }
    specs
}

fn jittered() -> LinkSpec {
    LinkSpec {
        delay_ns: HOUR_NS,
        jitter: Some(Jitter {
            distribution: Distribution::Normal,
            spread_ns: HOUR_NS,
            correlation: 1.0,
            order: Order::Break,
            ..Jitter::default()
        }),
        reorder: Some(Reorder {
            probability: 1.0,
            correlation: 1.0,
            gap: 1_000_000_000,
        }),
        duplicate: 1.0,
        corrupt: 1.0,
        schedule: Some(Schedule {
            text: "time,rate,delay\n0s,1bit,60min\n1000000s,1000Gbit,0s".to_owned(),
            repeat_ns: None,
        }),
        ..LinkSpec::default()
    }
}

#[test]
fn nothing_overflows_and_every_packet_is_accounted_for() {
    for spec in slow_or_fast()
        .into_iter()
        .chain(managed())
        .chain([jittered()])
    {
        for start in [Time::ZERO, Time(1 << 62), Time::MAX] {
            let mut link = link(&spec, 1);
            link.start(start);
            for (id, at) in (0..).zip(times()) {
                for (place, len) in (0..).zip([0, 1, 1500, 65_535]) {
                    link.push(at, assorted(id * 4 + place, len));
                }
                while let Some(departure) = link.pop(at) {
                    assert!(departure.arrived <= departure.due && departure.due <= at);
                }
                assert!(link.counters().balance());
            }
            assert_eq!(link.counters().held, 0, "{spec:?}");
            assert_eq!(link.next_due(), None);
        }
    }
}

//! A link that has seen its fill allocates nothing more.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use pronghorn_path::{
    Aqm, Direction, Distribution, Jitter, Link, LinkSpec, Loss, Mtu, Order, Outage, Packet, Queue,
    Reorder, Schedule, Time, TokenBucket, Trace,
};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Clone)]
struct Inline([u8; 64]);

impl Packet for Inline {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn flip_bit(&mut self, bit: usize) {
        self.0[bit / 8] ^= 1 << (bit % 8);
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }

    fn flow(&self, key: u64) -> u64 {
        key.wrapping_add(self.0[0].into())
    }
}

fn everything_on(order: Order, distribution: Distribution, loss: Loss) -> LinkSpec {
    LinkSpec {
        delay_ns: 1_000_000,
        jitter: Some(Jitter {
            distribution,
            spread_ns: 200_000,
            correlation: 0.5,
            table: (distribution == Distribution::Table).then(|| "-8192 0 8192".to_owned()),
            order,
        }),
        reorder: Some(Reorder {
            probability: 0.1,
            correlation: 0.2,
            gap: 3,
        }),
        loss: Some(loss),
        duplicate: 0.2,
        duplicate_correlation: 0.3,
        corrupt: 0.2,
        corrupt_correlation: 0.3,
        rate_bit_per_s: Some(500_000_000),
        queue: Some(Queue::Packets(100)),
        ..LinkSpec::default()
    }
}

/// Every part of a gate and a bottleneck, none of which may allocate either.
fn bottlenecks() -> Vec<LinkSpec> {
    let base = LinkSpec {
        mtu: Some(Mtu {
            bytes: 1500,
            icmp: false,
        }),
        outage: Some(Outage::Random {
            on_mean_ns: 10_000_000,
            off_mean_ns: 1_000_000,
        }),
        police: Some(TokenBucket {
            rate_bit_per_s: 600_000_000,
            burst_bytes: 100_000,
        }),
        delay_ns: 1_000_000,
        duplicate: 0.2,
        queue: Some(Queue::Packets(100)),
        ..LinkSpec::default()
    };
    let paced = LinkSpec {
        rate_bit_per_s: Some(500_000_000),
        schedule: Some(Schedule {
            text: "time,rate,delay,queue\n0s,500Mbit,1ms,\n1ms,300Mbit,2ms,2ms".to_owned(),
            repeat_ns: Some(5_000_000),
        }),
        ..base.clone()
    };
    let traced = LinkSpec {
        trace: Some(Trace {
            text: (1..=50).map(|i| format!("{}\n", i / 50 + 1)).collect(),
            repeat: true,
        }),
        ..base
    };
    let aqms = [
        None,
        Some(Aqm::Codel {
            target_ns: 50_000,
            interval_ns: 1_000_000,
            ecn: true,
        }),
        Some(Aqm::FqCodel {
            target_ns: 50_000,
            interval_ns: 1_000_000,
            flows: 16,
            quantum_bytes: 1514,
            ecn: true,
        }),
    ];
    [paced, traced]
        .iter()
        .flat_map(|spec| {
            aqms.map(|aqm| LinkSpec {
                aqm,
                ..spec.clone()
            })
        })
        .collect()
}

fn drive(link: &mut Link<Inline>, now: &mut u64, packets: u64) {
    for _ in 0..packets {
        *now += 900;
        link.push(Time(*now), Inline([(*now / 900 % 16) as u8; 64]));
        while link.pop(Time(*now)).is_some() {}
    }
}

fn models() -> [(Distribution, Loss); 4] {
    let independent = Loss::Independent {
        probability: 0.1,
        correlation: 0.3,
        longest_burst: Some(3),
    };
    let gilbert_elliott = Loss::GilbertElliott {
        enter: 0.1,
        leave: 0.3,
        loss_bad: 0.9,
        loss_good: 0.01,
    };
    let four_state = Loss::FourState {
        p13: 0.1,
        p31: 0.3,
        p32: 0.2,
        p23: 0.4,
        p14: 0.01,
    };
    let packets = Loss::Packets {
        numbers: (1..20_000).map(|i| i * 10).collect(),
    };
    [
        (Distribution::Normal, independent),
        (Distribution::Pareto, gilbert_elliott),
        (Distribution::ParetoNormal, four_state),
        (Distribution::Table, packets),
    ]
}

#[test]
fn the_steady_state_allocates_nothing() {
    for order in [Order::Keep, Order::Break] {
        for (distribution, loss) in models() {
            let spec = everything_on(order, distribution, loss);
            let mut link = Link::new(&spec, 1, Direction::Down).expect("a valid specification");
            let mut now = 0;
            drive(&mut link, &mut now, 100_000);
            let before = ALLOCATIONS.get();
            drive(&mut link, &mut now, 100_000);
            assert_eq!(ALLOCATIONS.get(), before);
            let counters = link.counters();
            assert!(counters.queue_dropped > 0, "the queue was full at times");
            assert!(counters.reordered > 0 && counters.lost > 0);
        }
    }
}

#[test]
fn gates_and_bottlenecks_allocate_nothing() {
    for spec in bottlenecks() {
        let mut link = Link::new(&spec, 1, Direction::Down).expect("a valid specification");
        let mut now = 0;
        drive(&mut link, &mut now, 300_000);
        let before = ALLOCATIONS.get();
        drive(&mut link, &mut now, 100_000);
        assert_eq!(ALLOCATIONS.get(), before, "{:?} {:?}", spec.aqm, spec.trace);
        let counters = link.counters();
        assert!(counters.outage_dropped > 0);
        assert!(counters.policed > 0);
        assert!(counters.queue_dropped + counters.aqm_dropped > 0);
    }
}

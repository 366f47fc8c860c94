//! Random links and schedules for the property tests: small times and rates, so that packets meet.

use proptest::option;
use proptest::prelude::*;

use pronghorn_path::{Distribution, Jitter, LinkSpec, Loss, Order, Queue, Time};

use crate::harness::Sending;

fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..0.5]
}

fn loss() -> impl Strategy<Value = Loss> {
    prop_oneof![
        probability().prop_map(Loss::independent),
        (probability(), probability(), probability(), probability()).prop_map(
            |(enter, leave, loss_bad, loss_good)| Loss::GilbertElliott {
                enter,
                leave,
                loss_bad,
                loss_good
            }
        ),
    ]
}

fn jitter() -> impl Strategy<Value = Jitter> {
    let distribution = prop_oneof![Just(Distribution::Uniform), Just(Distribution::Normal)];
    let order = prop_oneof![Just(Order::Keep), Just(Order::Break)];
    (distribution, 0..20_000_u64, order).prop_map(|(distribution, spread_ns, order)| Jitter {
        distribution,
        spread_ns,
        order,
        ..Jitter::default()
    })
}

fn bottleneck() -> impl Strategy<Value = (u64, Option<Queue>)> {
    let queue = prop_oneof![
        (1..10_000_u64).prop_map(Queue::Bytes),
        (1..10_u64).prop_map(Queue::Packets)
    ];
    let rates = prop_oneof![1_000_000..100_000_000_u64, 100_000_000..8_000_000_000_u64];
    (rates, option::of(queue))
}

/// Any valid link.
pub(crate) fn specs() -> impl Strategy<Value = LinkSpec> {
    let delays = prop_oneof![Just(0), 0..20_000_u64];
    (
        delays,
        option::of(jitter()),
        option::of(loss()),
        probability(),
        probability(),
        option::of(bottleneck()),
    )
        .prop_map(
            |(delay_ns, jitter, loss, duplicate, corrupt, bottleneck)| LinkSpec {
                delay_ns,
                jitter,
                loss,
                duplicate,
                corrupt,
                rate_bit_per_s: bottleneck.map(|(rate, _)| rate),
                queue: bottleneck.and_then(|(_, queue)| queue),
                ..LinkSpec::default()
            },
        )
}

/// Up to 200 packets of 0 to 1500 bytes, each at the moment of the last one or up to 5 µs later.
pub(crate) fn schedules() -> impl Strategy<Value = Vec<Sending>> {
    let gaps = prop_oneof![Just(0), 0..5_000_u64];
    prop::collection::vec((gaps, 0..=1500_usize), 0..200).prop_map(|gaps| {
        let mut now = 0;
        gaps.into_iter()
            .map(|(gap, len)| {
                now += gap;
                (Time(now), len)
            })
            .collect()
    })
}

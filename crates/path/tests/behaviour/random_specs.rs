//! Random links and schedules for the property tests: small times and rates, so that packets meet.

use proptest::option;
use proptest::prelude::*;

use pronghorn_path::{Distribution, Jitter, LinkSpec, Loss, Order, Reorder, Time};

use crate::harness::Sending;
use crate::random_bottlenecks::{bottleneck, gate, scheduled};

fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..0.5]
}

fn correlation() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..1.0]
}

fn loss() -> impl Strategy<Value = Loss> {
    let four = || (probability(), probability(), probability(), probability());
    prop_oneof![
        (probability(), correlation(), option::of(1..5_u32)).prop_map(
            |(probability, correlation, longest_burst)| Loss::Independent {
                probability,
                correlation,
                longest_burst
            }
        ),
        four().prop_map(|(enter, leave, loss_bad, loss_good)| Loss::GilbertElliott {
            enter,
            leave,
            loss_bad,
            loss_good
        }),
        (four(), 0.0..1.0).prop_map(|((p13, p31, p23, share), other)| Loss::FourState {
            p13,
            p31,
            p32: (1.0 - p31) * other,
            p23,
            p14: (1.0 - p13) * share,
        }),
        prop::collection::btree_set(1..250_u64, 0..50).prop_map(|numbers| Loss::Packets {
            numbers: numbers.into_iter().collect(),
        }),
    ]
}

fn jitter() -> impl Strategy<Value = Jitter> {
    let table = prop::collection::vec(any::<i16>(), 1..20);
    let shape = prop_oneof![
        Just((Distribution::Uniform, None)),
        Just((Distribution::Normal, None)),
        Just((Distribution::Pareto, None)),
        Just((Distribution::ParetoNormal, None)),
        table.prop_map(|numbers| {
            let words: Vec<String> = numbers.iter().map(i16::to_string).collect();
            (Distribution::Table, Some(words.join("\n")))
        }),
    ];
    let order = prop_oneof![Just(Order::Keep), Just(Order::Break)];
    (shape, 0..20_000_u64, correlation(), order).prop_map(
        |((distribution, table), spread_ns, correlation, order)| Jitter {
            distribution,
            spread_ns,
            correlation,
            table,
            order,
        },
    )
}

fn reorder() -> impl Strategy<Value = Reorder> {
    (probability(), correlation(), 1..6_u32).prop_map(|(probability, correlation, gap)| Reorder {
        probability,
        correlation,
        gap,
    })
}

/// Any valid link whose packets all leave in the end.
pub(crate) fn specs() -> impl Strategy<Value = LinkSpec> {
    let delays = prop_oneof![Just(0), 0..20_000_u64];
    let chances = || (probability(), correlation());
    (
        delays,
        option::of(jitter()),
        option::of(reorder()),
        option::of(loss()),
        chances(),
        chances(),
        (gate(), bottleneck()),
    )
        .prop_map(
            |(delay_ns, jitter, reorder, loss, duplicate, corrupt, (gate, bottleneck))| LinkSpec {
                delay_ns,
                jitter,
                reorder,
                loss,
                duplicate: duplicate.0,
                duplicate_correlation: duplicate.1,
                corrupt: corrupt.0,
                corrupt_correlation: corrupt.1,
                mtu: gate.mtu,
                udp: gate.udp,
                outage: gate.outage,
                ..bottleneck
            },
        )
        .prop_flat_map(scheduled)
}

/// Up to 200 packets of 0 to 1500 bytes, each at the moment of the last one, or up to 5 µs, sometimes 2 ms, later.
pub(crate) fn schedules() -> impl Strategy<Value = Vec<Sending>> {
    let gaps = prop_oneof![4 => Just(0), 4 => 0..5_000_u64, 1 => 0..2_000_000_u64];
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

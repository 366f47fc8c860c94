//! Decisions are monotone in evidence: a slower QUIC sample, or a faster TCP sample, never speaks for h3.
//!
//! Sums are kept in single precision, so "never" means within [`ROUNDING`] of a logarithm of a ratio.

use crate::common::{Memory, NOON_MS, keys, sample_of_network, scattering, sloping};
use pronghorn_policy::{Ask, Keys, Policy, Protocol, Sample, Table};
use proptest::prelude::*;

const ROUNDING: f32 = 1e-4;

#[derive(Clone, Debug)]
struct Observed {
    key: u64,
    protocol: Protocol,
    sample: Sample,
    after_ms: u64,
}

fn observed(keys: u64) -> impl Strategy<Value = Observed> {
    let size = prop_oneof![Just(2_000u64), Just(50_000), Just(400_000), Just(5_000_000)];
    (
        0..keys,
        any::<bool>(),
        size,
        5_000..3_000_000u64,
        any::<bool>(),
        prop_oneof![Just(0u32), Just(1), Just(10)],
        0..600_000u64,
    )
        .prop_map(
            |(key, quic, bytes, time_us, stalled, lost, after_ms)| Observed {
                key,
                protocol: if quic { Protocol::Quic } else { Protocol::Tcp },
                sample: Sample {
                    bytes,
                    time_us,
                    stalled,
                    ..sample_of_network(50_000, 100, lost)
                },
                after_ms,
            },
        )
}

/// What is expected of each key after `history`.
fn gains(policy: &Policy, history: &[Observed], asked: u64, holdout: f32) -> Vec<f32> {
    let ask = Ask {
        holdout,
        ..Ask::default()
    };
    let mut memory = Memory::new(1 << 17);
    let mut table = memory.table();
    let of = |key: u64| Keys {
        own: keys(key).own,
        parent: keys(key / 4).parent,
        client: keys(key).client,
    };
    let mut now_ms = NOON_MS;
    for key in 0..asked {
        table.decide(policy, of(key), Protocol::Tcp, &ask, now_ms); // so that it belongs to the epoch's groups
    }
    let decide = |table: &mut Table<'_>, key: u64, now_ms: u64| {
        table
            .decide(policy, of(key), Protocol::Tcp, &ask, now_ms)
            .gain
    };
    for observed in history {
        now_ms += observed.after_ms;
        let Observed { key, protocol, .. } = *observed;
        table.observe(policy, of(key), protocol, &observed.sample, now_ms);
        decide(&mut table, key, now_ms); // it votes in its parent
    }
    (0..asked)
        .map(|key| decide(&mut table, key, now_ms + 20_000))
        .collect()
}

/// The history in which one sample speaks less for h3: QUIC's took longer, or stalled, or TCP's was faster, or didn't stall.
fn with_one_worse(history: &[Observed], which: usize, factor: f64, stall: bool) -> Vec<Observed> {
    let mut worse = history.to_vec();
    let changed = &mut worse[which];
    let time_us = changed.sample.time_us as f64;
    match changed.protocol {
        Protocol::Quic => {
            changed.sample.time_us = (time_us * factor) as u64;
            changed.sample.stalled |= stall;
        }
        Protocol::Tcp => {
            changed.sample.time_us = ((time_us / factor) as u64).max(1);
            changed.sample.stalled &= !stall;
        }
    }
    worse
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_worse_sample_speaks_against_h3_for_its_key_and_those_around_it(
        history in proptest::collection::vec(observed(6), 1..80),
        which in any::<prop::sample::Index>(),
        factor in 1.0..100.0f64,
        stall in any::<bool>(),
        scatters in any::<bool>(),
    ) {
        let policy = if scatters { scattering() } else { sloping(0.5) };
        let worse = with_one_worse(&history, which.index(history.len()), factor, stall);
        let before = gains(&policy, &history, 6, 0.0);
        let after = gains(&policy, &worse, 6, 0.0);
        for (before, after) in before.iter().zip(&after) {
            prop_assert!(after >= &(before - ROUNDING), "{before} became {after}");
        }
    }

    /// Whoever is pinned, which is everybody with half of the keys in each arm, what is expected is what it would be.
    #[test]
    fn pins_change_nothing_that_is_expected(
        history in proptest::collection::vec(observed(40), 100..400),
    ) {
        let policy = scattering();
        prop_assert_eq!(gains(&policy, &history, 40, 0.5), gains(&policy, &history, 40, 0.0));
    }
}

#[test]
fn evidence_moves_what_is_expected_at_all() {
    let policy = scattering();
    let history: Vec<Observed> = (0..40)
        .map(|i| Observed {
            key: 0,
            protocol: if i % 2 == 0 {
                Protocol::Quic
            } else {
                Protocol::Tcp
            },
            sample: sample_of_network(50_000, 100, 1),
            after_ms: 1_000,
        })
        .collect();
    let equal = gains(&policy, &history, 1, 0.0)[0];
    let mut slower = history;
    for observed in slower.iter_mut().step_by(2) {
        observed.sample.time_us *= 2;
    }
    assert!(gains(&policy, &slower, 1, 0.0)[0] > equal + 0.1);
}

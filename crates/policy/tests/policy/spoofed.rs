//! Whoever sends from many prefixes changes their own keys; what they share with others moves those by no more than is said here.

use crate::common::{Memory, NOON_MS, keys, mix, policy, sample, sloping};
use pronghorn_policy::{Ask, Decision, Keys, Policy, Protocol, Sample};
use proptest::prelude::*;

const VICTIM: Keys = Keys {
    own: 0x1234_5678_9abc_def0,
    parent: 0x0fed_cba9_8765_4321,
    client: 0x7654_3210_fedc_ba98,
};

fn hostile() -> impl Strategy<Value = (u64, bool, Sample)> {
    let network = (any::<u32>(), any::<u32>(), any::<u32>(), any::<u64>());
    let outcome = (any::<u64>(), any::<u64>(), any::<bool>());
    (0..2_000u64, any::<bool>(), network, outcome).prop_map(
        |(key, quic, (min_rtt_us, sent, lost, rate_bytes_per_s), (bytes, time_us, stalled))| {
            let sample = Sample {
                bytes: bytes % 10_000_000,
                time_us: time_us % 4_000_000_000,
                rate_bytes_per_s,
                min_rtt_us: min_rtt_us % 400_000,
                sent,
                lost,
                stalled,
                ..Sample::default()
            };
            (key, quic, sample)
        },
    )
}

/// The victim's decision after its own few samples, with others' between them.
fn decided(
    policy: &Policy,
    others: &[(u64, bool, Sample)],
    keys_of: impl Fn(u64) -> Keys,
    holdout: f32,
) -> Decision {
    let ask = Ask {
        holdout,
        ..Ask::default()
    };
    let mut memory = Memory::new(1 << 20);
    let mut table = memory.table();
    let own = Sample {
        min_rtt_us: 60_000,
        sent: 200,
        lost: 1,
        ..sample(30_000, 150_000)
    };
    for protocol in [Protocol::Tcp, Protocol::Quic] {
        table.observe(policy, VICTIM, protocol, &own, NOON_MS);
    }
    for (key, quic, sample) in others {
        let protocol = if *quic { Protocol::Quic } else { Protocol::Tcp };
        table.decide(policy, keys_of(*key), protocol, &ask, NOON_MS + 500);
        table.observe(policy, keys_of(*key), protocol, sample, NOON_MS + 500);
    }
    table.decide(policy, VICTIM, Protocol::Tcp, &ask, NOON_MS + 1000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn strangers_change_nothing_where_none_is_pinned(
        others in proptest::collection::vec(hostile(), 0..300),
    ) {
        let policy = policy();
        let alone = decided(&policy, &[], keys, 0.0);
        prop_assert_eq!(alone, decided(&policy, &others, keys, 0.0));
    }

    /// Not even where all of them are, half of them to each arm.
    #[test]
    fn nor_do_pinned_strangers(
        others in proptest::collection::vec(hostile(), 0..1500),
    ) {
        let policy = policy();
        let alone = decided(&policy, &[], keys, 0.5);
        prop_assert_eq!(alone, decided(&policy, &others, keys, 0.5));
    }

    /// However many siblings vote, they say no more than a quarter of the sd of what a parent's keys have in common.
    #[test]
    fn siblings_move_a_key_by_a_bounded_amount(
        others in proptest::collection::vec(hostile(), 0..300),
    ) {
        let sibling = |key| Keys { own: mix(key % 20), client: key, ..VICTIM };
        for slope in [0.0, 0.5] {
            let policy = sloping(slope);
            let alone = decided(&policy, &[], keys, 0.0);
            let among = decided(&policy, &others, sibling, 0.0);
            // The surface's greatest ln ratio is 0.7, and its sd 0.04 and what rates differ by.
            let common = (0.15f32 * 0.15 + 0.05 * 0.05 + slope * slope * 0.7 * 0.7) / 2.0;
            prop_assert!((among.gain - alone.gain).abs() <= 0.25 * common.sqrt() + 1e-4);
        }
    }
}

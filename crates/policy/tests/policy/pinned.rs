//! Keys that chance pinned are moved by no evidence, and chance pins as many as it was asked to.

use crate::common::{
    Memory, NOON_MS, Random, keys, policy, policy_with, sample, sample_of_network,
};
use pronghorn_policy::{Action, Arm, Ask, Decision, Downgrade, Protocol, Reason, Sample};
use proptest::prelude::*;

/// What of a decision is said and logged, but for what is expected.
fn said(decision: &Decision) -> (Action, Reason, Arm, u32, f32) {
    (
        decision.action,
        decision.reason,
        decision.arm,
        decision.max_age_s,
        decision.propensity,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_evidence_moves_a_pinned_key(
        evidence in proptest::collection::vec(
            (0..60u64, any::<bool>(), 1u64..4_000_000, 1..50_000_000u64, 0u32..500, 0u32..500, any::<bool>()),
            0..200,
        ),
        holdout in 0.0f32..=0.5,
    ) {
        let policy = policy_with(|steering| steering.blocked_after = 1);
        let ask = Ask { holdout, ..Ask::default() };
        let (mut told, mut untold) = (Memory::new(1 << 17), Memory::new(1 << 17));
        let (mut told, mut untold) = (told.table(), untold.table());
        let mut now_ms = NOON_MS;
        for (key, quic, bytes, time_us, sent, lost, stalled) in evidence {
            now_ms += 20_000;
            let protocol = if quic { Protocol::Quic } else { Protocol::Tcp };
            let sample = Sample { sent, lost, stalled, min_rtt_us: 1 + sent * 1000, ..sample(bytes, time_us) };
            told.observe(&policy, keys(key), protocol, &sample, now_ms);
            for protocol in [Protocol::Tcp, Protocol::Quic] {
                let with = told.decide(&policy, keys(key), protocol, &ask, now_ms);
                let without = untold.decide(&policy, keys(key), protocol, &ask, now_ms);
                prop_assert_eq!(with.arm, without.arm);
                prop_assert_eq!(with.propensity, without.propensity);
                if with.arm != Arm::Steered {
                    prop_assert_eq!(said(&with), said(&without));
                }
            }
        }
    }
}

#[test]
fn a_key_pinned_to_h3_is_offered_it_though_its_udp_is_blocked() {
    let policy = policy();
    let ask = Ask {
        holdout: 0.5,
        ..Ask::default()
    };
    let mut memory = Memory::new(1 << 17);
    let mut table = memory.table();
    let pinned = (0..100).map(keys).find(|keys| {
        table
            .decide(&policy, *keys, Protocol::Tcp, &ask, NOON_MS)
            .arm
            == Arm::PinnedH3
    });
    let pinned = pinned.expect("half of the keys are pinned to h3");
    for second in 0..1000 {
        let now_ms = NOON_MS + second * 1000;
        let decision = table.decide(&policy, pinned, Protocol::Tcp, &ask, now_ms);
        assert_eq!(decision.action, Action::Advertise);
    }
    assert_eq!(table.snapshot(&policy, NOON_MS).keys_blocked, 0);
}

#[test]
fn a_key_that_becomes_pinned_to_h2_is_told_so_over_quic_whatever_the_mode() {
    let policy = policy();
    let mut memory = Memory::new(8 << 20);
    let mut table = memory.table();
    let mut told = 0;
    for key in 0..200 {
        for downgrade in [Downgrade::Off, Downgrade::Lease, Downgrade::Clear] {
            let ask = Ask {
                holdout: 0.25,
                downgrade,
                ..Ask::default()
            };
            let decision = table.decide(&policy, keys(key), Protocol::Quic, &ask, NOON_MS);
            if decision.arm == Arm::PinnedH2 {
                assert_eq!(decision.action, Action::Clear, "{downgrade:?}");
                told += 1;
            }
        }
    }
    assert!(told > 0);
}

#[test]
fn arms_and_their_propensities_agree_over_many_keys() {
    // Binomial(20000, 0.1): sd 42.4. Each bound is off by 5 sd: together a false alarm in less than a million draws of a secret.
    let policy = policy();
    let ask = Ask {
        holdout: 0.1,
        ..Ask::default()
    };
    let mut memory = Memory::new(8 << 20);
    let mut table = memory.table();
    let (mut counts, mut weighted) = ([0u32; 3], [0.0f64; 3]);
    for key in 0..20_000 {
        let decision = table.decide(&policy, keys(key), Protocol::Tcp, &ask, NOON_MS);
        counts[decision.arm as usize] += 1;
        weighted[decision.arm as usize] += 1.0 / f64::from(decision.propensity);
    }
    for pinned in [Arm::PinnedH2, Arm::PinnedH3] {
        assert!(
            (1788..=2212).contains(&counts[pinned as usize]),
            "{counts:?}"
        );
    }
    // Horvitz and Thompson's estimate of how many keys there are, from each arm alone.
    for estimate in weighted {
        assert!((estimate / 20_000.0 - 1.0).abs() < 0.107, "{weighted:?}");
    }
}

#[test]
fn another_epoch_draws_other_keys() {
    let policy = policy();
    let ask = Ask {
        holdout: 0.25,
        ..Ask::default()
    };
    let mut memory = Memory::new(8 << 20);
    let mut table = memory.table();
    let mut draw = |now_ms: u64| -> Vec<Arm> {
        (0..2000)
            .map(|key| {
                table
                    .decide(&policy, keys(key), Protocol::Tcp, &ask, now_ms)
                    .arm
            })
            .collect()
    };
    let (today, later, tomorrow) = (
        draw(NOON_MS),
        draw(NOON_MS + 3_600_000),
        draw(NOON_MS + 86_400_000),
    );
    assert_eq!(today, later);
    let same = today.iter().zip(&tomorrow).filter(|(a, b)| a == b).count();
    // Of independent draws with shares 1/2, 1/4, 1/4: Binomial(2000, 3/8), sd 21.7; 5 sd.
    assert!((642..=858).contains(&same), "{same}");
}

#[test]
fn where_no_arm_is_treated_otherwise_the_holdout_says_so() {
    let policy = policy();
    let ask = Ask {
        holdout: 0.1,
        ..Ask::default()
    };
    let mut memory = Memory::new(8 << 20);
    let mut table = memory.table();
    let mut random = Random(3);
    for key in 0..5_000 {
        table.decide(&policy, keys(key), Protocol::Tcp, &ask, NOON_MS);
        let mut seen = sample_of_network(50_000, 20, 0);
        seen.time_us = (200_000.0 * (0.5 * random.normal()).exp()) as u64;
        table.observe(&policy, keys(key), Protocol::Tcp, &seen, NOON_MS + 1000);
    }
    let uplift = table.snapshot(&policy, NOON_MS + 1000).steered_now;
    // The same distribution in all arms: of twenty seeds one would miss 1, this one does not.
    assert!(uplift.low < 1.0 && uplift.high > 1.0, "{uplift:?}");
    assert!(uplift.high / uplift.low < 1.2, "{uplift:?}");
}

#[test]
fn no_offer_reaches_into_an_epoch_that_pins_its_key_to_h2() {
    const DAY_MS: u64 = 86_400_000;
    let policy = policy();
    let ask = Ask {
        holdout: 0.25,
        ..Ask::default()
    };
    let lossy = sample_of_network(150_000, 1000, 80);
    let mut seen = [0; 2];
    for key in 0..400 {
        let mut memory = Memory::new(1 << 16);
        let mut table = memory.table();
        table.observe(&policy, keys(key), Protocol::Tcp, &lossy, NOON_MS);
        let mut at = |now_ms| table.decide(&policy, keys(key), Protocol::Tcp, &ask, now_ms);
        let today = at(NOON_MS);
        let late = at(NOON_MS + DAY_MS / 2 - 60_000);
        let tomorrow = at(NOON_MS + DAY_MS);
        if today.action != Action::Advertise || late.action != Action::Advertise {
            continue;
        }
        let pinned = tomorrow.arm == Arm::PinnedH2;
        let longest_s = if pinned {
            [43_200, 300]
        } else {
            [86_400, 86_400]
        };
        assert_eq!([today.max_age_s, late.max_age_s], longest_s, "{key}");
        seen[usize::from(pinned)] += 1;
    }
    assert!(seen[0] > 100 && seen[1] > 30, "{seen:?}");
}

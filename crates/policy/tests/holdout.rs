//! The holdout's interval covers the truth as often as it says.

mod common;

use common::{Memory, Random, keys, policy_with, sample};
use pronghorn_policy::{Arm, Ask, Protocol};

/// Of 2000 epochs with intervals of 95 %, fewer than 93 % cover the truth with a probability of 2e-5 (binomial, 4.1 sd).
#[test]
fn of_two_thousand_epochs_at_least_93_percent_cover_the_true_uplift() {
    const KEYS: u64 = 200;
    let policy = policy_with(|steering| {
        steering.epoch_s = 600;
        steering.lease_s = 1;
    });
    let ask = Ask {
        holdout: 0.1,
        ..Ask::default()
    };
    let mut memory = Memory::new(1 << 18);
    let mut table = memory.table();
    let mut random = Random(1);
    let truth: f64 = -0.1;
    let (mut covered, mut judged) = (0, 0);
    for epoch in 1..=2000u64 {
        let begins_ms = (10_000 + epoch) * 600_000;
        for key in 0..KEYS {
            let now_ms = begins_ms + 10_000 + key;
            let arm = table
                .decide(&policy, keys(key), Protocol::Tcp, &ask, now_ms)
                .arm;
            let effect = if arm == Arm::Steered { truth } else { 0.0 };
            let of_key = 0.6 * random.normal();
            for _ in 0..1 + random.bits() % 3 {
                let skewed = -0.3 * (random.uniform().ln() + 1.0);
                let time_us = 200_000.0 * (effect + of_key + skewed).exp();
                let sample = sample(20_000, time_us as u64);
                table.observe(&policy, keys(key), Protocol::Tcp, &sample, now_ms);
            }
        }
        let uplift = table.snapshot(&policy, begins_ms + 20_000).steered_now;
        if uplift.ratio.is_finite() {
            judged += 1;
            covered += u32::from((uplift.low..=uplift.high).contains(&truth.exp()));
        }
    }
    assert!(judged > 1900, "{judged} epochs have enough keys");
    let share = f64::from(covered) / f64::from(judged);
    println!(
        "{covered} of {judged} intervals cover the truth: {:.1} %",
        share * 100.0
    );
    assert!((0.93..0.97).contains(&share), "{share}");

    // Over all epochs, the same and much narrower.
    let all = table
        .snapshot(&policy, 12_000 * 600_000 + 20_000)
        .steered_all;
    assert!((all.low..=all.high).contains(&truth.exp()), "{all:?}");
    assert!(all.high / all.low < 1.03, "{all:?}");
}

#[test]
fn a_key_counts_once_an_epoch_however_much_it_asks() {
    let policy = policy_with(|steering| steering.lease_s = 1);
    let ask = Ask {
        holdout: 0.0,
        ..Ask::default()
    };
    let mut memory = Memory::new(1 << 18);
    let mut table = memory.table();
    for key in 0..10u64 {
        for response in 0..=key * 10 {
            let now_ms = common::NOON_MS + response * 1000;
            table.decide(&policy, keys(key), Protocol::Tcp, &ask, now_ms);
            table.observe(
                &policy,
                keys(key),
                Protocol::Tcp,
                &sample(20_000, 66_000 * (key + 1)),
                now_ms,
            );
        }
    }
    let [steered, ..] = table.snapshot(&policy, common::NOON_MS).now;
    assert_eq!(steered.keys, 10);
    let expected = (1..=10).map(|key| f64::from(key).ln()).sum::<f64>() / 10.0;
    assert!((steered.mean - expected).abs() < 1e-5, "{steered:?}");
}

#[test]
fn what_belongs_to_the_last_epochs_leases_counts_for_none() {
    let policy = policy_with(|_| ());
    let ask = Ask::default();
    let mut memory = Memory::new(1 << 18);
    let mut table = memory.table();
    let midnight_ms = 20_000 * 86_400_000;
    for (after_ms, keys_counted) in [(0, 0), (299_999, 0), (300_000, 1), (600_000, 1)] {
        let now_ms = midnight_ms + after_ms;
        table.decide(&policy, keys(1), Protocol::Tcp, &ask, now_ms);
        table.observe(
            &policy,
            keys(1),
            Protocol::Tcp,
            &sample(20_000, 200_000),
            now_ms,
        );
        let groups = table.snapshot(&policy, now_ms).now;
        assert_eq!(
            groups.iter().map(|group| group.keys).sum::<u64>(),
            keys_counted
        );
    }
}

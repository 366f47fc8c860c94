//! The holdout's interval covers the truth as often as it says.

use crate::common::{Memory, NOON_MS, Random, keys, policy_with, sample};
use pronghorn_policy::{Arm, Ask, Policy, Protocol, Sample, Table};

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
            // Past what an epoch begins with, and past the first page of a key that was pinned before.
            let asked_ms = begins_ms + 40_000 + key;
            let now_ms = asked_ms + 30_000;
            let arm = table
                .decide(&policy, keys(key), Protocol::Tcp, &ask, asked_ms)
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
        let uplift = table.snapshot(&policy, begins_ms + 80_000).steered_now;
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
        .snapshot(&policy, 12_000 * 600_000 + 80_000)
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
            let now_ms = NOON_MS + response * 1000;
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
    let [steered, ..] = table.snapshot(&policy, NOON_MS).now;
    assert_eq!(steered.keys, 10);
    let expected = (1..=10).map(|key| f64::from(key).ln()).sum::<f64>() / 10.0;
    assert!((steered.mean - expected).abs() < 1e-5, "{steered:?}");
}

/// How many numbers the groups of the current epoch hold after a key told of a response at `now_ms`.
fn counted(table: &mut Table<'_>, policy: &Policy, key: u64, ask: &Ask, now_ms: u64) -> u64 {
    table.decide(policy, keys(key), Protocol::Tcp, ask, now_ms);
    let sample = Sample {
        dry_run: ask.dry_run,
        ..sample(20_000, 200_000)
    };
    table.observe(policy, keys(key), Protocol::Tcp, &sample, now_ms);
    let groups = table.snapshot(policy, now_ms).now;
    groups.iter().map(|group| group.keys).sum()
}

#[test]
fn what_an_epoch_begins_with_and_the_first_page_of_a_key_that_was_pinned_do_not_count() {
    let policy = policy_with(|steering| steering.holdout = 0.5);
    let ask = Ask::default();
    let mut memory = Memory::new(1 << 18);
    let mut table = memory.table();
    let midnight_ms = 20_000 * 86_400_000;
    // With a holdout of a half each key is.
    let pinned = 1;
    table.decide(
        &policy,
        keys(pinned),
        Protocol::Tcp,
        &ask,
        midnight_ms - 10_000,
    );
    let unknown = 1000;
    let mut counted = |key, after_ms| {
        let now_ms = midnight_ms + after_ms;
        counted(&mut table, &policy, key, &ask, now_ms)
    };
    assert_eq!(counted(unknown, 329_999), 0);
    assert_eq!(counted(unknown, 330_000), 1);
    assert_eq!(counted(pinned, 400_000), 1);
    assert_eq!(counted(pinned, 429_999), 1);
    assert_eq!(counted(pinned, 430_000), 2);
}

#[test]
fn what_comes_in_a_dry_run_counts_for_no_arm() {
    let policy = policy_with(|_| ());
    let (serious, dry) = (
        Ask::default(),
        Ask {
            dry_run: true,
            ..Ask::default()
        },
    );
    let mut memory = Memory::new(1 << 18);
    let mut table = memory.table();
    let mut counted = |key, ask| counted(&mut table, &policy, key, ask, NOON_MS);
    assert_eq!(counted(1, &dry), 0);
    assert_eq!(counted(2, &serious), 1);
    assert_eq!(counted(2, &dry), 1, "what it has told stays");
    assert_eq!(counted(1, &serious), 2);
    let [told, _] = table.snapshot(&policy, NOON_MS).samples;
    assert_eq!(
        told, 4,
        "what is learned of a network is learned in a dry run, too"
    );
}

#[test]
fn groups_of_another_holdout_begin_anew_once_what_was_offered_before_it_has_lapsed() {
    let policy = policy_with(|steering| steering.lease_s = 1);
    let of = |holdout| Ask {
        holdout,
        ..Ask::default()
    };
    let (little, much) = (of(0.05), of(0.2));
    let mut memory = Memory::new(1 << 18);
    let mut table = memory.table();
    table.begin_holdout(0.05, 300, NOON_MS);
    let later_ms = |seconds: u64| NOON_MS + seconds * 1000;
    assert_eq!(counted(&mut table, &policy, 1, &little, later_ms(299)), 0);
    assert_eq!(counted(&mut table, &policy, 1, &little, later_ms(300)), 1);
    assert_eq!(
        counted(&mut table, &policy, 2, &much, later_ms(301)),
        1,
        "not the table's"
    );
    table.begin_holdout(0.05, 300, later_ms(302));
    assert_eq!(
        counted(&mut table, &policy, 3, &little, later_ms(303)),
        2,
        "the same"
    );
    table.begin_holdout(0.2, 300, later_ms(400));
    assert_eq!(
        counted(&mut table, &policy, 1, &little, later_ms(401)),
        0,
        "an old worker's"
    );
    assert_eq!(counted(&mut table, &policy, 1, &much, later_ms(699)), 0);
    assert_eq!(counted(&mut table, &policy, 1, &much, later_ms(730)), 1);
    assert_eq!(
        counted(&mut table, &policy, 1, &little, later_ms(731)),
        0,
        "told of by both"
    );
}

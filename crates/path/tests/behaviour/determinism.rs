use proptest::prelude::*;

use pronghorn_path::{Direction, Distribution, Jitter, Link, LinkSpec, Loss, Order, Time};

use crate::harness::{assorted, evenly, send, send_each};
use crate::random_specs::{schedules, specs};

proptest! {
    #[test]
    fn the_same_seed_and_packets_meet_the_same_fate(
        spec in specs(),
        schedule in schedules(),
        seed: u64,
    ) {
        let outcome = || send_each(&spec, seed, &schedule, assorted);
        prop_assert_eq!(outcome(), outcome());
    }
}

fn lossy() -> LinkSpec {
    LinkSpec {
        loss: Some(Loss::independent(0.5)),
        ..LinkSpec::default()
    }
}

#[test]
fn another_seed_is_another_fate() {
    let schedule = evenly(1000, 1, 100);
    assert_ne!(
        send(&lossy(), 1, &schedule).0,
        send(&lossy(), 2, &schedule).0
    );
}

#[test]
fn the_two_directions_of_one_seed_differ() {
    let survivors = |direction| {
        let mut link = Link::new(&lossy(), 1, direction).expect("a valid specification");
        let mut survivors = Vec::new();
        for i in 0..100_u8 {
            link.push(Time(0), vec![i]);
            survivors.extend(link.pop(Time(0)).map(|departure| departure.packet));
        }
        survivors
    };
    assert_ne!(survivors(Direction::Down), survivors(Direction::Up));
}

/// What this seed does to the first packets, as (packet, copy, flipped bit, due); if it changes,
/// no recorded run can be repeated. Uniform jitter, since it needs no platform's logarithm.
#[test]
fn decisions_stay_the_same_between_versions() {
    let jitter = Jitter {
        distribution: Distribution::Uniform,
        spread_ns: 5_000,
        order: Order::Break,
        ..Jitter::default()
    };
    let spec = LinkSpec {
        delay_ns: 10_000,
        jitter: Some(jitter),
        duplicate: 0.3,
        corrupt: 0.8,
        rate_bit_per_s: Some(1_000_000_000),
        ..lossy()
    };
    let (departures, _) = send(&spec, 1, &evenly(12, 1_000, 100));
    let fates: Vec<(u64, bool, Option<usize>, u64)> = departures
        .iter()
        .map(|d| (d.packet.id, d.packet.is_copy, d.packet.flipped, d.due.0))
        .collect();
    let expected = [
        (0, false, Some(691), 6143),
        (2, false, Some(514), 8792),
        (1, false, Some(201), 10842),
        (5, false, None, 15250),
        (8, false, None, 17071),
        (7, false, None, 17871),
        (4, false, Some(758), 19791),
        (11, false, Some(186), 23734),
        (11, true, None, 24534),
    ];
    assert_eq!(fates, expected);
}

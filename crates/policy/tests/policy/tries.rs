//! Who comes often is tried on h3 though it isn't expected to be faster, and is let go again where it isn't.

use crate::common::{Memory, NOON_MS, keys, policy_with, sample, steered};
use pronghorn_policy::{Action, Decision, Policy, Protocol, Reason, Sample, Table};

const HOUR_MS: u64 = 3_600_000;

/// 10 ms, nothing lost, 5 Mbit/s: there the surface says that h3 takes 1.04 of the time.
fn visit(
    table: &mut Table<'_>,
    policy: &Policy,
    protocol: Protocol,
    time_us: u64,
    now_ms: u64,
) -> Decision {
    let network = Sample {
        min_rtt_us: 10_000,
        sent: 1000,
        rate_bytes_per_s: 625_000,
        ..sample(20_000, time_us)
    };
    for _ in 0..8 {
        table.observe(policy, keys(1), protocol, &network, now_ms);
    }
    table.decide(policy, keys(1), protocol, &steered(), now_ms)
}

/// The number of the hourly visit over TCP in which h3 is offered, from 1, and why.
fn tried_in_visit(explore: f64) -> Option<(u64, Reason)> {
    let policy = policy_with(|steering| steering.explore = explore);
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    (1..=30).find_map(|number| {
        let now_ms = NOON_MS + number * HOUR_MS;
        let said = visit(&mut table, &policy, Protocol::Tcp, 100_000, now_ms);
        (said.action == Action::Advertise).then_some((number, said.reason))
    })
}

#[test]
fn who_comes_again_is_tried_and_the_sooner_the_more_visits_are_expected() {
    let (number, reason) = tried_in_visit(1.0).expect("it is tried");
    assert_eq!(reason, Reason::Exploring);
    assert!((2..=4).contains(&number), "{number}");
    let (hopeful, _) = tried_in_visit(10.0).expect("it is tried");
    assert!(hopeful < number, "{hopeful}");
    assert_eq!(tried_in_visit(0.0), None);
}

#[test]
fn a_try_that_goes_badly_ends_and_one_that_goes_well_stays() {
    for (time_us, ends_in, why) in [
        (300_000, Action::Nothing, Reason::H3Slower),
        (60_000, Action::Advertise, Reason::H3Faster),
    ] {
        let policy = policy_with(|_| ());
        let mut memory = Memory::new(1 << 16);
        let mut table = memory.table();
        for number in 0..6 {
            let now_ms = NOON_MS + number * HOUR_MS;
            visit(&mut table, &policy, Protocol::Tcp, 100_000, now_ms);
        }
        for number in 6..8 {
            let now_ms = NOON_MS + number * HOUR_MS;
            visit(&mut table, &policy, Protocol::Quic, time_us, now_ms);
        }
        let now_ms = NOON_MS + 8 * HOUR_MS;
        let said = visit(&mut table, &policy, Protocol::Tcp, 100_000, now_ms);
        assert_eq!((said.action, said.reason), (ends_in, why));
    }
}

//! What the keys of one parent say of each other, and what they don't.

use crate::common::{Memory, NOON_MS, mix, policy, steered};
use pronghorn_policy::{Decision, Keys, Policy, Protocol, Sample, Table};

fn sibling(number: u64) -> Keys {
    Keys {
        own: mix(number),
        parent: 77,
        client: number,
    }
}

fn of_network(rtt_us: u32, lost: u32, time_us: u64) -> Sample {
    Sample {
        bytes: 20_000,
        time_us,
        min_rtt_us: rtt_us,
        sent: 200,
        lost,
        ..Sample::default()
    }
}

/// A newcomer of which its network alone is known: 50 ms, and 0.5 % lost.
fn newcomer(table: &mut Table<'_>, policy: &Policy) -> Decision {
    let known = of_network(50_000, 1, 0);
    table.observe(policy, sibling(1 << 20), Protocol::Tcp, &known, NOON_MS);
    table.decide(policy, sibling(1 << 20), Protocol::Tcp, &steered(), NOON_MS)
}

fn after(tell: impl Fn(&mut Table<'_>, &Policy)) -> Decision {
    let policy = policy();
    let mut memory = Memory::new(1 << 17);
    let mut table = memory.table();
    tell(&mut table, &policy);
    newcomer(&mut table, &policy)
}

/// `keys` siblings tell 20 responses by each protocol; QUIC's take `factor` of the time.
fn told_by_both(table: &mut Table<'_>, policy: &Policy, keys: u64, factor: f64) {
    for key in 0..keys {
        for _ in 0..20 {
            let tcp = of_network(50_000, 1, 200_000);
            let quic = of_network(50_000, 1, (200_000.0 * factor) as u64);
            table.observe(policy, sibling(key), Protocol::Tcp, &tcp, NOON_MS);
            table.observe(policy, sibling(key), Protocol::Quic, &quic, NOON_MS);
        }
        table.decide(policy, sibling(key), Protocol::Tcp, &steered(), NOON_MS);
    }
}

#[test]
fn siblings_that_have_both_transports_speak_for_a_newcomer() {
    let alone = after(|_, _| ());
    let slower = after(|table, policy| told_by_both(table, policy, 20, 1.3));
    let faster = after(|table, policy| told_by_both(table, policy, 20, 0.7));
    assert!(slower.gain > alone.gain + 0.015, "{slower:?}, {alone:?}");
    assert!(faster.gain < alone.gain - 0.015, "{faster:?}, {alone:?}");
    assert_eq!(slower.sd, alone.sd);
}

#[test]
fn keys_that_steering_sorted_by_their_networks_are_not_compared() {
    // Simpson's paradox: bad networks come by QUIC, good ones by TCP, so means over keys say that QUIC is ten times as slow.
    let alone = after(|_, _| ());
    let sorted = after(|table, policy| {
        for key in 0..40 {
            let (protocol, sample) = if key % 2 == 0 {
                (Protocol::Quic, of_network(200_000, 20, 2_000_000))
            } else {
                (Protocol::Tcp, of_network(10_000, 0, 200_000))
            };
            for _ in 0..20 {
                table.observe(policy, sibling(key), protocol, &sample, NOON_MS);
            }
            table.decide(policy, sibling(key), protocol, &steered(), NOON_MS);
        }
    });
    assert_eq!(sorted, alone);
}

#[test]
fn a_sibling_has_one_vote_however_much_it_tells() {
    let once = after(|table, policy| {
        told_by_both(table, policy, 1, 1.3);
    });
    let often = after(|table, policy| {
        for _ in 0..50 {
            told_by_both(table, policy, 1, 1.3);
        }
    });
    // 20 responses by each make the vote's variance 0.0125 + 0.012; a thousand, 0.0125.
    let alone = after(|_, _| ()).gain;
    let (once, often) = (once.gain - alone, often.gain - alone);
    assert!(once > 0.005 && often < 2.0 * once, "{once}, {often}");
}

#[test]
fn a_key_is_not_told_its_own_vote() {
    let policy = policy();
    let (mut with, mut without) = (Memory::new(1 << 17), Memory::new(1 << 17));
    let (mut with, mut without) = (with.table(), without.table());
    told_by_both(&mut with, &policy, 1, 1.3);
    told_by_both(&mut without, &policy, 1, 1.3);
    // Reckoned twice, with the first reckoning's vote in the parent.
    let later_ms = NOON_MS + 10_000;
    let again = with.decide(
        &policy,
        sibling(0),
        Protocol::Tcp,
        &steered(),
        NOON_MS + 9_999,
    );
    assert_eq!(
        again,
        without.decide(&policy, sibling(0), Protocol::Tcp, &steered(), NOON_MS)
    );
    let reckoned = with.decide(&policy, sibling(0), Protocol::Tcp, &steered(), later_ms);
    assert!(
        (reckoned.gain - again.gain).abs() < 0.003,
        "{reckoned:?}, {again:?}"
    );
}

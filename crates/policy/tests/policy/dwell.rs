//! However samples, questions and the clock come, a key's steering changes no faster than the dwell.

use crate::common::{Memory, NOON_MS, keys, policy_with, sample, steered};
use pronghorn_policy::{Action, Ask, Downgrade, Protocol, Sample};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Observe(Protocol, Sample),
    Decide(Protocol, Downgrade),
}

fn protocol() -> impl Strategy<Value = Protocol> {
    prop_oneof![Just(Protocol::Tcp), Just(Protocol::Quic)]
}

fn downgrade() -> impl Strategy<Value = Downgrade> {
    prop_oneof![
        Just(Downgrade::Off),
        Just(Downgrade::Lease),
        Just(Downgrade::Clear)
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let observe = (
        protocol(),
        1u64..4_000_000,
        0..100_000_000u64,
        any::<bool>(),
    );
    prop_oneof![
        observe.prop_map(|(protocol, bytes, time_us, stalled)| {
            let stalled = Sample {
                stalled,
                ..sample(bytes, time_us)
            };
            Step::Observe(protocol, stalled)
        }),
        (protocol(), downgrade()).prop_map(|(protocol, mode)| Step::Decide(protocol, mode)),
    ]
}

/// Mostly seconds ahead, now and then back by a little or a lot.
fn pace() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => 0i64..30_000,
        2 => 30_000i64..1_000_000,
        1 => -59_000i64..0,
        1 => -10_000_000i64..-61_000,
    ]
}

/// The time that passed for a key: steps back count as nothing.
struct Passed {
    latest_ms: Option<u64>,
    ms: u64,
}

impl Passed {
    fn at(&mut self, now_ms: u64) -> u64 {
        let latest_ms = self.latest_ms.unwrap_or(now_ms);
        if now_ms >= latest_ms || latest_ms - now_ms > 60_000 {
            self.ms += now_ms.saturating_sub(latest_ms);
            self.latest_ms = Some(now_ms);
        }
        self.ms
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn steering_never_changes_faster_than_the_dwell(
        steps in proptest::collection::vec((pace(), step()), 1..300),
        dwell_s in 0u32..300,
        cool_down_s in 0u32..600,
    ) {
        let policy = policy_with(|steering| {
            steering.dwell_s = dwell_s;
            steering.cool_down_s = cool_down_s;
            steering.half_life_s = 30.0; // evidence turns fast
        });
        let mut memory = Memory::new(1 << 16);
        let mut table = memory.table();
        let mut now_ms = NOON_MS;
        let mut passed = Passed { latest_ms: None, ms: 0 };
        let (mut is_on, mut changed_at_ms) = (false, None::<u64>);
        for (pace, step) in steps {
            now_ms = now_ms.saturating_add_signed(pace);
            let at_ms = passed.at(now_ms);
            match step {
                Step::Observe(protocol, sample) => {
                    table.observe(&policy, keys(1), protocol, &sample, now_ms);
                }
                Step::Decide(protocol, downgrade) => {
                    let ask = Ask { downgrade, ..steered() };
                    let decision = table.decide(&policy, keys(1), protocol, &ask, now_ms);
                    let offered = decision.action == Action::Advertise;
                    if offered != is_on {
                        if let Some(before_ms) = changed_at_ms {
                            prop_assert!(at_ms - before_ms >= u64::from(dwell_s) * 1000);
                        }
                        (is_on, changed_at_ms) = (offered, Some(at_ms));
                    }
                }
            }
        }
    }
}

#[test]
fn evidence_that_turns_does_turn_steering() {
    let policy = policy_with(|steering| {
        steering.half_life_s = 30.0;
        steering.cool_down_s = 0;
    });
    let mut memory = Memory::new(1 << 16);
    let mut table = memory.table();
    let (mut turns, mut is_on) = (0, false);
    for minute in 0..100 {
        let now_ms = NOON_MS + minute * 60_000;
        let slow = if minute % 10 < 5 { 1 } else { 9 };
        for _ in 0..20 {
            for (protocol, factor) in [(Protocol::Quic, slow), (Protocol::Tcp, 5)] {
                let sample = sample(20_000, 50_000 * factor);
                table.observe(&policy, keys(1), protocol, &sample, now_ms);
            }
        }
        let decision = table.decide(&policy, keys(1), Protocol::Quic, &steered(), now_ms);
        let offered = decision.action == Action::Advertise;
        turns += u32::from(offered != is_on);
        is_on = offered;
    }
    assert!(turns >= 15, "{turns}");
}

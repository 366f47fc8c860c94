//! When a key that isn't pinned is offered h3, and when it is let go.
//!
//! A key is off or on. It turns on where something is known of its network or its responses and h3 is expected to be faster by more than
//! `enter`, or where a try is worth what it costs (`estimate/value.rs`); off where h3 is expected to be slower by more than `leave` and no try is worth it,
//! or where its clients agree that nothing comes by QUIC (`silence.rs`); in between it stays as it is. It changes no faster than `dwell_s`, and each turning off starts a
//! cool-down, twice as long as the one before; where nothing ever came by QUIC, the first takes a day and the next as long as any. A client that is silent
//! by itself is left out for as long, while its key stays on. A key that stayed on for [`FORGIVEN_AFTER`]
//! times its last cool-down is dealt with as if it had never been let go.

use crate::decision::{Downgrade, Reason};
use crate::estimate::Expected;
use crate::state::{BLOCKED, CHANGED, Entry, ON};
use crate::steering::Steering;

const DAY_S: u32 = 86_400;

/// How many times its last cool-down a key has to stay on to be forgiven.
const FORGIVEN_AFTER: u64 = 4;

/// What happened to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Stayed,
    TurnedOn,
    TurnedOff,
    FoundBlocked,
}

impl Entry {
    /// Steers by what is expected at `now_ms`, the entry's own time.
    pub(crate) fn steer(
        &mut self,
        steering: &Steering,
        expected: &Expected,
        downgrade: Downgrade,
        now_ms: u64,
    ) -> (Change, Reason) {
        self.cool_down_s = self.cool_down_s.min(steering.cool_down_most_s);
        let dwells = self.dwells(steering, now_ms);
        let mean = f64::from(expected.mean);
        let better = expected.known && mean < -steering.enter;
        // Whom nothing would let go again isn't tried.
        let try_it = expected.known && expected.worth.h3 && downgrade != Downgrade::Off;
        let worse = mean > steering.leave && !try_it;
        let why_on = if better {
            Reason::H3Faster
        } else {
            Reason::Exploring
        };

        if !self.is(ON) {
            let cools = now_ms < self.cool_until_ms();
            let reason = match () {
                () if cools && self.is(BLOCKED) => Reason::UdpBlocked,
                () if worse => Reason::H3Slower,
                () if !better && !try_it => Reason::Undecided,
                () if cools => Reason::CoolingDown,
                () if dwells => Reason::Dwelling,
                () => {
                    self.turn_on(now_ms);
                    return (Change::TurnedOn, why_on);
                }
            };
            return (Change::Stayed, reason);
        }
        if self.agree_on_silence(steering) && !dwells {
            self.turn_off(steering, now_ms);
            self.set(BLOCKED, true);
            self.cool_down_s = silent_for_s(steering, self.is_answered(), self.strikes);
            return (Change::FoundBlocked, Reason::UdpBlocked);
        }
        let reason = match () {
            () if better || try_it => why_on,
            () if !worse => Reason::Undecided,
            () if downgrade == Downgrade::Off => Reason::DowngradeOff,
            () if dwells => Reason::Dwelling,
            () => {
                self.turn_off(steering, now_ms);
                return (Change::TurnedOff, Reason::H3Slower);
            }
        };
        (Change::Stayed, reason)
    }

    /// `client` arrives by QUIC: it follows offers, and a key taken for blocked isn't.
    pub(crate) fn arrived_by_quic(&mut self, client: u64) {
        self.set_answered();
        self.answered(client);
        if self.is(BLOCKED) {
            self.set(BLOCKED, false);
            self.cool_down_s = 0;
            self.strikes = self.strikes.saturating_sub(1);
        }
    }

    /// Whether it changed too short a time before `now_ms` to change again.
    pub(crate) fn dwells(&self, steering: &Steering, now_ms: u64) -> bool {
        self.is(CHANGED) && now_ms < self.after_change_ms(steering.dwell_s)
    }

    fn turn_on(&mut self, now_ms: u64) {
        self.set(ON, true);
        self.set(BLOCKED, false);
        self.change(now_ms);
    }

    fn turn_off(&mut self, steering: &Steering, now_ms: u64) {
        let on_for_ms = now_ms.saturating_sub(u64::from(self.changed_s) * 1000);
        let last_ms = u64::from(cool_down_s(steering, self.strikes)) * 1000;
        if self.strikes > 0 && on_for_ms >= last_ms.saturating_mul(FORGIVEN_AFTER) {
            self.strikes = 0;
        }
        self.strikes = self.strikes.saturating_add(1);
        self.set(ON, false);
        self.change(now_ms);
        self.cool_down_s = cool_down_s(steering, self.strikes);
    }

    fn change(&mut self, now_ms: u64) {
        self.changed(now_ms);
        self.await_none();
    }

    /// What it, or a client of it, is told is another thing from `now_ms` on.
    pub(crate) fn changed(&mut self, now_ms: u64) {
        self.set(CHANGED, true);
        self.changed_s = now_ms.div_ceil(1000) as u32;
    }
}

/// For how long whoever never answers is offered nothing, the `strikes`-th time, from 1; `answered`: somebody of its key has come by QUIC.
pub(crate) fn silent_for_s(steering: &Steering, answered: bool, strikes: u8) -> u32 {
    match strikes {
        _ if answered => cool_down_s(steering, strikes),
        1 => steering.cool_down_most_s.min(DAY_S),
        _ => steering.cool_down_most_s,
    }
}

/// Of the `strikes`-th turning off, from 1.
fn cool_down_s(steering: &Steering, strikes: u8) -> u32 {
    let doublings = u32::from(strikes.saturating_sub(1)).min(31);
    let doubled = u64::from(steering.cool_down_s) << doublings;
    u32::try_from(doubled)
        .unwrap_or(u32::MAX)
        .min(steering.cool_down_most_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Worth;
    use bytemuck::Zeroable;

    const NEITHER: Worth = Worth {
        h3: false,
        h2: false,
    };
    const FAST: Expected = expected(-0.2);
    const SLOW: Expected = expected(0.2);

    const fn expected(mean: f32) -> Expected {
        Expected {
            mean,
            sd: 0.1,
            known: true,
            worth: NEITHER,
        }
    }

    fn on_at(now_ms: u64) -> Entry {
        let mut entry = Entry::zeroed();
        let (change, _) = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, now_ms);
        assert_eq!(change, Change::TurnedOn);
        entry
    }

    /// Turns off at `now_ms` and says for how long it cools down.
    fn cools_for_s(entry: &mut Entry, now_ms: u64) -> u64 {
        let (change, _) = entry.steer(&Steering::default(), &SLOW, Downgrade::Lease, now_ms);
        assert_eq!(change, Change::TurnedOff);
        (entry.cool_until_ms() - now_ms) / 1000
    }

    #[test]
    fn between_the_thresholds_a_key_stays_as_it_is() {
        let mut off = Entry::zeroed();
        let stays = (Change::Stayed, Reason::Undecided);
        assert_eq!(
            off.steer(&Steering::default(), &expected(-0.01), Downgrade::Lease, 0),
            stays
        );
        let mut on = on_at(0);
        assert_eq!(
            on.steer(
                &Steering::default(),
                &expected(0.01),
                Downgrade::Lease,
                1 << 30
            ),
            stays
        );
        assert!(on.is(ON) && !off.is(ON));
    }

    #[test]
    fn a_change_lasts_for_the_dwell_at_least_and_without_one_not_at_all() {
        let changed_ms = 1_000_400;
        for (dwell_s, lasts_ms) in [(0, 0), (1, 1600), (60, 60_600)] {
            let steering = Steering {
                dwell_s,
                ..Steering::default()
            };
            let mut entry = on_at(changed_ms);
            let mut steer = |after_ms| {
                entry
                    .steer(&steering, &SLOW, Downgrade::Lease, changed_ms + after_ms)
                    .0
            };
            if lasts_ms > 0 {
                assert_eq!(steer(lasts_ms - 1), Change::Stayed, "{dwell_s}");
            }
            assert_eq!(steer(lasts_ms), Change::TurnedOff, "{dwell_s}");
        }
    }

    #[test]
    fn a_key_of_which_nothing_is_known_is_offered_nothing() {
        let unknown = Expected {
            known: false,
            ..FAST
        };
        let mut entry = Entry::zeroed();
        let stays = entry.steer(&Steering::default(), &unknown, Downgrade::Lease, 0);
        assert_eq!(stays, (Change::Stayed, Reason::Undecided));
    }

    #[test]
    fn a_try_begins_and_goes_on_for_as_long_as_it_is_worth_it() {
        let steering = Steering::default();
        let worth = Expected {
            worth: Worth {
                h3: true,
                ..NEITHER
            },
            ..SLOW
        };
        let mut entry = Entry::zeroed();
        let begins = entry.steer(&steering, &worth, Downgrade::Lease, 0);
        assert_eq!(begins, (Change::TurnedOn, Reason::Exploring));
        let goes_on = entry.steer(&steering, &worth, Downgrade::Lease, 100_000);
        assert_eq!(goes_on, (Change::Stayed, Reason::Exploring));
        let (change, reason) = entry.steer(&steering, &SLOW, Downgrade::Lease, 200_000);
        assert_eq!((change, reason), (Change::TurnedOff, Reason::H3Slower));
    }

    #[test]
    fn nothing_is_tried_where_nobody_would_be_let_go_again() {
        let worth = Expected {
            worth: Worth {
                h3: true,
                ..NEITHER
            },
            ..SLOW
        };
        let mut entry = Entry::zeroed();
        let stays = entry.steer(&Steering::default(), &worth, Downgrade::Off, 0);
        assert_eq!(stays, (Change::Stayed, Reason::H3Slower));
    }

    #[test]
    fn a_change_waits_for_the_dwell() {
        let mut entry = on_at(1_000);
        let (change, reason) = entry.steer(&Steering::default(), &SLOW, Downgrade::Lease, 60_999);
        assert_eq!((change, reason), (Change::Stayed, Reason::Dwelling));
        let (change, _) = entry.steer(&Steering::default(), &SLOW, Downgrade::Lease, 61_000);
        assert_eq!(change, Change::TurnedOff);
    }

    #[test]
    fn cool_downs_double_up_to_the_most() {
        let mut entry = on_at(0);
        let mut now_ms = 60_000;
        let mut cooled = std::vec::Vec::new();
        for _ in 0..10 {
            cooled.push(cools_for_s(&mut entry, now_ms));
            let cool_until_ms = entry.cool_until_ms();
            let (change, reason) = entry.steer(
                &Steering::default(),
                &FAST,
                Downgrade::Lease,
                cool_until_ms - 1,
            );
            assert_eq!((change, reason), (Change::Stayed, Reason::CoolingDown));
            let (change, _) =
                entry.steer(&Steering::default(), &FAST, Downgrade::Lease, cool_until_ms);
            assert_eq!(change, Change::TurnedOn);
            now_ms = cool_until_ms + 60_000;
        }
        let expected = [
            600, 1200, 2400, 4800, 9600, 19_200, 38_400, 76_800, 86_400, 86_400,
        ];
        assert_eq!(cooled, expected);
    }

    #[test]
    fn long_good_behaviour_is_forgiven() {
        let mut entry = on_at(0);
        assert_eq!(cools_for_s(&mut entry, 60_000), 600);
        let on_again = entry.cool_until_ms();
        entry.steer(&Steering::default(), &FAST, Downgrade::Lease, on_again);
        let mut early = entry;
        assert_eq!(cools_for_s(&mut early, on_again + 4 * 600_000 - 1), 1200);
        assert_eq!(cools_for_s(&mut entry, on_again + 4 * 600_000), 600);
    }

    #[test]
    fn a_downgrade_that_is_off_lets_nobody_go_for_outcomes() {
        let mut entry = on_at(0);
        let (change, reason) = entry.steer(&Steering::default(), &SLOW, Downgrade::Off, 1 << 40);
        assert_eq!((change, reason), (Change::Stayed, Reason::DowngradeOff));
        assert!(entry.is(ON));
    }

    #[test]
    fn a_key_is_blocked_for_long_after_offers_that_nobody_ever_followed() {
        let mut entry = on_at(0);
        entry.unanswered = 0b1111;
        let dwelling = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 59_999);
        assert_eq!(dwelling, (Change::Stayed, Reason::H3Faster));
        let found = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 70_000);
        assert_eq!(found, (Change::FoundBlocked, Reason::UdpBlocked));
        let until_ms = 70_000 + 86_400_000;
        let cooling = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, until_ms - 1);
        assert_eq!(cooling, (Change::Stayed, Reason::UdpBlocked));
        let again = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, until_ms);
        assert_eq!(again, (Change::TurnedOn, Reason::H3Faster));
    }

    #[test]
    fn what_arrives_by_quic_answers_all_offers_and_ends_a_block() {
        let mut entry = on_at(0);
        entry.unanswered = 0b1111;
        entry.arrived_by_quic(7);
        let stays = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 80_000);
        assert_eq!(stays.0, Change::Stayed);
        entry.unanswered = 0b1111;
        let stays = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 90_000);
        assert_eq!(
            stays.0,
            Change::Stayed,
            "once it has answered, four are few"
        );
        entry.unanswered = 0b1111_1111;
        entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 100_000);
        assert!(entry.is(BLOCKED));
        entry.arrived_by_quic(7);
        let (_, reason) = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 120_000);
        assert_eq!(reason, Reason::Dwelling);
        let (change, _) = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 160_000);
        assert_eq!(change, Change::TurnedOn);
    }
}

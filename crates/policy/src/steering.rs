//! When a key that isn't pinned is offered h3, and when it is let go.
//!
//! A key is off or on. It turns on where something is known of its network or its responses and h3 is expected to be faster by more than `enter`, off where it is expected to be slower by
//! more than `leave`, or where offers were made and nothing came by QUIC; in between it stays as it is. It changes no
//! faster than `dwell_s`, and each turning off starts a cool-down, twice as long as the one before. A key that stayed on for
//! [`FORGIVEN_AFTER`] times its last cool-down is dealt with as if it had never been let go.

use crate::decision::{Downgrade, Reason};
use crate::entry::{BLOCKED, CHANGED, Entry, Expected, ON};

/// Thresholds and times of the policy file; directives override some.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steering {
    /// Offer h3 where the expected ln ratio is below −`enter`.
    pub enter: f64,
    /// Let go where it is above `leave`.
    pub leave: f64,
    /// As long as a key has no responses by both transports, so many standard deviations are taken off its expected ln ratio: what was
    /// never tried isn't known to be worse. 0: none.
    pub optimism: f64,
    /// A key's steering changes no faster.
    pub dwell_s: u32,
    /// Alt-Svc's `ma`.
    pub lease_s: u32,
    /// After turning off, no offer for so long; doubled each time.
    pub cool_down_s: u32,
    /// At most.
    pub cool_down_most_s: u32,
    /// Offers over new connections without any QUIC arriving before a key counts as UDP-blocked.
    pub blocked_after: u32,
    /// Of outcomes and features.
    pub half_life_s: f64,
    /// Pins are drawn anew each epoch.
    pub epoch_s: u32,
    /// Share of keys pinned to each arm, 0 to 0.5.
    pub holdout: f64,
}

impl Default for Steering {
    fn default() -> Steering {
        Steering {
            enter: 0.02,
            leave: 0.02,
            optimism: 0.0,
            dwell_s: 60,
            lease_s: 300,
            cool_down_s: 600,
            cool_down_most_s: 86_400,
            blocked_after: 4,
            half_life_s: 3600.0,
            epoch_s: 86_400,
            holdout: 0.05,
        }
    }
}

/// How many times its last cool-down a key has to stay on to be forgiven.
const FORGIVEN_AFTER: u64 = 4;

/// Offers have so long to be followed before they count against a key: several clients of one prefix may come at once.
const GRACE_MS: u64 = 10_000;

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
        let since_change = now_ms.saturating_sub(self.changed_ms);
        let dwells = self.is(CHANGED) && since_change < u64::from(steering.dwell_s) * 1000;
        let hope = if expected.tried {
            0.0
        } else {
            steering.optimism * f64::from(expected.sd)
        };
        let gain = f64::from(expected.mean) - hope;
        let better = gain < -steering.enter && expected.known;
        let worse = gain > steering.leave;

        if !self.is(ON) {
            let cools = now_ms < self.cool_until_ms();
            let reason = match () {
                () if cools && self.is(BLOCKED) => Reason::UdpBlocked,
                () if worse => Reason::H3Slower,
                () if !better => Reason::Undecided,
                () if cools => Reason::CoolingDown,
                () if dwells => Reason::Dwelling,
                () => {
                    self.turn_on(now_ms);
                    return (Change::TurnedOn, Reason::H3Faster);
                }
            };
            return (Change::Stayed, reason);
        }
        if self.unanswered(steering, now_ms) && !dwells {
            self.turn_off(steering, now_ms);
            self.set(BLOCKED, true);
            return (Change::FoundBlocked, Reason::UdpBlocked);
        }
        let reason = match () {
            () if better => Reason::H3Faster,
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

    /// An offer over a new connection, which somebody could follow.
    pub(crate) fn offered(&mut self, now_ms: u64) {
        if self.offers == 0 {
            let since_change = now_ms.saturating_sub(self.changed_ms);
            self.offered_after_ms = u32::try_from(since_change).unwrap_or(u32::MAX);
        }
        self.offers = self.offers.saturating_add(1);
    }

    /// QUIC arrives: offers are followed, and a key taken for blocked isn't. Returns whether it was taken for that.
    pub(crate) fn arrived_by_quic(&mut self) -> bool {
        self.offers = 0;
        let was = self.is(BLOCKED);
        if was {
            self.set(BLOCKED, false);
            self.cool_down_s = 0;
            self.strikes = self.strikes.saturating_sub(1);
        }
        was
    }

    fn unanswered(&self, steering: &Steering, now_ms: u64) -> bool {
        u32::from(self.offers) >= steering.blocked_after
            && now_ms.saturating_sub(self.changed_ms)
                >= u64::from(self.offered_after_ms).saturating_add(GRACE_MS)
    }

    fn turn_on(&mut self, now_ms: u64) {
        self.set(ON, true);
        self.set(BLOCKED, false);
        self.set(CHANGED, true);
        self.changed_ms = now_ms;
        self.offers = 0;
    }

    fn turn_off(&mut self, steering: &Steering, now_ms: u64) {
        let on_for = now_ms.saturating_sub(self.changed_ms);
        let last_ms = u64::from(cool_down_s(steering, self.strikes)) * 1000;
        if self.strikes > 0 && on_for >= last_ms.saturating_mul(FORGIVEN_AFTER) {
            self.strikes = 0;
        }
        self.strikes = self.strikes.saturating_add(1);
        self.set(ON, false);
        self.set(CHANGED, true);
        self.changed_ms = now_ms;
        self.cool_down_s = cool_down_s(steering, self.strikes);
        self.offers = 0;
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
    use bytemuck::Zeroable;

    const FAST: Expected = expected(-0.2);
    const SLOW: Expected = expected(0.2);

    const fn expected(mean: f32) -> Expected {
        Expected {
            mean,
            sd: 0.1,
            tried: true,
            known: true,
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
    fn optimism_offers_what_was_never_tried() {
        let hopeful = Steering {
            optimism: 1.0,
            ..Steering::default()
        };
        let untried = Expected {
            tried: false,
            ..expected(0.05)
        };
        for (steering, expected, change) in [
            (Steering::default(), untried, Change::Stayed),
            (hopeful, expected(0.05), Change::Stayed),
            (hopeful, untried, Change::TurnedOn),
        ] {
            let mut entry = Entry::zeroed();
            let (changed, _) = entry.steer(&steering, &expected, Downgrade::Lease, 0);
            assert_eq!(changed, change, "{expected:?}");
        }
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
    fn a_key_is_blocked_after_offers_that_nobody_followed() {
        let mut entry = on_at(0);
        for offer in 0..4 {
            entry.offered(60_000 + offer);
        }
        let at_once = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 60_010);
        assert_eq!(
            at_once,
            (Change::Stayed, Reason::H3Faster),
            "they had no time to"
        );
        let later = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 70_000);
        assert_eq!(later, (Change::FoundBlocked, Reason::UdpBlocked));
        let cooling = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 670_000 - 1);
        assert_eq!(cooling, (Change::Stayed, Reason::UdpBlocked));
        let again = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 670_000);
        assert_eq!(again, (Change::TurnedOn, Reason::H3Faster));
    }

    #[test]
    fn what_arrives_by_quic_answers_all_offers_and_ends_a_block() {
        let mut entry = on_at(0);
        for _ in 0..4 {
            entry.offered(60_000);
        }
        assert!(!entry.arrived_by_quic());
        let stays = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 80_000);
        assert_eq!(stays.0, Change::Stayed);
        for _ in 0..4 {
            entry.offered(80_000);
        }
        entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 100_000);
        assert!(entry.arrived_by_quic());
        let (_, reason) = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 120_000);
        assert_eq!(reason, Reason::Dwelling);
        let (change, _) = entry.steer(&Steering::default(), &FAST, Downgrade::Lease, 160_000);
        assert_eq!(change, Change::TurnedOn);
    }
}

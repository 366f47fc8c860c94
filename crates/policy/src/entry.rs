//! What is remembered of a key or a parent.

use bytemuck::{Pod, Zeroable};

use crate::correction::NOWHERE;
use crate::decision::Arm;
use crate::head::Head;
use crate::math;
use crate::network::Network;
use crate::outcomes::Outcomes;
use crate::sample::{CLIP, TcpControl};
use crate::votes::Votes;

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

/// Steering offers h3.
pub(crate) const ON: u8 = 1;
/// Taken for UDP-blocked.
pub(crate) const BLOCKED: u8 = 2;
/// Steering changed at `changed_ms`; before the first change there is nothing to dwell on.
pub(crate) const CHANGED: u8 = 4;
/// `expected` holds something.
const EXPECTED: u8 = 8;
/// Something was told since.
const TOLD: u8 = 16;
/// Outcomes of both transports were in it.
const TRIED: u8 = 32;
/// So was the network.
const KNOWN: u8 = 64;

/// What an entry is of.
pub(crate) const FREE: u8 = 0;
pub(crate) const OWN: u8 = 1;
pub(crate) const PARENT: u8 = 2;

/// The clock may go back so far and be taken for standing still.
const STEP_BACK_MS: u64 = 60_000;
/// Memory fades in so many steps a half-life: finer ones would be lost in rounding. The steps are those of the clock, the same for
/// all entries, so that a parent less one of its keys is what its other keys told.
const STEPS: f64 = 256.0;

/// What is expected of a key stays so for this long though it was told more …
const EXPECTED_LEAST_MS: u32 = 100;
/// … and for this long where it wasn't.
const EXPECTED_MOST_MS: u32 = 10_000;

/// 192 bytes, what every look-up reads first. Links are indices of entries.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    /// Of the chain of its bucket, or of free entries.
    pub(crate) next: u32,
    pub(crate) newer: u32,
    pub(crate) older: u32,
    pub(crate) kind: u8,
    flags: u8,
    /// Times that it was turned off and not forgiven.
    pub(crate) strikes: u8,
    /// Over new connections since QUIC arrived last.
    pub(crate) offers: u8,
    /// The latest time that this entry was told.
    pub(crate) seen_ms: u64,
    /// When steering changed last.
    pub(crate) changed_ms: u64,
    /// From that change on.
    pub(crate) cool_down_s: u32,
    /// From the change to the first offer since.
    pub(crate) offered_after_ms: u32,
    /// The low bits of the time of `expected`.
    expected_at_ms: u32,
    /// Mean and standard deviation.
    expected: [f32; 2],
    pub(crate) part: Part,
    pub(crate) network: Network,
    pub(crate) outcomes: Outcomes,
    /// A key's own, or the sum of those of a parent's keys.
    pub(crate) votes: Votes,
    /// A parent's own number; of a key, that of the parent it voted in.
    pub(crate) stamp: u32,
    pub(crate) control: u8,
    pub(crate) mark: u8,
    reserved: [u8; 2],
}

/// ln(time with h3 / time with h2) of a key's responses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) mean: f32,
    pub(crate) sd: f32,
    /// Its own responses by both transports are in it.
    pub(crate) tried: bool,
    /// Something of its network was, or those are: else the mean is that over all networks on the surface.
    pub(crate) known: bool,
}

/// What a key contributed to the groups of an epoch, so that it can be taken out and put in again.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Part {
    /// The epoch's low bits.
    pub(crate) epoch: u32,
    /// Of outcomes of either transport.
    pub(crate) mean: f32,
    /// Of outcomes by the arm's own transport.
    pub(crate) pure_mean: f32,
    /// How many they are.
    pub(crate) count: u16,
    pub(crate) pure_count: u16,
    /// 1 + [`Arm`]'s number; 0: not drawn.
    arm: u8,
    /// Where it stands in the correction; [`NOWHERE`]: not.
    pub(crate) anchor: u8,
    reserved: [u8; 2],
}

impl Entry {
    pub(crate) fn new(key: u64, kind: u8, now_ms: u64) -> Entry {
        Entry {
            key,
            kind,
            seen_ms: now_ms,
            stamp: if kind == PARENT { now_ms as u32 | 1 } else { 0 },
            next: NONE,
            newer: NONE,
            older: NONE,
            ..Entry::zeroed()
        }
    }

    /// Comes to `now_ms`, and says which time it is here: not before what it was told before, unless the clock was set back,
    /// in which case all of its times move along.
    pub(crate) fn advance(&mut self, now_ms: u64, half_life_s: f64) -> u64 {
        let back = self.seen_ms.saturating_sub(now_ms);
        if back > STEP_BACK_MS {
            self.seen_ms = now_ms;
            self.changed_ms = self.changed_ms.saturating_sub(back).min(now_ms);
            self.set(EXPECTED, false);
        }
        let step_ms = half_life_s * 1e3 / STEPS;
        let step_of = |ms: u64| (ms as f64 / step_ms) as u64;
        let before = step_of(self.seen_ms);
        self.seen_ms = self.seen_ms.max(now_ms);
        let steps = step_of(self.seen_ms).saturating_sub(before);
        if steps > 0 {
            let factor = math::exp2(-(steps as f64) / STEPS);
            self.outcomes.decay(factor);
            self.network.decay(factor);
            self.votes.decay(factor);
        }
        self.seen_ms
    }

    /// Something was told of the key.
    pub(crate) fn told(&mut self) {
        self.set(TOLD, true);
    }

    /// What is expected of the key, where that was reckoned not long before `now_ms`, its own time.
    pub(crate) fn expected(&self, now_ms: u64) -> Option<Expected> {
        let lasts_ms = if self.is(TOLD) {
            EXPECTED_LEAST_MS
        } else {
            EXPECTED_MOST_MS
        };
        let age_ms = (now_ms as u32).wrapping_sub(self.expected_at_ms);
        let [mean, sd] = self.expected;
        (self.is(EXPECTED) && age_ms < lasts_ms).then_some(Expected {
            mean,
            sd,
            tried: self.is(TRIED),
            known: self.is(KNOWN),
        })
    }

    /// Keeps what was reckoned.
    pub(crate) fn expect(&mut self, expected: Expected, now_ms: u64) {
        self.expected = [expected.mean, expected.sd];
        self.expected_at_ms = now_ms as u32;
        self.set(EXPECTED, true);
        self.set(TOLD, false);
        self.set(TRIED, expected.tried);
        self.set(KNOWN, expected.known);
    }

    /// Until when nothing is offered.
    pub(crate) fn cool_until_ms(&self) -> u64 {
        self.changed_ms
            .saturating_add(u64::from(self.cool_down_s) * 1000)
    }

    pub(crate) fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn set(&mut self, flag: u8, on: bool) {
        if on {
            self.flags |= flag;
        } else {
            self.flags &= !flag;
        }
    }

    /// The key's own, else what was told last of any.
    pub(crate) fn tcp_control(&self, head: &Head) -> TcpControl {
        match TcpControl::of(self.control) {
            TcpControl::Unknown => TcpControl::of(head.control),
            known => known,
        }
    }

    /// Makes sense of whatever stands here; what was written halfway or by somebody else is forgotten.
    pub(crate) fn make_sound(&mut self) {
        let part = &self.part;
        let bounded = |mean: f32| mean.is_finite() && mean.abs() <= CLIP as f32;
        if !bounded(part.mean) || !bounded(part.pure_mean) {
            self.part = Part::zeroed();
        }
        if !self.outcomes.is_sound() {
            self.outcomes = Outcomes::zeroed();
        }
        if !self.votes.is_sound() {
            self.votes = Votes::zeroed();
        }
        if !self.network.is_sound() {
            self.network = Network::zeroed();
        }
        self.flags &= ON | BLOCKED | CHANGED;
        self.changed_ms = self.changed_ms.min(self.seen_ms);
        self.mark = 0;
    }
}

impl Part {
    pub(crate) fn new(epoch: u64, arm: Arm) -> Part {
        Part {
            epoch: epoch as u32,
            arm: arm as u8 + 1,
            anchor: NOWHERE,
            ..Part::zeroed()
        }
    }

    /// The arm of the key in `epoch`, where it was asked about in it.
    pub(crate) fn arm(&self, epoch: u64) -> Option<Arm> {
        if self.epoch != epoch as u32 {
            return None;
        }
        match self.arm {
            1 => Some(Arm::Steered),
            2 => Some(Arm::PinnedH2),
            3 => Some(Arm::PinnedH3),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Protocol, Traits};

    #[test]
    fn an_entry_is_of_192_bytes() {
        assert_eq!(size_of::<Entry>(), 192);
    }

    #[test]
    fn a_small_step_back_is_none_and_a_great_one_moves_all_times_along() {
        let mut entry = Entry::new(1, OWN, 1_000_000);
        entry.changed_ms = 990_000;
        entry.cool_down_s = 510;
        assert_eq!(entry.advance(950_000, 3600.0), 1_000_000);
        assert_eq!(entry.advance(100_000, 3600.0), 100_000);
        assert_eq!((entry.changed_ms, entry.cool_until_ms()), (90_000, 600_000));
    }

    #[test]
    fn memory_fades_by_the_time_that_passed_however_often_it_was_asked() {
        let traits = Traits {
            rtt_us: None,
            rate_bytes_per_s: None,
            sent: 1000.0,
            lost: 0.0,
        };
        for steps in [1, 7, 3600, 100_000] {
            let mut entry = Entry::new(1, OWN, 0);
            entry
                .outcomes
                .add_packets(Protocol::Tcp, traits.sent, traits.lost);
            for step in 1..=steps {
                entry.advance(7_200_000 * step / steps, 3600.0);
            }
            let (sent, _) = entry.outcomes.packets();
            assert!((sent - 250.0).abs() < 1.0, "{steps} steps: {sent}");
        }
    }

    const REST: Expected = Expected {
        mean: 0.0,
        sd: 1.0,
        tried: true,
        known: true,
    };

    #[test]
    fn what_is_expected_is_reckoned_anew_when_it_can_be_another() {
        let mut entry = Entry::new(1, OWN, 1_000);
        let mut reckoned_at = |now_ms: u64, told: bool| {
            if told {
                entry.told();
            }
            let known = entry.expected(now_ms);
            if known.is_none() {
                entry.expect(REST, now_ms);
            }
            known != Some(REST)
        };
        assert!(reckoned_at(1_000, false));
        assert!(!reckoned_at(5_000, false));
        assert!(reckoned_at(11_000, false));
        assert!(!reckoned_at(11_099, true));
        assert!(reckoned_at(11_100, true));
        assert!(!reckoned_at(12_000, false));
    }
}

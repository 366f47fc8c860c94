//! What is remembered of a key or a parent.

use bytemuck::{Pod, Zeroable};

use super::network::Network;
use super::outcomes::Outcomes;
use super::part::Part;
use super::told::Told;
use super::votes::Votes;
use crate::math;
use crate::sample::CLIP;

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

/// Steering offers h3.
pub(crate) const ON: u8 = 1;
/// Taken for UDP-blocked.
pub(crate) const BLOCKED: u8 = 2;
/// Steering changed at `changed_s`; before the first change there is nothing to dwell on.
pub(crate) const CHANGED: u8 = 4;
/// `expected` holds something.
pub(crate) const EXPECTED: u8 = 8;
/// Somebody of it has come by QUIC.
const ANSWERED: u8 = 16;
/// Outcomes of both transports were in it, or the network was.
pub(crate) const KNOWN: u8 = 32;
/// Another look at h3 was worth what it costs …
pub(crate) const WORTH_H3: u8 = 64;
/// … and at h2.
pub(crate) const WORTH_H2: u8 = 128;

/// What an entry is of.
pub(crate) const FREE: u8 = 0;
pub(crate) const OWN: u8 = 1;
pub(crate) const PARENT: u8 = 2;

/// The clock may go back so far and be taken for standing still.
const STEP_BACK_MS: u64 = 60_000;
/// Memory fades in so many steps a half-life: finer ones would be lost in rounding. The steps are those of the clock, the same for
/// all entries, so that a parent less one of its keys is what its other keys told.
const STEPS: f64 = 256.0;

/// 264 bytes, what every look-up reads first. Links are indices of entries.
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
    /// Of which clients, since QUIC arrived last, an offer went unanswered: a bit each, of 16 (`rules/silence.rs`).
    pub(crate) unanswered: u16,
    /// The latest time that this entry was told.
    pub(crate) seen_ms: u64,
    /// When steering changed last, seconds of the clock, rounded up.
    pub(crate) changed_s: u32,
    /// From that change on.
    pub(crate) cool_down_s: u32,
    /// Clients that are waited for, or silent.
    pub(crate) told_clients: [Told; 2],
    /// The low bits of the time of `expected`.
    pub(crate) expected_at_ms: u32,
    /// Mean and standard deviation.
    pub(crate) expected: [f32; 2],
    pub(crate) part: Part,
    pub(crate) network: Network,
    pub(crate) outcomes: Outcomes,
    /// A key's own, or the sum of those of a parent's keys.
    pub(crate) votes: Votes,
    /// A parent's own number; of a key, that of the parent it voted in.
    pub(crate) stamp: u32,
    /// Until when an offer holds to whichever client of the key, seconds of the clock.
    pub(crate) leased_until_s: u32,
    /// How many there were by either transport, decayed.
    pub(crate) visits: f32,
    pub(crate) control: u8,
    pub(crate) mark: u8,
    /// Samples since `expected` was reckoned.
    pub(crate) told: u8,
    /// Times that it was turned off and not forgiven.
    pub(crate) strikes: u8,
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
            for told in &mut self.told_clients {
                told.move_back((back / 1000) as u32);
            }
            for second in [
                &mut self.changed_s,
                &mut self.leased_until_s,
                &mut self.part.counts_from_s,
            ] {
                *second = second.saturating_sub((back / 1000) as u32);
            }
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
            self.visits *= factor as f32;
        }
        self.seen_ms
    }

    /// Until when nothing is offered.
    pub(crate) fn cool_until_ms(&self) -> u64 {
        self.after_change_ms(self.cool_down_s)
    }

    /// So many seconds after steering changed last, and less than one more; none are over at once.
    pub(crate) fn after_change_ms(&self, seconds: u32) -> u64 {
        match seconds {
            0 => 0,
            _ => (u64::from(self.changed_s) + u64::from(seconds)) * 1000,
        }
    }

    /// Whether it, or a client of it, is taken for UDP-blocked.
    pub(crate) fn is_blocked(&self) -> bool {
        self.is(BLOCKED) || self.is_unanswered()
    }

    /// Whether any of its clients never answers.
    pub(crate) fn is_unanswered(&self) -> bool {
        let mut told = self.told_clients.iter();
        told.any(|told| told.is_silent() && !told.has_answered())
    }

    /// Whether somebody of it has come by QUIC.
    pub(crate) fn is_answered(&self) -> bool {
        self.is(ANSWERED)
    }

    /// Somebody has.
    pub(crate) fn set_answered(&mut self) {
        self.set(ANSWERED, true);
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

    /// Makes sense of whatever stands here; what was written halfway or by somebody else is forgotten.
    pub(crate) fn make_sound(&mut self) {
        let part = &self.part;
        if !part.mean.is_finite() || part.mean.abs() > CLIP as f32 {
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
        if !(self.visits.is_finite() && self.visits >= 0.0) {
            self.visits = 0.0;
        }
        self.flags &= ON | BLOCKED | CHANGED | ANSWERED;
        self.changed_s = self.changed_s.min(self.seen_ms.div_ceil(1000) as u32);
        self.mark = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Protocol, Traits};

    #[test]
    fn an_entry_is_of_264_bytes() {
        assert_eq!(size_of::<Entry>(), 264);
    }

    #[test]
    fn a_small_step_back_is_none_and_a_great_one_moves_all_times_along() {
        let mut entry = Entry::new(1, OWN, 1_000_000);
        entry.changed_s = 990;
        entry.cool_down_s = 510;
        assert_eq!(entry.advance(950_000, 3600.0), 1_000_000);
        assert_eq!(entry.advance(100_000, 3600.0), 100_000);
        assert_eq!((entry.changed_s, entry.cool_until_ms()), (90, 600_000));
        entry.lease(100_000, 7, 0, 300);
        assert_eq!(entry.leased_for_s(150_000, 7), 250);
        entry.advance(20_000, 3600.0);
        assert_eq!(entry.leased_for_s(20_000, 7), 300);
        entry.came_over_tcp(330_000, 7, 0, true);
        assert_eq!(
            entry.unanswered, 0,
            "it holds until 320 s, as it did until 400 s"
        );
        entry.came_over_tcp(310_000, 7, 0, true);
        assert_eq!(entry.unanswered.count_ones(), 1);
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
}

//! What is remembered of a key or a parent.

use bytemuck::{Pod, Zeroable};

use crate::correction::NOWHERE;
use crate::decision::Arm;
use crate::head::Head;
use crate::math;
use crate::network::Network;
use crate::outcomes::Outcomes;
use crate::sample::{CLIP, TcpControl};

/// No entry.
pub(crate) const NONE: u32 = u32::MAX;

/// Steering offers h3.
pub(crate) const ON: u8 = 1;
/// Taken for UDP-blocked.
pub(crate) const BLOCKED: u8 = 2;
/// Steering changed at `changed_ms`; before the first change there is nothing to dwell on.
pub(crate) const CHANGED: u8 = 4;

/// What an entry is of.
pub(crate) const FREE: u8 = 0;
pub(crate) const OWN: u8 = 1;
pub(crate) const PARENT: u8 = 2;

/// The clock may go back so far and be taken for standing still.
const STEP_BACK_MS: u64 = 60_000;
/// Decay happens in steps of this share of the half-life: finer ones would be lost in rounding.
const DECAY_STEP: f64 = 1.0 / 256.0;

/// 184 bytes. Links are indices of entries.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Entry {
    pub(crate) key: u64,
    /// The latest time that this entry was told.
    pub(crate) seen_ms: u64,
    /// Until when its memory has faded.
    faded_ms: u64,
    /// When steering changed last.
    pub(crate) changed_ms: u64,
    pub(crate) cool_until_ms: u64,
    pub(crate) outcomes: Outcomes,
    pub(crate) network: Network,
    pub(crate) part: Part,
    /// Of the chain of its bucket, or of free entries.
    pub(crate) next: u32,
    pub(crate) newer: u32,
    pub(crate) older: u32,
    /// From the change to the first offer since.
    pub(crate) offered_after_ms: u32,
    pub(crate) kind: u8,
    flags: u8,
    /// Times that it was turned off and not forgiven.
    pub(crate) strikes: u8,
    /// Over new connections since QUIC arrived last.
    pub(crate) offers: u8,
    pub(crate) control: u8,
    pub(crate) mark: u8,
    reserved: [u8; 2],
}

/// What a key contributed to the groups of an epoch, so that it can be taken out and put in again.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Part {
    /// The epoch's low bits.
    pub(crate) epoch: u32,
    /// Outcomes of either transport, and their mean.
    pub(crate) count: u32,
    pub(crate) mean: f32,
    /// Outcomes by the arm's own transport, and their mean.
    pub(crate) pure_count: u32,
    pub(crate) pure_mean: f32,
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
            faded_ms: now_ms,
            next: NONE,
            newer: NONE,
            older: NONE,
            ..Entry::zeroed()
        }
    }

    /// Comes to `now_ms`, and says which time it is here: not before what it was told before, unless the clock was set back,
    /// in which case all of its times move along. The second: whether it was.
    pub(crate) fn advance(&mut self, now_ms: u64, half_life_s: f64) -> (u64, bool) {
        let back = self.seen_ms.saturating_sub(now_ms);
        let stepped = back > STEP_BACK_MS;
        if stepped {
            self.seen_ms = now_ms;
            self.faded_ms = self.faded_ms.saturating_sub(back).min(now_ms);
            self.changed_ms = self.changed_ms.saturating_sub(back).min(now_ms);
            self.cool_until_ms = self.cool_until_ms.saturating_sub(back);
        }
        self.seen_ms = self.seen_ms.max(now_ms);
        let elapsed_ms = self.seen_ms.saturating_sub(self.faded_ms);
        if elapsed_ms as f64 >= half_life_s * 1e3 * DECAY_STEP {
            let factor = math::decay(elapsed_ms, half_life_s);
            self.outcomes.decay(factor);
            self.network.decay(factor);
            self.faded_ms = self.seen_ms;
        }
        (self.seen_ms, stepped)
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
        if !self.network.is_sound() {
            self.network = Network::zeroed();
        }
        self.flags &= ON | BLOCKED | CHANGED;
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

    #[test]
    fn an_entry_is_of_184_bytes() {
        assert_eq!(size_of::<Entry>(), 184);
    }

    #[test]
    fn a_small_step_back_is_none_and_a_great_one_moves_all_times_along() {
        let mut entry = Entry::new(1, OWN, 1_000_000);
        entry.changed_ms = 990_000;
        entry.cool_until_ms = 1_500_000;
        assert_eq!(entry.advance(950_000, 3600.0), (1_000_000, false));
        assert_eq!(entry.advance(100_000, 3600.0), (100_000, true));
        assert_eq!((entry.changed_ms, entry.cool_until_ms), (90_000, 600_000));
    }
}

//! What a key contributes to the holdout's groups in an epoch.

use bytemuck::{Pod, Zeroable};

use crate::correction::NOWHERE;
use crate::decision::Arm;
use crate::entry::Entry;
use crate::lease::PAGE_S;
use crate::sample::Protocol;

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
    /// From when on outcomes count, seconds of the clock.
    pub(crate) counts_from_s: u32,
    /// 1 + [`Arm`]'s number; 0: not drawn.
    arm: u8,
    /// Where it stands in the correction; [`NOWHERE`]: not.
    pub(crate) anchor: u8,
    /// TCP's congestion control there, by the C ABI's number.
    pub(crate) control: u8,
    reserved: u8,
}

impl Part {
    /// Belongs to no arm.
    pub(crate) fn none() -> Part {
        Part::zeroed()
    }

    /// Whether an outcome of `now_ms` is one of the arm's.
    pub(crate) fn counts(&self, now_ms: u64) -> bool {
        (now_ms / 1000) as u32 >= self.counts_from_s
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

impl Entry {
    /// Belongs to an epoch's arm from now on, a client having come by `protocol`. Where an offer from before holds (over QUIC one does, though it
    /// was made to an entry that was displaced since), outcomes count once it can have been taken back.
    pub(crate) fn take_part(&mut self, epoch: u64, arm: Arm, protocol: Protocol, now_ms: u64) {
        let carried = protocol == Protocol::Quic || self.leased_for_s(now_ms) > 0;
        let waits_s = if carried { PAGE_S } else { 0 };
        self.part = Part {
            epoch: epoch as u32,
            counts_from_s: ((now_ms / 1000) as u32).saturating_add(waits_s),
            arm: arm as u8 + 1,
            anchor: NOWHERE,
            ..Part::zeroed()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::OWN;

    #[test]
    fn outcomes_of_an_epoch_count_once_what_was_offered_before_it_can_have_been_taken_back() {
        let mut entry = Entry::new(1, OWN, 0);
        entry.take_part(1, Arm::PinnedH2, Protocol::Tcp, 500_000);
        assert!(entry.part.counts(500_000));
        entry.lease(550_000, 300);
        entry.take_part(2, Arm::PinnedH2, Protocol::Tcp, 600_000);
        assert!(!entry.part.counts(629_999) && entry.part.counts(630_000));
        entry.take_part(3, Arm::PinnedH2, Protocol::Tcp, 850_000);
        assert!(entry.part.counts(850_000));
        entry.take_part(4, Arm::PinnedH2, Protocol::Quic, 900_000);
        assert!(!entry.part.counts(929_999) && entry.part.counts(930_000));
    }
}

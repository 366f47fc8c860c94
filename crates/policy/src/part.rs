//! What a key contributes to the holdout's groups in an epoch.

use bytemuck::{Pod, Zeroable};

use crate::decision::Arm;
use crate::entry::Entry;
use crate::head::Head;
use crate::lease::PAGE_S;
use crate::steering::Steering;

/// What a key contributed to the groups of an epoch, so that it can be taken out and put in again.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Part {
    /// The epoch and holdout that it is of: [`Head::stamp`].
    stamp: u32,
    /// Of outcomes of either transport.
    pub(crate) mean: f32,
    /// From when on outcomes count, seconds of the clock.
    pub(crate) counts_from_s: u32,
    /// How many outcomes there are.
    pub(crate) count: u16,
    /// 1 + [`Arm`]'s number; 0: not drawn.
    arm: u8,
    /// After how many epochs one begins that pins the key to h2; 0: nobody is pinned.
    before_h2: u8,
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

    /// After how many epochs from the part's own on one begins that pins the key to h2; none where nobody is pinned.
    pub(crate) fn epochs_before_h2(&self) -> Option<u8> {
        (self.before_h2 > 0).then_some(self.before_h2)
    }

    /// Whether the arm of the latest epoch in which the key was asked about was a pinned one.
    fn was_pinned(&self) -> bool {
        self.arm > Arm::Steered as u8 + 1
    }

    /// The arm of the key in the epoch and holdout of `stamp`, where it was asked about in these.
    pub(crate) fn arm(&self, stamp: u32) -> Option<Arm> {
        if self.stamp != stamp {
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
    /// Belongs to an epoch's arm from now on. What an epoch begins with counts for nobody until the offers that were made before it have lapsed
    /// where they must have, nor what a holdout does; nor does the first page of a key that was pinned, which comes as its pin left it. None of
    /// these depends on the arm.
    pub(crate) fn take_part(
        &mut self,
        head: &Head,
        epoch: u64,
        arm: Arm,
        before_h2: Option<u8>,
        steering: &Steering,
        now_ms: u64,
    ) {
        let waits_s = if self.part.was_pinned() { PAGE_S } else { 0 };
        let begins_s = epoch.saturating_mul(u64::from(steering.epoch_s));
        let washed_s = begins_s + u64::from(steering.lease_s) + u64::from(PAGE_S);
        let washed_s = u32::try_from(washed_s).unwrap_or(u32::MAX);
        self.part = Part {
            stamp: head.stamp(epoch),
            counts_from_s: ((now_ms / 1000) as u32)
                .saturating_add(waits_s)
                .max(washed_s)
                .max(head.counts_from_s),
            arm: arm as u8 + 1,
            before_h2: before_h2.unwrap_or(0),
            ..Part::zeroed()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::OWN;

    #[test]
    fn outcomes_of_an_epoch_count_once_what_was_offered_before_it_has_lapsed() {
        let steering = Steering {
            epoch_s: 1000,
            lease_s: 300,
            ..Steering::default()
        };
        for arm in [Arm::Steered, Arm::PinnedH2, Arm::PinnedH3] {
            let head = Head::new(0, 0, [7; 16]);
            let mut entry = Entry::new(1, OWN, 0);
            entry.take_part(&head, 1, arm, None, &steering, 1_000_000);
            assert!(!entry.part.counts(1_329_999) && entry.part.counts(1_330_000));
            entry.take_part(&head, 2, Arm::Steered, None, &steering, 2_500_000);
            let from_ms = if arm == Arm::Steered {
                2_500_000
            } else {
                2_530_000
            };
            assert!(!entry.part.counts(from_ms - 1) && entry.part.counts(from_ms));
        }
    }
}

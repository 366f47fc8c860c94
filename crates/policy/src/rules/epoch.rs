//! From when on what a key does counts for its arm of an epoch.

use bytemuck::Zeroable;

use crate::decision::Arm;
use crate::estimate::PAGE_S;
use crate::state::{Entry, Head, Part};
use crate::steering::Steering;

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
    use crate::state::OWN;

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

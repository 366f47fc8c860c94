//! What a key contributes to the holdout's groups in an epoch.

use bytemuck::{Pod, Zeroable};

use crate::decision::Arm;

/// What a key contributed to the groups of an epoch, so that it can be taken out and put in again.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Part {
    /// The epoch and holdout that it is of: [`super::Head::stamp`].
    pub(crate) stamp: u32,
    /// Of outcomes of either transport.
    pub(crate) mean: f32,
    /// From when on outcomes count, seconds of the clock.
    pub(crate) counts_from_s: u32,
    /// How many outcomes there are.
    pub(crate) count: u16,
    /// 1 + [`Arm`]'s number; 0: not drawn.
    pub(crate) arm: u8,
    /// After how many epochs one begins that pins the key to h2; 0: nobody is pinned.
    pub(crate) before_h2: u8,
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
    pub(crate) fn was_pinned(&self) -> bool {
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

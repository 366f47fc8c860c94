//! Counters, gauges and the holdout's estimate, for a status page.

use crate::decision::Arm;
use crate::estimate::{Group, Uplift};
use crate::policy::Policy;
use crate::state::{Head, Table, Tally};

/// The same as the C header's `pronghorn_snapshot`, which says what each is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot {
    /// Keys and parents that fit.
    pub capacity: u64,
    /// Held now.
    pub keys: u64,
    /// Held now.
    pub parents: u64,
    /// Of the keys, those that steering offers h3.
    pub keys_on: u64,
    /// Of the keys, those taken for UDP-blocked.
    pub keys_blocked: u64,
    /// Counts from here on, since the table was made: keys and parents displaced.
    pub evicted: u64,
    /// Times that links were rebuilt.
    pub mended: u64,
    /// Times that this was of no use.
    pub emptied: u64,
    /// Samples of which nothing could be believed.
    pub refused: u64,
    /// Outcomes by protocol.
    pub samples: [u64; 2],
    /// Of these, stalled ones.
    pub stalls: [u64; 2],
    /// By action.
    pub decisions: [u64; 3],
    /// Over new connections, outside dry runs.
    pub offers: u64,
    /// Steering turned on.
    pub upgrades: u64,
    /// Steering turned off for what was measured.
    pub downgrades: u64,
    /// Steering turned off since no QUIC arrived.
    pub blocks: u64,
    /// Number of the current one.
    pub epoch: u64,
    /// By arm, all epochs.
    pub all: [Group; 3],
    /// The current epoch alone.
    pub now: [Group; 3],
    /// Steered against pinned to h2.
    pub steered_all: Uplift,
    /// In the current epoch.
    pub steered_now: Uplift,
    /// Pinned to h3 against pinned to h2: what offering it to all would bring.
    pub pinned_h3_all: Uplift,
    /// In the current epoch.
    pub pinned_h3_now: Uplift,
}

impl Table<'_> {
    /// What the table stands at, at `now_ms`; changes nothing.
    pub fn snapshot(&self, policy: &Policy, now_ms: u64) -> Snapshot {
        of_head(self.head, policy, now_ms)
    }
}

pub(crate) fn of_head(head: &Head, policy: &Policy, now_ms: u64) -> Snapshot {
    let mut head = *head;
    head.come_to(policy.steering.epoch_s, now_ms);
    let counters = &head.counters;
    Snapshot {
        capacity: u64::from(head.capacity),
        keys: u64::from(head.keys),
        parents: u64::from(head.parents),
        keys_on: u64::from(head.keys_on),
        keys_blocked: u64::from(head.keys_blocked),
        evicted: counters.evicted,
        mended: counters.mended,
        emptied: counters.emptied,
        refused: counters.refused,
        samples: counters.samples,
        stalls: counters.stalls,
        decisions: counters.decisions,
        offers: counters.offers,
        upgrades: counters.upgrades,
        downgrades: counters.downgrades,
        blocks: counters.blocks,
        epoch: head.epoch,
        all: groups(&head.all),
        now: groups(&head.now),
        steered_all: against_h2(&head.all, Arm::Steered),
        steered_now: against_h2(&head.now, Arm::Steered),
        pinned_h3_all: against_h2(&head.all, Arm::PinnedH3),
        pinned_h3_now: against_h2(&head.now, Arm::PinnedH3),
    }
}

fn groups(tallies: &[Tally; 3]) -> [Group; 3] {
    tallies.each_ref().map(Group::of)
}

fn against_h2(tallies: &[Tally; 3], arm: Arm) -> Uplift {
    let [steered, pinned_h2, pinned_h3] = tallies;
    let arm = match arm {
        Arm::Steered => steered,
        Arm::PinnedH2 => pinned_h2,
        Arm::PinnedH3 => pinned_h3,
    };
    Uplift::of(arm, pinned_h2)
}

//! The groups that the gateway's worth is measured by: with which share they are drawn, and which number each key is in them.

use crate::sample::Outcome;
use crate::state::{Entry, Head, Part, Table, Tally};

/// Shares that differ by less are one.
const SAME_SHARE: f64 = 1e-6;

impl Table<'_> {
    /// From now on this share of the keys is pinned to each arm, where offers that hold for `leases_s` at most may be out that were made
    /// before. What counted with another share counts no more: groups that were drawn with different chances are of different keys and
    /// times. Does nothing where the share is that already. Before the first one the table takes whichever a question has.
    pub fn begin_holdout(&mut self, holdout: f64, leases_s: u32, now_ms: u64) {
        self.guarded(|table| {
            let head = &mut *table.head;
            if head.holdout < 0.0 || !head.holds(holdout) {
                head.holdout = holdout as f32;
                head.holdouts = head.holdouts.wrapping_add(1);
                head.counts_from_s = ((now_ms / 1000) as u32).saturating_add(leases_s);
                head.all = [Tally::default(); 3];
                head.now = [Tally::default(); 3];
            }
            Ok(())
        });
    }
}

impl Head {
    /// Whether keys are pinned with this share.
    pub(crate) fn holds(&self, holdout: f64) -> bool {
        self.holdout < 0.0 || (f64::from(self.holdout) - holdout).abs() < SAME_SHARE
    }

    /// Exchanges what the key has contributed to the epoch's groups for what it is with this outcome.
    pub(crate) fn contribute(&mut self, entry: &mut Entry, epoch: u64, outcome: Outcome) {
        let Some(arm) = entry.part.arm(self.stamp(epoch)) else {
            return; // nobody asked about it in this epoch, or only in a dry run
        };
        let part = entry.part;
        self.withdraw(&part, epoch);
        let part = &mut entry.part;
        (part.count, part.mean) = averaged(part.count, part.mean, outcome.x);
        let part = entry.part;
        let mean = f64::from(part.mean);
        for group in [
            self.all.get_mut(arm as usize),
            self.now.get_mut(arm as usize),
        ]
        .into_iter()
        .flatten()
        {
            group.add(mean);
        }
    }

    /// Takes out again what a key contributed in this epoch.
    pub(crate) fn withdraw(&mut self, part: &Part, epoch: u64) {
        let Some(arm) = part.arm(self.stamp(epoch)).filter(|_| part.count > 0) else {
            return;
        };
        let mean = f64::from(part.mean);
        for group in [
            self.all.get_mut(arm as usize),
            self.now.get_mut(arm as usize),
        ]
        .into_iter()
        .flatten()
        {
            group.remove(mean);
        }
    }
}

fn averaged(count: u16, mean: f32, x: f64) -> (u16, f32) {
    let count = count.saturating_add(1);
    let mean = f64::from(mean);
    (count, (mean + (x - mean) / f64::from(count)) as f32)
}

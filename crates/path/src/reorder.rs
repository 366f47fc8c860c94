//! Which packets skip the delay, and so overtake those that are delayed.
//!
//! As netem's `reorder PERCENT CORRELATION gap DISTANCE`: a packet is a candidate when at least
//! `gap - 1` packets were delayed since the last one that wasn't, or since the first of all. A candidate
//! skips constant delay and jitter with the probability, and its correlation is with the candidate
//! before. Packets that an earlier stage dropped are neither delayed nor candidates; copies are like all others.
//!
//! With a constant delay d and packets s apart, a packet that skips it overtakes those of the last
//! `⌈d / s⌉ - 1` that were delayed, which is the extent of the reordering (RFC 4737, section 4.2).

use crate::chance::Chance;
use crate::draws::{Draws, Instance};
use crate::spec::{self, Direction};

/// The chance, and how many have been delayed in a row.
#[derive(Debug)]
pub(crate) struct Reorder {
    chance: Chance,
    gap: u64,
    delayed: u64,
    draws: Draws,
}

impl Reorder {
    /// None where nothing ever skips the delay; `varies`: the probability is set later.
    pub(crate) fn new(
        spec: &spec::Reorder,
        varies: bool,
        seed: u64,
        direction: Direction,
    ) -> Option<Reorder> {
        (varies || spec.probability > 0.0).then(|| Reorder {
            chance: Chance::new(spec.probability, spec.correlation),
            gap: spec.gap.into(),
            delayed: 0,
            draws: Draws::new(seed, direction, "reorder"),
        })
    }

    pub(crate) fn set(&mut self, probability: f64) {
        self.chance.set(probability);
    }

    /// Whether a packet skips the delay.
    pub(crate) fn hurries(&mut self, instance: Instance) -> bool {
        let draw = self.draws.next(instance);
        let candidate = self.delayed + 1 >= self.gap;
        let hurried = candidate && self.chance.decide(draw);
        self.delayed = if hurried { 0 } else { self.delayed + 1 };
        hurried
    }

    /// Uses up the draw of a packet that doesn't come this far.
    pub(crate) fn skip(&mut self, instance: Instance) {
        self.draws.next(instance);
    }
}

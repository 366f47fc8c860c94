//! Whether a packet comes twice.

use crate::chance::Chance;
use crate::draws::{Draws, Instance};
use crate::spec::{Direction, LinkSpec};

/// The first random stage. A copy never comes back to it, so nothing comes three times.
#[derive(Debug)]
pub(crate) struct Duplicate {
    chance: Chance,
    draws: Draws,
}

impl Duplicate {
    /// None where nothing ever comes twice; `varies`: the probability is set later.
    pub(crate) fn new(
        spec: &LinkSpec,
        varies: bool,
        seed: u64,
        direction: Direction,
    ) -> Option<Duplicate> {
        (varies || spec.duplicate > 0.0).then(|| Duplicate {
            chance: Chance::new(spec.duplicate, spec.duplicate_correlation),
            draws: Draws::new(seed, direction, "duplicate"),
        })
    }

    pub(crate) fn set(&mut self, probability: f64) {
        self.chance.set(probability);
    }

    pub(crate) fn decide(&mut self) -> bool {
        self.chance.decide(self.draws.next(Instance::First))
    }
}

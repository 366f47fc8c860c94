//! Whether a packet comes twice.

use crate::draws::{Draws, Passage, Probability};
use crate::spec::Direction;

/// The first stage. A copy never comes back to it, so nothing comes three times.
#[derive(Debug)]
pub(crate) struct Duplicate {
    probability: Probability,
    draws: Draws,
}

impl Duplicate {
    pub(crate) fn new(probability: f64, seed: u64, direction: Direction) -> Option<Duplicate> {
        (probability > 0.0).then(|| Duplicate {
            probability: Probability::new(probability),
            draws: Draws::new(seed, direction, "duplicate"),
        })
    }

    pub(crate) fn decide(&mut self) -> bool {
        self.probability.hits(self.draws.next(Passage::First))
    }
}

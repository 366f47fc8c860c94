//! A stage's own random numbers, and what a probability makes of them.
//!
//! A stage has two generators: one for packets as they come, one for the copies that duplication
//! makes. Each packet uses up the same number of draws of every stage that is on, whether or not
//! an earlier stage let it through, so packet n meets the same decisions whatever else is on.
//!
//! Where a decision depends on the one before (`chance.rs`, `copula.rs`), each of the two has its own
//! past, and a packet that an earlier stage kept away belongs to it: what would have been decided counts.

use rand_chacha::ChaCha8Rng;
use rand_core::RngCore;

use crate::seed;
use crate::spec::Direction;

/// Which of a packet's two instances: how it came to the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instance {
    /// From outside.
    First,
    /// As the second copy of a packet that the link duplicated.
    Copy,
}

/// What packets that come from outside and copies have apart.
#[derive(Debug)]
pub(crate) struct Each<T> {
    first: T,
    copy: T,
}

impl<T: Clone> Each<T> {
    pub(crate) fn new(value: T) -> Each<T> {
        Each {
            first: value.clone(),
            copy: value,
        }
    }
}

impl<T> Each<T> {
    pub(crate) fn both(&mut self) -> [&mut T; 2] {
        [&mut self.first, &mut self.copy]
    }

    pub(crate) fn of(&mut self, instance: Instance) -> &mut T {
        match instance {
            Instance::First => &mut self.first,
            Instance::Copy => &mut self.copy,
        }
    }
}

/// The random numbers of one stage.
#[derive(Debug)]
pub(crate) struct Draws(Each<ChaCha8Rng>);

impl Draws {
    pub(crate) fn new(seed: u64, direction: Direction, stage: &str) -> Draws {
        let label = format!("{}/{stage}", direction.name());
        Draws(Each {
            first: seed::generator(seed, &label),
            copy: seed::generator(seed, &format!("{label}/copy")),
        })
    }

    pub(crate) fn next(&mut self, instance: Instance) -> u64 {
        self.0.of(instance).next_u64()
    }
}

/// A probability, rounded to a multiple of 2^-53: 0 never hits, 1 always does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probability(u64);

impl Probability {
    const ONE: f64 = (1u64 << 53) as f64;

    /// `p` is from 0 to 1.
    pub(crate) fn new(p: f64) -> Probability {
        Probability((p * Probability::ONE).round() as u64)
    }

    pub(crate) fn hits(self, draw: u64) -> bool {
        draw >> 11 < self.0
    }
}

/// A number between 0 and 1, neither included, from a draw's upper 52 bits. Of a draw with all bits
/// inverted it is exactly what is missing to 1.
pub(crate) fn open_unit(draw: u64) -> f64 {
    const STEP: f64 = 1.0 / (1u64 << 52) as f64;
    ((draw >> 12) as f64 + 0.5) * STEP
}

/// A whole number from 0 to `bound - 1`, each equally likely but for a bias below `bound` / 2^64.
pub(crate) fn below(draw: u64, bound: u64) -> u64 {
    ((u128::from(draw) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_never_hits_and_one_always_does() {
        for draw in [0, 1, u64::MAX / 2, u64::MAX] {
            assert!(!Probability::new(0.0).hits(draw));
            assert!(Probability::new(1.0).hits(draw));
        }
    }

    #[test]
    fn a_half_splits_the_draws_in_the_middle() {
        assert!(Probability::new(0.5).hits((1 << 63) - 1));
        assert!(!Probability::new(0.5).hits(1 << 63));
    }

    #[test]
    fn the_open_unit_has_no_ends_and_complements() {
        for draw in [0, 1 << 40, u64::MAX / 3, u64::MAX] {
            let unit = open_unit(draw);
            assert!(unit > 0.0 && unit < 1.0);
            assert_eq!(unit + open_unit(!draw), 1.0);
        }
    }

    #[test]
    fn below_reaches_both_ends_and_no_further() {
        assert_eq!(below(0, 10), 0);
        assert_eq!(below(u64::MAX, 10), 9);
    }
}

//! Draws that depend on the ones before, while each by itself stays evenly distributed.
//!
//! A Gaussian copula over a first-order autoregression: a draw becomes a normal score e, the scores
//! follow `z = r z' + sqrt(1 - r²) e` from the score z' before, the first being z = e, and z becomes
//! a draw again by the normal distribution function. Whatever distribution a stage makes of draws, it
//! makes the same one of these, to within 1e-15 of probability. r is the correlation of neighbouring
//! scores, so r^k of scores k apart; that of the values is r itself for a normal distribution and
//! `6/π asin(r / 2)` for a uniform one (R. B. Nelsen, "An Introduction to Copulas", Spearman's rho).
//!
//! netem averages even random numbers instead (see `chance.rs`), which changes the distribution.

use crate::draws::{Each, Instance};
use crate::normal;

/// The autoregression and the scores before.
#[derive(Debug)]
pub(crate) struct Copula {
    /// r.
    kept: f64,
    /// sqrt(1 - r²).
    renewed: f64,
    scores: Each<Option<f64>>,
}

impl Copula {
    /// `correlation` is from 0 to 1.
    pub(crate) fn new(correlation: f64) -> Copula {
        Copula {
            kept: correlation,
            renewed: (1.0 - correlation * correlation).sqrt(),
            scores: Each::new(None),
        }
    }

    /// Makes an independent draw into a dependent one.
    pub(crate) fn correlate(&mut self, draw: u64, instance: Instance) -> u64 {
        let fresh = normal::from_draw(draw);
        let before = self.scores.of(instance);
        let score = before.map_or(fresh, |before| self.kept * before + self.renewed * fresh);
        *before = Some(score);
        (normal::below(score) * 2.0_f64.powi(64)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_draw_stays_and_full_correlation_repeats_it() {
        let mut copula = Copula::new(1.0);
        for draw in [3 << 60, 0, u64::MAX, 1 << 63] {
            let distance = copula.correlate(draw, Instance::First).abs_diff(3 << 60);
            assert!(distance < 1 << 14, "{distance}");
        }
    }

    #[test]
    fn copies_have_a_past_of_their_own() {
        let mut copula = Copula::new(1.0);
        copula.correlate(1 << 60, Instance::First);
        assert!(copula.correlate(3 << 60, Instance::Copy) > 2 << 60);
    }
}

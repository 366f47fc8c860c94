//! A probability with a memory: whether something happens to a packet, given whether it did to the
//! one before.
//!
//! It is a Markov chain of two states. For a probability p and a correlation r, what happened to one
//! packet happens to the next with probability `p + r (1 - p)`, what didn't with `p (1 - r)`, and
//! the first is decided by p alone. The share of packets to which it happens is then exactly p, the
//! correlation of neighbours exactly r and of packets k apart r^k; a run of hits is `1 / ((1 - p)
//! (1 - r))` packets long on average. Without correlation each packet is decided for itself.
//!
//! This is not netem's generator (`get_crandom`), which compares a running average of even random
//! numbers with p. An average strays less than what it averages, so small probabilities come out
//! smaller than asked: `loss 5% 25%` loses 0.2 % of the packets, `loss 1% 25%` practically none.
//! tc-netem(8) calls that correlation deprecated for its bad behaviour.

use crate::draws::Probability;

/// The chain and what it decided last.
#[derive(Clone, Debug)]
pub(crate) struct Chance {
    alone: Probability,
    after_hit: Probability,
    after_miss: Probability,
    correlation: f64,
    last: Option<bool>,
}

impl Chance {
    /// Both are from 0 to 1.
    pub(crate) fn new(probability: f64, correlation: f64) -> Chance {
        Chance {
            alone: Probability::new(probability),
            after_hit: Probability::new(probability + correlation * (1.0 - probability)),
            after_miss: Probability::new(probability * (1.0 - correlation)),
            correlation,
            last: None,
        }
    }

    /// Another probability from now on, of the same correlation with what happened before.
    pub(crate) fn set(&mut self, probability: f64) {
        *self = Chance {
            last: self.last,
            ..Chance::new(probability, self.correlation)
        };
    }

    pub(crate) fn decide(&mut self, draw: u64) -> bool {
        let probability = match self.last {
            None => self.alone,
            Some(true) => self.after_hit,
            Some(false) => self.after_miss,
        };
        let hit = probability.hits(draw);
        self.last = Some(hit);
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(share: f64) -> u64 {
        (share * 2.0_f64.powi(64)) as u64
    }

    #[test]
    fn the_first_is_decided_alone_and_the_next_by_what_happened() {
        let mut chance = Chance::new(0.2, 0.5);
        assert!(!chance.decide(draw(0.21)));
        assert!(!chance.decide(draw(0.11)));
        assert!(chance.decide(draw(0.09)));
        assert!(chance.decide(draw(0.59)));
        assert!(!chance.decide(draw(0.61)));
    }

    #[test]
    fn without_correlation_the_past_does_not_matter() {
        let mut chance = Chance::new(0.2, 0.0);
        for share in [0.19, 0.19, 0.21, 0.21, 0.19] {
            assert_eq!(chance.decide(draw(share)), share < 0.2);
        }
    }

    #[test]
    fn a_full_correlation_repeats_the_first_for_ever() {
        let mut chance = Chance::new(0.2, 1.0);
        assert!(chance.decide(draw(0.1)));
        assert!(chance.decide(u64::MAX));
        let mut chance = Chance::new(0.2, 1.0);
        assert!(!chance.decide(draw(0.3)));
        assert!(!chance.decide(0));
    }
}

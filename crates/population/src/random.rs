//! Random numbers of one purpose: ChaCha8 under the simulation's seed, on a stream of their own.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// What numbers are drawn for; each has streams of its own, so that none moves another's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// The true surface's deviations.
    Truth = 1,
    /// A client: its network, its address, its own effect.
    Client = 2,
    /// When it comes, and for how much.
    Traffic = 3,
    /// What a page's responses meet.
    Page = 4,
    /// Strangers who flood the gateway.
    Flood = 5,
    /// The mood of a client's network in each of its sessions.
    Visit = 6,
}

/// A generator.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    generator: ChaCha8Rng,
    spare: Option<f64>,
}

impl Random {
    /// The generator of the `number`th thing of a purpose.
    pub(crate) fn new(seed: u64, purpose: Purpose, number: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8] = purpose as u8;
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(number);
        Random {
            generator,
            spare: None,
        }
    }

    /// Between 0 and 1, neither of them.
    pub(crate) fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 52) as f64;
        ((self.generator.next_u64() >> 12) as f64 + 0.5) * STEP
    }

    /// Whether something of this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of `count`, which is at least 1.
    pub(crate) fn one_of(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count - 1)
    }

    /// Which of the `shares` a draw falls to; they need not sum to one.
    pub(crate) fn by_share(&mut self, shares: impl Iterator<Item = f64> + Clone) -> usize {
        let mut left = self.unit() * shares.clone().sum::<f64>();
        let mut last = 0;
        for (place, share) in shares.enumerate().filter(|(_, share)| *share > 0.0) {
            last = place;
            if left < share {
                break;
            }
            left -= share;
        }
        last
    }

    /// Evenly between two bounds.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Standard normal (Box & Muller, Annals of Mathematical Statistics 29, 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * self.unit().ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * self.unit()).sin_cos();
        self.spare = Some(radius * sine);
        radius * cosine
    }

    /// Exponential with this mean.
    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.unit().ln()
    }

    /// How many of `count` happen, each with a probability: by the gaps between them, which are geometric
    /// (Devroye, "Non-Uniform Random Variate Generation", 1986, X.4); where many happen, rounded from the normal
    /// distribution.
    pub(crate) fn binomial(&mut self, count: u32, probability: f64) -> u32 {
        const MANY: f64 = 50.0;
        if probability <= 0.0 {
            return 0;
        }
        if probability >= 1.0 {
            return count;
        }
        let mean = f64::from(count) * probability;
        if mean.min(f64::from(count) - mean) > MANY {
            let drawn = mean + (mean * (1.0 - probability)).sqrt() * self.normal();
            return drawn.round().clamp(0.0, f64::from(count)) as u32;
        }
        let keep = (-probability).ln_1p();
        let (mut happened, mut tried) = (0, 0.0);
        loop {
            tried += (self.unit().ln() / keep).floor() + 1.0;
            if tried > f64::from(count) {
                return happened;
            }
            happened += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_purpose_and_number_give_the_same_values_and_another_gives_others() {
        let first = |seed, purpose, number| Random::new(seed, purpose, number).unit();
        let value = first(1, Purpose::Page, 7);
        assert_eq!(value, first(1, Purpose::Page, 7));
        assert_ne!(value, first(2, Purpose::Page, 7));
        assert_ne!(value, first(1, Purpose::Client, 7));
        assert_ne!(value, first(1, Purpose::Page, 8));
    }

    /// Each mean lies within five standard errors, which a right generator leaves once in two million times.
    #[test]
    fn means_are_those_asked_for() {
        const DRAWS: u32 = 20_000;
        let mut random = Random::new(1, Purpose::Page, 0);
        for (count, probability) in [(3, 0.5), (100, 0.01), (1000, 0.2), (40, 0.9)] {
            let total: f64 = (0..DRAWS)
                .map(|_| f64::from(random.binomial(count, probability)))
                .sum();
            let mean = f64::from(count) * probability;
            let error = (mean * (1.0 - probability) / f64::from(DRAWS)).sqrt();
            assert!((total / f64::from(DRAWS) - mean).abs() < 5.0 * error);
        }
        let total: f64 = (0..DRAWS).map(|_| random.exponential(3.0)).sum();
        assert!((total / f64::from(DRAWS) - 3.0).abs() < 5.0 * 3.0 / f64::from(DRAWS).sqrt());
        let squares: f64 = (0..DRAWS).map(|_| random.normal().powi(2)).sum();
        assert!((squares / f64::from(DRAWS) - 1.0).abs() < 5.0 * (2.0 / f64::from(DRAWS)).sqrt());
    }

    #[test]
    fn shares_that_are_nothing_are_never_drawn() {
        let mut random = Random::new(1, Purpose::Page, 0);
        for _ in 0..1000 {
            assert_eq!(random.by_share([0.0, 2.0, 0.0].into_iter()), 1);
        }
    }
}

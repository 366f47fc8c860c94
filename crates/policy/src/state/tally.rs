//! Numbers of an arm's keys, of which any can be taken out again.

use bytemuck::{Pod, Zeroable};

use crate::sample::CLIP;

/// Numbers as their count, sum and sum of squares: one can be taken out again.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct Tally {
    pub(crate) keys: f64,
    sum: f64,
    squares: f64,
}

impl Tally {
    pub(crate) fn add(&mut self, x: f64) {
        self.keys += 1.0;
        self.sum += x;
        self.squares += x * x;
    }

    pub(crate) fn remove(&mut self, x: f64) {
        self.keys -= 1.0;
        self.sum -= x;
        self.squares -= x * x;
        if self.keys <= 0.0 {
            *self = Tally::default();
        }
    }

    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.keys
    }

    pub(crate) fn make_sound(&mut self) {
        let least = -1e-6 * self.keys;
        let sound = self.keys.is_finite()
            && self.keys >= 0.0
            && self.sum.is_finite()
            && self.sum.abs() <= self.keys * CLIP * 1.001 + 1e-6
            && self.squares.is_finite()
            && self.squares >= least;
        if !sound {
            *self = Tally::default();
        }
    }

    pub(crate) fn variance(&self) -> f64 {
        ((self.squares - self.sum * self.sum / self.keys) / (self.keys - 1.0)).max(0.0)
    }
}

#[cfg(test)]
impl Tally {
    /// Of these numbers.
    pub(crate) fn of(numbers: &[f64]) -> Tally {
        let mut tally = Tally::default();
        numbers.iter().for_each(|x| tally.add(*x));
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_can_be_removed() {
        let mut all = Tally::of(&[0.5, -0.25, 3.0]);
        all.remove(3.0);
        assert_eq!(all, Tally::of(&[0.5, -0.25]));
        all.remove(0.5);
        all.remove(-0.25);
        assert_eq!(all, Tally::default());
    }
}

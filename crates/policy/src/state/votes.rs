//! What is kept of what a parent's keys say of each other.

use bytemuck::{Pod, Zeroable};

/// Precisions of votes, and their sum weighted by it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct Votes {
    pub(crate) weight: f32,
    pub(crate) sum: f32,
}

impl Votes {
    pub(crate) fn decay(&mut self, factor: f64) {
        self.weight *= factor as f32;
        self.sum *= factor as f32;
    }

    pub(crate) fn add(&mut self, other: &Votes) {
        self.weight += other.weight;
        self.sum += other.sum;
    }

    pub(crate) fn without(&self, other: &Votes) -> Votes {
        let weight = self.weight - other.weight;
        if weight <= 1e-4 * self.weight {
            return Votes::zeroed(); // rounding's rest
        }
        Votes {
            weight,
            sum: self.sum - other.sum,
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.weight.is_finite() && self.weight >= 0.0 && self.sum.is_finite()
    }
}

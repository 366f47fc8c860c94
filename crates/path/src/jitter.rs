//! How far a packet's delay strays from the constant one.

use crate::draws::{Draws, Passage, below};
use crate::normal;
use crate::spec::{self, Direction, Distribution};

/// Draws one offset a packet.
#[derive(Debug)]
pub(crate) struct Jitter {
    distribution: Distribution,
    spread_ns: u64,
    draws: Draws,
}

impl Jitter {
    pub(crate) fn new(spec: &spec::Jitter, seed: u64, direction: Direction) -> Option<Jitter> {
        (spec.spread_ns > 0).then(|| Jitter {
            distribution: spec.distribution,
            spread_ns: spec.spread_ns,
            draws: Draws::new(seed, direction, "jitter"),
        })
    }

    /// `delay_ns` strayed by one draw, never below zero. Uniform takes each whole nanosecond from
    /// minus to plus the spread equally often; normal is rounded to the nearest.
    pub(crate) fn stray(&mut self, delay_ns: u64, passage: Passage) -> u64 {
        let draw = self.draws.next(passage);
        match self.distribution {
            Distribution::Uniform => {
                (delay_ns + below(draw, 2 * self.spread_ns + 1)).saturating_sub(self.spread_ns)
            }
            Distribution::Pareto | Distribution::ParetoNormal | Distribution::Table => todo!(),
            Distribution::Normal => {
                let offset = normal::from_draw(draw) * self.spread_ns as f64;
                delay_ns.saturating_add_signed(offset.round() as i64)
            }
        }
    }

    /// Uses up the draw of a packet that doesn't come this far.
    pub(crate) fn skip(&mut self, passage: Passage) {
        self.draws.next(passage);
    }
}

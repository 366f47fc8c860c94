//! How far a packet's delay strays from the constant one.
//!
//! Its correlation is that of the normal scores behind the draws (see `copula.rs`), so the strays
//! keep the distribution that was asked for.

use crate::copula::Copula;
use crate::distribution::Shape;
use crate::distribution_table;
use crate::draws::{Draws, Instance};
use crate::spec::{self, Direction, Distribution};
use crate::spec_error::SpecError;

/// Draws one offset a packet.
#[derive(Debug)]
pub(crate) struct Jitter {
    shape: Shape,
    spread_ns: u64,
    copula: Option<Copula>,
    draws: Draws,
}

impl Jitter {
    /// None where nothing ever strays; `varies`: the spread is set later.
    ///
    /// # Errors
    /// What is wrong with the table.
    pub(crate) fn new(
        spec: &spec::Jitter,
        varies: bool,
        seed: u64,
        direction: Direction,
    ) -> Result<Option<Jitter>, SpecError> {
        if spec.spread_ns == 0 && !varies {
            return Ok(None);
        }
        let shape = match spec.distribution {
            Distribution::Uniform => Shape::Uniform,
            Distribution::Normal => Shape::Normal,
            Distribution::Pareto => Shape::Pareto,
            Distribution::ParetoNormal => Shape::ParetoNormal,
            Distribution::Table => {
                let text = spec.table.as_deref().unwrap_or_default();
                Shape::Table(distribution_table::parse(text)?)
            }
        };
        Ok(Some(Jitter {
            shape,
            spread_ns: spec.spread_ns,
            copula: (spec.correlation > 0.0).then(|| Copula::new(spec.correlation)),
            draws: Draws::new(seed, direction, "jitter"),
        }))
    }

    pub(crate) fn set(&mut self, spread_ns: u64) {
        self.spread_ns = spread_ns;
    }

    /// `delay_ns` strayed by one draw, never below zero.
    pub(crate) fn stray(&mut self, delay_ns: u64, instance: Instance) -> u64 {
        let draw = self.draw(instance);
        delay_ns.saturating_add_signed(self.shape.offset_ns(draw, self.spread_ns))
    }

    /// Uses up the draw of a packet that doesn't come this far.
    pub(crate) fn skip(&mut self, instance: Instance) {
        self.draw(instance);
    }

    fn draw(&mut self, instance: Instance) -> u64 {
        let draw = self.draws.next(instance);
        match &mut self.copula {
            Some(copula) => copula.correlate(draw, instance),
            None => draw,
        }
    }
}

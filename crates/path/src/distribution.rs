//! The shapes that a jitter can have, each by its quantile function: what share of the draws lies
//! below a value is the share of packets that stray less.
//!
//! The Pareto shapes are those of iproute2's tables for netem (`netem/pareto.c`, `netem/paretonormal.c`,
//! after NIST Net): Pareto of shape 3 from 1 on, which has its mean at 1.5, moved there and stretched
//! by 4/3, cut off at 32767/8192, where a table's whole numbers of 16 bits end; and the sum of three
//! quarters of it and a quarter of the normal value of the same draw. The cut hits 1.1 % of Pareto's
//! values, so their mean is 0.03 spreads below zero and their standard deviation 0.82. The tables hold these
//! functions at 4096 places; here they are computed where the draw falls, to 1e-12 of a spread.

use crate::draws::{below, open_unit};
use crate::normal;

/// What a table's numbers count: this many a spread (`NETEM_DIST_SCALE`).
const SCALE: i64 = 8192;
/// Where a table's numbers end, in spreads.
const LEAST: f64 = i16::MIN as f64 / SCALE as f64;
const MOST: f64 = i16::MAX as f64 / SCALE as f64;

/// A distribution around zero, in units of its spread.
#[derive(Debug)]
pub(crate) enum Shape {
    Uniform,
    Normal,
    Pareto,
    ParetoNormal,
    /// Each of the numbers equally often; ascending, at least one.
    Table(Vec<i16>),
}

impl Shape {
    /// The offset that a draw makes; a greater draw never makes a smaller one. `spread_ns` is an hour
    /// at most. Uniform takes each whole nanosecond from minus to plus the spread equally often; the
    /// others are rounded to the nearest, halves away from zero.
    pub(crate) fn offset_ns(&self, draw: u64, spread_ns: u64) -> i64 {
        let spread = spread_ns as i64;
        let spreads = match self {
            Shape::Uniform => return below(draw, 2 * spread_ns + 1) as i64 - spread,
            Shape::Table(numbers) => {
                let place = below(draw, numbers.len() as u64) as usize;
                return divide(spread * i64::from(numbers[place]), SCALE);
            }
            Shape::Normal => normal::from_draw(draw),
            Shape::Pareto => pareto(draw),
            Shape::ParetoNormal => {
                (0.25 * normal::from_draw(draw) + 0.75 * pareto(draw)).clamp(LEAST, MOST)
            }
        };
        (spreads * spread as f64).round() as i64
    }
}

fn pareto(draw: u64) -> f64 {
    let above = open_unit(!draw);
    (4.0 / 3.0 * (above.cbrt().recip() - 1.5)).min(MOST)
}

/// To the nearest, halves away from zero.
fn divide(value: i64, by: i64) -> i64 {
    (value + value.signum() * (by / 2)) / by
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantile(shape: &Shape, share: f64) -> f64 {
        let draw = (share * 2.0_f64.powi(64)) as u64;
        shape.offset_ns(draw, 1_000_000_000) as f64 / 1e9
    }

    /// Entries of iproute2 6.1's `pareto.dist` and `paretonormal.dist`, of 4096 each, which were
    /// worked out in steps of 1/16384 of probability.
    #[test]
    fn the_pareto_shapes_agree_with_iproute2s_tables() {
        for (entry, pareto, pareto_normal) in [
            (1024, -4362, -4652),
            (2048, -2622, -1966),
            (3072, 955, 2097),
            (4051, 32750, 29256),
        ] {
            let share = f64::from(entry) / 4096.0;
            let distance = |shape: &Shape, expected: i32| {
                (quantile(shape, share) * 8192.0 - f64::from(expected)).abs()
            };
            assert!(distance(&Shape::Pareto, pareto) < 1.0, "{entry}");
            assert!(
                distance(&Shape::ParetoNormal, pareto_normal) < 4.0,
                "{entry}"
            );
        }
    }

    #[test]
    fn every_shape_is_finite_at_both_ends_and_never_falls() {
        let table = Shape::Table(vec![-32768, 0, 32767]);
        for shape in [
            Shape::Uniform,
            Shape::Normal,
            Shape::Pareto,
            Shape::ParetoNormal,
            table,
        ] {
            let hour = 3_600_000_000_000;
            let draws = (0..1000).map(|i| i * (u64::MAX / 999));
            let offsets: Vec<i64> = draws.map(|draw| shape.offset_ns(draw, hour)).collect();
            assert!(offsets.is_sorted(), "{shape:?}");
            assert!(offsets.iter().all(|ns| ns.unsigned_abs() < 9 * hour));
        }
    }

    #[test]
    fn a_tables_numbers_are_parts_of_the_spread() {
        let table = Shape::Table(vec![-8192, 4096]);
        assert_eq!(table.offset_ns(0, 1001), -1001);
        assert_eq!(table.offset_ns(u64::MAX, 1001), 501);
    }
}

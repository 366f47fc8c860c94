//! One axis of the surface.

use crate::math;

/// Values that an axis has at most.
pub const AXIS_MOST: usize = 8;

/// Ascending values, 2 to [`AXIS_MOST`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    values: [f64; AXIS_MOST],
    logarithms: [f64; AXIS_MOST],
    len: usize,
}

impl Axis {
    /// None where there are too few or too many values, or where they aren't finite, not below 0 and ascending.
    pub fn new(given: &[f64]) -> Option<Axis> {
        let ascending = given.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
        let sound = given.iter().all(|value| value.is_finite() && *value >= 0.0);
        if !(2..=AXIS_MOST).contains(&given.len()) || !ascending || !sound {
            return None;
        }
        let mut axis = Axis {
            values: [0.0; AXIS_MOST],
            logarithms: [0.0; AXIS_MOST],
            len: given.len(),
        };
        for ((value, logarithm), given) in
            axis.values.iter_mut().zip(&mut axis.logarithms).zip(given)
        {
            *value = *given;
            *logarithm = math::ln(given.max(f64::MIN_POSITIVE));
        }
        Some(axis)
    }

    /// The values.
    pub fn values(&self) -> &[f64] {
        self.values.get(..self.len).unwrap_or_default()
    }

    /// Where `value` lies, linear in the logarithm; beyond an end, at that end.
    pub(crate) fn place(&self, value: f64) -> Place {
        let logarithm = math::ln(value.max(f64::MIN_POSITIVE));
        Place::among(
            self.logarithms.get(..self.len).unwrap_or_default(),
            logarithm,
        )
    }
}

/// Between the node `lower` and the next: `share` of the latter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) lower: usize,
    pub(crate) share: f64,
}

impl Place {
    /// Where `value` lies among ascending nodes; beyond an end, at that end.
    pub(crate) fn among(nodes: &[f64], value: f64) -> Place {
        let above = nodes.iter().take_while(|node| **node <= value).count();
        let ends = above
            .checked_sub(1)
            .and_then(|below| Some((below, *nodes.get(below)?, *nodes.get(above)?)));
        match ends {
            Some((lower, from, to)) => Place {
                lower,
                share: (value - from) / (to - from),
            },
            None => Place::node(above.saturating_sub(1)),
        }
    }

    pub(crate) fn node(index: usize) -> Place {
        Place {
            lower: index,
            share: 0.0,
        }
    }

    /// The nodes with their weights; a node without weight is left out.
    pub(crate) fn weights(self) -> impl Iterator<Item = (usize, f64)> {
        [(self.lower, 1.0 - self.share), (self.lower + 1, self.share)]
            .into_iter()
            .filter(|(_, weight)| *weight > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_between_nodes_is_linear_in_the_logarithm() {
        let axis = Axis::new(&[10.0, 100.0, 1000.0]).expect("an axis");
        let middle = axis.place(math::sqrt(10.0) * 100.0);
        assert_eq!(middle.lower, 1);
        assert!((middle.share - 0.5).abs() < 1e-12);
    }

    #[test]
    fn beyond_its_ends_an_axis_is_flat() {
        let axis = Axis::new(&[10.0, 100.0]).expect("an axis");
        assert_eq!(axis.place(1.0), Place::node(0));
        assert_eq!(axis.place(0.0), Place::node(0));
        assert_eq!(axis.place(1e9), Place::node(1));
        assert_eq!(axis.place(10.0), Place::node(0));
    }

    #[test]
    fn an_axis_ascends_and_has_two_to_eight_values() {
        assert!(Axis::new(&[1.0]).is_none());
        assert!(Axis::new(&[2.0, 1.0]).is_none());
        assert!(Axis::new(&[1.0, f64::NAN]).is_none());
        assert!(Axis::new(&[-1.0, 1.0]).is_none());
        assert!(Axis::new(&[0.0; 9]).is_none());
        assert!(Axis::new(&[0.0, 0.1]).is_some());
    }
}

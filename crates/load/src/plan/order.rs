//! In which order targets of different weight are asked for.

use crate::error::LoadError;

/// The longest cycle, in requests.
const LONGEST: u64 = 10_000_000;

/// A cycle through targets in which each comes as often as its weight says, spread evenly.
#[derive(Debug)]
pub(super) enum Order {
    /// So many, one after the other.
    EachOnce(usize),
    /// Their numbers.
    Weighted(Vec<u32>),
}

impl Order {
    pub(super) fn each_once(count: usize) -> Order {
        Order::EachOnce(count)
    }

    /// Weights are 1 at least; the list is told of as `key`.
    ///
    /// # Errors
    /// A cycle that is too long.
    pub(super) fn new(key: &str, weights: &[u32]) -> Result<Order, LoadError> {
        if weights.iter().all(|weight| *weight == 1) {
            return Ok(Order::EachOnce(weights.len()));
        }
        let divisor = weights.iter().copied().fold(0, greatest_common_divisor);
        let weights: Vec<u32> = weights.iter().map(|weight| weight / divisor).collect();
        let cycle: u64 = weights.iter().copied().map(u64::from).sum();
        if cycle > LONGEST {
            let problem =
                format!("weights: {cycle} in all; allowed are {LONGEST}, so write smaller ones");
            return Err(LoadError::spec(key, problem));
        }
        // Each one's places are in the middle of equal parts of the cycle; of two that share a place, the first one's.
        let mut places: Vec<(f64, u32)> = Vec::with_capacity(cycle as usize);
        for (number, weight) in (0..).zip(&weights) {
            let part = 1.0 / f64::from(*weight);
            places.extend((0..*weight).map(|at| ((f64::from(at) + 0.5) * part, number)));
        }
        places.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let numbers = places.into_iter().map(|(_, number)| number);
        Ok(Order::Weighted(numbers.collect()))
    }

    pub(super) fn cycle(&self) -> usize {
        match self {
            Order::EachOnce(count) => *count,
            Order::Weighted(numbers) => numbers.len(),
        }
    }

    /// The number of the target at this place.
    pub(super) fn at(&self, place: usize) -> usize {
        match self {
            Order::EachOnce(_) => place,
            Order::Weighted(numbers) => numbers[place] as usize,
        }
    }
}

fn greatest_common_divisor(one: u32, other: u32) -> u32 {
    if other == 0 {
        one
    } else {
        greatest_common_divisor(other, one % other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(weights: &[u32]) -> Vec<usize> {
        let order = Order::new("targets", weights).expect("an order");
        (0..order.cycle()).map(|place| order.at(place)).collect()
    }

    #[test]
    fn each_comes_as_often_as_its_weight_says_and_never_in_a_heap() {
        assert_eq!(cycle(&[1, 1, 1]), [0, 1, 2]);
        assert_eq!(cycle(&[5, 5]), [0, 1]);
        assert_eq!(cycle(&[6, 2]), [0, 0, 1, 0]);
        let found = cycle(&[90, 9, 1]);
        for (number, times) in [(0, 90), (1, 9), (2, 1)] {
            assert_eq!(found.iter().filter(|one| **one == number).count(), times);
        }
        let second: Vec<usize> = (0..100).filter(|place| found[*place] == 1).collect();
        assert!(
            second
                .windows(2)
                .all(|pair| (9..=13).contains(&(pair[1] - pair[0])))
        );
    }

    #[test]
    fn no_cycle_is_endless() {
        let refused = Order::new("targets", &[u32::MAX, 1]).expect_err("it is long");
        assert_eq!(
            refused.to_string(),
            "targets: weights: 4294967296 in all; allowed are 10000000, so write smaller ones"
        );
    }
}

//! Means over requests, with intervals that know that a key's requests are no independent ones.

use schemars::JsonSchema;
use serde::Serialize;

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// The interval's lower end. Null of a single key.
    #[schemars(with = "Option<f64>")]
    pub low: f64,
    /// The interval's upper end. Null of a single key.
    #[schemars(with = "Option<f64>")]
    pub high: f64,
}

/// What one client's requests came to under one rule.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// The sum of the requests' regrets.
    pub(crate) regret: f64,
    pub(crate) requests: f64,
    /// Of these, those over QUIC.
    pub(crate) quic: f64,
    /// Requests that were failed to move the client, which are on top.
    pub(crate) failed: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, regret: f64, requests: u32, quic: bool, failed: u32) {
        let requests = f64::from(requests);
        self.regret += regret * requests;
        self.requests += requests;
        self.quic += if quic { requests } else { 0.0 };
        self.failed += u64::from(failed);
    }

    pub(crate) fn merge(&mut self, other: &Tally) {
        self.regret += other.regret;
        self.requests += other.requests;
        self.quic += other.quic;
        self.failed += other.failed;
    }
}

const Z95: f64 = 1.959_963_984_540_054;

/// The sum of `sums` over the sum of `counts`, both by cluster: the ratio estimator with the variance between clusters
/// (Cochran, "Sampling Techniques", 3rd edition 1977, 6.3 and 9A).
pub(crate) fn ratio(clusters: &[(f64, f64)]) -> Option<Estimate> {
    let total: f64 = clusters.iter().map(|(_, count)| count).sum();
    if total <= 0.0 {
        return None;
    }
    let value = clusters.iter().map(|(sum, _)| sum).sum::<f64>() / total;
    let number = clusters.len() as f64;
    let squares: f64 = clusters
        .iter()
        .map(|(sum, count)| (sum - value * count).powi(2))
        .sum();
    let half = if number > 1.0 {
        Z95 * (squares * number / (number - 1.0)).sqrt() / total
    } else {
        f64::INFINITY
    };
    Some(Estimate {
        value,
        low: value - half,
        high: value + half,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Random};

    #[test]
    fn equal_requests_counted_by_one_client_or_by_many_have_one_mean_but_not_one_interval() {
        let many: Vec<(f64, f64)> = (0..100).map(|one| (f64::from(one % 2), 1.0)).collect();
        let few = [(0.0, 25.0), (25.0, 25.0), (0.0, 25.0), (25.0, 25.0)];
        let (many, few) = (ratio(&many).unwrap(), ratio(&few).unwrap());
        assert_eq!(many.value, few.value);
        assert!(few.high - few.low > 4.0 * (many.high - many.low));
    }

    #[test]
    fn there_is_no_mean_of_nothing() {
        assert_eq!(ratio(&[]), None);
        assert_eq!(ratio(&[(0.0, 0.0)]), None);
    }

    /// Of 1000 intervals of 95 % at least 930 cover, which right ones miss once in a thousand times.
    #[test]
    fn the_interval_covers_the_mean_of_unequal_clusters() {
        let mut random = Random::new(3, Purpose::Client, 0);
        let mut covered = 0;
        for _ in 0..1000 {
            let clusters: Vec<(f64, f64)> = (0..100)
                .map(|_| {
                    let count = random.exponential(10.0).ceil();
                    (count * (1.0 + random.normal()), count)
                })
                .collect();
            let found = ratio(&clusters).unwrap();
            covered += u32::from(found.low <= 1.0 && 1.0 <= found.high);
        }
        assert!(covered >= 930, "{covered}");
    }
}

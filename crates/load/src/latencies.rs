//! A distribution of times in constant memory.

use std::time::Duration;

use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::Serialize;

/// Three significant digits: no recorded time is off by more than a thousandth.
const DIGITS: u8 = 3;
/// The longest time that is told from longer ones, in nanoseconds: an hour.
const LONGEST: u64 = 3_600_000_000_000;

/// Times from a nanosecond to an hour, in an HDR histogram; extremes, mean and standard deviation exactly.
#[derive(Debug, Clone)]
pub(crate) struct Latencies {
    histogram: Histogram<u64>,
    sum: f64,
    squares: f64,
    least: Duration,
    most: Duration,
}

/// A distribution of times in seconds. `count`, `min`, `max`, `mean` and `sd` are exact; the quantiles have three significant
/// digits.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "LatencyDistribution")]
pub struct Distribution {
    /// How many times there were.
    pub count: u64,
    /// The shortest.
    pub min: f64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, as of a whole population.
    pub sd: f64,
    /// The longest.
    pub max: f64,
    /// The median.
    pub p50: f64,
    /// The 75th percentile.
    pub p75: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The 99.9th percentile.
    pub p999: f64,
    /// The 99.99th percentile.
    pub p9999: f64,
}

impl Default for Latencies {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS)
            .expect("the bounds are ones that a histogram can have");
        Latencies {
            histogram,
            sum: 0.0,
            squares: 0.0,
            least: Duration::MAX,
            most: Duration::ZERO,
        }
    }
}

impl Latencies {
    pub(crate) fn record(&mut self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.histogram.saturating_record(nanoseconds.max(1));
        let seconds = nanoseconds as f64 * 1e-9;
        self.sum += seconds;
        self.squares += seconds * seconds;
        self.least = self.least.min(time);
        self.most = self.most.max(time);
    }

    /// Takes the times of another in.
    pub(crate) fn add(&mut self, other: &Latencies) {
        // Their bounds are the same, so nothing is out of them.
        let _ = self.histogram.add(&other.histogram);
        self.sum += other.sum;
        self.squares += other.squares;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// How many times there were.
    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub(crate) fn histogram(&self) -> &Histogram<u64> {
        &self.histogram
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.histogram.reset();
        self.sum = 0.0;
        self.squares = 0.0;
        self.least = Duration::MAX;
        self.most = Duration::ZERO;
    }

    /// What not more than this share of the times exceed, in seconds; none without times.
    pub(crate) fn quantile(&self, share: f64) -> Option<f64> {
        if self.histogram.is_empty() {
            return None;
        }
        let nanoseconds = self.histogram.value_at_quantile(share) as f64;
        // A histogram tells a bucket's upper end, which may lie beyond what was recorded.
        Some((nanoseconds * 1e-9).clamp(self.least.as_secs_f64(), self.most.as_secs_f64()))
    }

    /// None without times.
    pub(crate) fn distribution(&self) -> Option<Distribution> {
        let count = self.histogram.len();
        let quantile = |share| self.quantile(share);
        let mean = self.sum / count.max(1) as f64;
        let variance = self.squares / count.max(1) as f64 - mean * mean;
        Some(Distribution {
            count,
            min: self.least.as_secs_f64(),
            mean,
            sd: variance.max(0.0).sqrt(),
            max: self.most.as_secs_f64(),
            p50: quantile(0.5)?,
            p75: quantile(0.75)?,
            p90: quantile(0.9)?,
            p95: quantile(0.95)?,
            p99: quantile(0.99)?,
            p999: quantile(0.999)?,
            p9999: quantile(0.9999)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_thousandth_and_moments_exact() {
        let mut latencies = Latencies::default();
        let mut others = Latencies::default();
        for milliseconds in 1..=1000 {
            let half = if milliseconds % 2 == 0 {
                &mut latencies
            } else {
                &mut others
            };
            half.record(Duration::from_millis(milliseconds));
        }
        latencies.add(&others);
        let told = latencies.distribution().expect("there are times");
        assert_eq!((told.count, told.min, told.max), (1000, 0.001, 1.0));
        assert!((told.mean - 0.5005).abs() < 1e-9);
        assert!((told.sd - 0.288_675).abs() < 1e-6);
        for (quantile, expected) in [(told.p50, 0.5), (told.p99, 0.99), (told.p9999, 1.0)] {
            assert!(
                (quantile / expected - 1.0).abs() <= 1e-3,
                "{quantile} for {expected}"
            );
        }
    }

    #[test]
    fn without_times_there_is_no_distribution() {
        let mut latencies = Latencies::default();
        assert!(latencies.distribution().is_none());
        latencies.record(Duration::from_secs(7200));
        assert_eq!(latencies.distribution().map(|told| told.max), Some(7200.0));
        latencies.clear();
        assert!(latencies.distribution().is_none());
    }
}

//! One connection's samples: those that say something new, and never more of them than can be kept.

use crate::sample::{Columns, Sample};

/// The most samples that are kept of a connection.
pub const MOST_SAMPLES: usize = 20_000;

/// Samples of one connection in the order of their times.
#[derive(Clone, Debug)]
pub struct Series {
    interval_s: f64,
    /// How many of the first intervals lie between samples now.
    stride: f64,
    most: usize,
    kept: Vec<(f64, Sample)>,
}

impl Series {
    /// An empty one of samples every `interval_s` seconds, [`MOST_SAMPLES`] at most.
    #[must_use]
    pub fn new(interval_s: f64) -> Series {
        Series::of_at_most(MOST_SAMPLES, interval_s)
    }

    fn of_at_most(most: usize, interval_s: f64) -> Series {
        Series {
            interval_s,
            stride: 1.0,
            most,
            kept: Vec::new(),
        }
    }

    /// Takes a sample of `at_s`, in seconds. One that doesn't come after the last one kept, or says the same as that, is left
    /// out; where there are too many, every second one goes and the interval doubles.
    pub fn push(&mut self, at_s: f64, sample: Sample) {
        if let Some((last_s, last)) = self.kept.last() {
            // A stride's samples may each come up to half an interval early.
            let soon = self.stride > 1.0 && at_s < last_s + self.interval_s * (self.stride - 0.5);
            if at_s <= *last_s || soon || *last == sample {
                return;
            }
        }
        if self.kept.len() >= self.most {
            let mut number = 0_usize;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2.0;
        }
        self.kept.push((at_s, sample));
    }

    /// Seconds between samples.
    #[must_use]
    pub fn interval_s(&self) -> f64 {
        self.interval_s * self.stride
    }

    /// All that are kept.
    #[must_use]
    pub fn columns(&self) -> Columns {
        let mut columns = Columns::default();
        for (at_s, sample) in &self.kept {
            columns.push(*at_s, sample);
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(cwnd_bytes: u64) -> Sample {
        Sample {
            cwnd_bytes: Some(cwnd_bytes),
            ..Sample::default()
        }
    }

    #[test]
    fn a_sample_that_says_what_the_last_one_said_is_left_out() {
        let mut series = Series::new(0.01);
        for (number, cwnd_bytes) in [10, 10, 20, 20, 20, 10].into_iter().enumerate() {
            series.push(number as f64 * 0.01, sample(cwnd_bytes));
        }
        let columns = series.columns();
        assert_eq!(columns.cwnd_bytes, [Some(10), Some(20), Some(10)]);
        assert_eq!(columns.at_s, [0.0, 0.02, 0.05]);
        assert_eq!(columns.srtt_s, [None, None, None]);
        assert!((series.interval_s() - 0.01).abs() < 1e-12);
    }

    #[test]
    fn times_rise() {
        let mut series = Series::new(0.01);
        for (at_s, cwnd_bytes) in [(0.02, 1), (0.02, 2), (0.01, 3), (0.03, 4)] {
            series.push(at_s, sample(cwnd_bytes));
        }
        assert_eq!(series.columns().at_s, [0.02, 0.03]);
    }

    #[test]
    fn of_too_many_every_second_one_goes_and_the_interval_doubles() {
        let mut series = Series::of_at_most(8, 1.0);
        for number in 0..32_u32 {
            series.push(f64::from(number), sample(u64::from(number)));
        }
        assert!((series.interval_s() - 4.0).abs() < 1e-12);
        let columns = series.columns();
        assert_eq!(columns.at_s, [0., 4., 8., 12., 16., 20., 24., 28.]);
        assert_eq!(columns.cwnd_bytes[3], Some(12));
    }
}

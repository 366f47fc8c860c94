//! When the requests of an open loop are due. Pure: times are counted from the loop's start.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use crate::spec::{ArrivalSpec, Spacing};

/// The times at which requests are due, one after the other and without end.
///
/// A Poisson process of a changing rate is one of rate 1 whose time runs as fast as the rate says; constant gaps are its
/// mean. During the ramp the rate rises linearly from 0 to the first step's, and what is left of that step follows.
#[derive(Debug, Clone)]
pub(crate) struct DueTimes {
    /// One at least, in order. The first begins at the ramp's end, the last has none.
    steps: Vec<Step>,
    /// Seconds.
    ramp: f64,
    /// None: constant gaps.
    random: Option<ChaCha8Rng>,
    /// The next request, in requests expected before it.
    expected: f64,
    number: u64,
}

/// A time of one rate.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// When it begins, in seconds.
    from: f64,
    /// Requests expected before.
    expected: f64,
    /// Requests per second, above 0.
    rate: f64,
}

impl DueTimes {
    /// Rates are above 0, and the ramp is no longer than the first step that has an end.
    pub(crate) fn new(spec: &ArrivalSpec, ramp: Duration) -> DueTimes {
        let ramp = ramp.as_secs_f64();
        let first_rate = spec
            .steps
            .first()
            .map_or(spec.rate_per_s, |first| first.rate_per_s);
        let mut next = Step {
            from: ramp,
            expected: first_rate * ramp / 2.0,
            rate: first_rate,
        };
        let mut steps = Vec::with_capacity(spec.steps.len() + 1);
        let mut end = 0.0;
        for step in &spec.steps {
            next.rate = step.rate_per_s;
            steps.push(next);
            end += step.duration_s;
            next.expected += next.rate * (end - next.from);
            next.from = end;
        }
        next.rate = spec.rate_per_s;
        steps.push(next);
        let mut times = DueTimes {
            steps,
            ramp,
            random: (spec.distribution == Spacing::Poisson)
                .then(|| ChaCha8Rng::seed_from_u64(spec.seed)),
            expected: 0.0,
            number: 0,
        };
        times.expected = times.gap();
        times
    }

    /// The number of the next request, from 0, and when it is due.
    pub(crate) fn peek(&self) -> (u64, Duration) {
        let expected = self.expected;
        let begun = self.steps.partition_point(|step| step.expected <= expected);
        let at = match begun.checked_sub(1).map(|last| self.steps[last]) {
            Some(step) => step.from + (expected - step.expected) / step.rate,
            None => (2.0 * self.ramp * expected / self.steps[0].rate).sqrt(),
        };
        (self.number, Duration::from_secs_f64(at))
    }

    /// Goes on to the one after.
    pub(crate) fn advance(&mut self) {
        self.number += 1;
        self.expected = match self.random {
            Some(_) => self.expected + self.gap(),
            None => self.number as f64,
        };
    }

    /// Requests expected between one and the next.
    fn gap(&mut self) -> f64 {
        match &mut self.random {
            // Uniform in (0, 1], of 53 bits.
            Some(random) => {
                let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
                -uniform.ln()
            }
            None => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::RateStep;

    fn times(distribution: Spacing, ramp: f64, count: usize) -> Vec<f64> {
        times_of(Vec::new(), distribution, ramp, count)
    }

    fn times_of(steps: Vec<RateStep>, distribution: Spacing, ramp: f64, count: usize) -> Vec<f64> {
        let spec = ArrivalSpec {
            rate_per_s: 1000.0,
            steps,
            distribution,
            seed: 7,
        };
        let mut due = DueTimes::new(&spec, Duration::from_secs_f64(ramp));
        let mut times = Vec::new();
        for number in 0..count {
            assert_eq!(due.peek().0, number as u64);
            times.push(due.peek().1.as_secs_f64());
            due.advance();
        }
        times
    }

    #[test]
    fn constant_arrivals_lie_evenly_and_do_not_drift() {
        let times = times(Spacing::Constant, 0.0, 100_001);
        assert_eq!(times[0], 0.0);
        assert!((times[100_000] - 100.0).abs() < 1e-9);
        assert!(
            times
                .windows(2)
                .all(|pair| (pair[1] - pair[0] - 0.001).abs() < 1e-8)
        );
    }

    #[test]
    fn a_ramp_has_half_of_the_requests_and_then_the_full_rate() {
        let times = times(Spacing::Constant, 2.0, 2001);
        assert!(
            (times[1000] - 2.0).abs() < 1e-9,
            "1000 requests in 2 s of ramp"
        );
        assert!(
            (times[250] - 1.0).abs() < 1e-9,
            "a quarter of them in half of it"
        );
        assert!((times[2000] - 3.0).abs() < 1e-9);
    }

    #[test]
    fn each_step_has_its_rate_for_its_time() {
        let step = |rate_per_s, duration_s| RateStep {
            rate_per_s,
            duration_s,
        };
        let steps = vec![step(10.0, 2.0), step(100.0, 3.0)];
        let due = times_of(steps.clone(), Spacing::Constant, 0.0, 1321);
        for (number, at) in [
            (0, 0.0),
            (10, 1.0),
            (20, 2.0),
            (120, 3.0),
            (320, 5.0),
            (1320, 6.0),
        ] {
            assert!((due[number] - at).abs() < 1e-9, "{number}: {}", due[number]);
        }
        // The ramp is the first step's.
        let due = times_of(steps.clone(), Spacing::Constant, 1.0, 20);
        assert!((due[5] - 1.0).abs() < 1e-9 && (due[15] - 2.0).abs() < 1e-9);
        // Nothing is left of the first step: the second has its rate at once.
        let due = times_of(steps, Spacing::Constant, 2.0, 111);
        assert!((due[10] - 2.0).abs() < 1e-9 && (due[110] - 3.0).abs() < 1e-9);
        let random = times_of(vec![step(10.0, 100.0)], Spacing::Poisson, 0.0, 3000);
        let early = random.iter().filter(|at| **at < 100.0).count();
        // The seed is fixed; five standard deviations of 1000.
        assert!((842..1158).contains(&early), "{early}");
    }

    #[test]
    fn gaps_of_a_poisson_process_have_the_mean_and_the_deviation_of_an_exponential() {
        let times = times(Spacing::Poisson, 0.0, 100_001);
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // The seed is fixed; five standard errors of either estimate.
        assert!((mean * 1000.0 - 1.0).abs() < 5.0 / 316.0, "{mean}");
        assert!(
            (variance.sqrt() * 1000.0 - 1.0).abs() < 5.0 * 2.0_f64.sqrt() / 316.0,
            "{variance}"
        );
    }

    #[test]
    fn the_same_seed_gives_the_same_times() {
        let one = times(Spacing::Poisson, 1.0, 1000);
        assert_eq!(one, times(Spacing::Poisson, 1.0, 1000));
        assert!(one.is_sorted());
    }
}

//! Numbers of a specification, within their bounds.

use std::time::Duration;

use super::Bound;
use crate::error::LoadError;
use crate::spec::{Amount, ArrivalSpec, Connect, LoadSpec};

/// The most of each thing that is counted.
const MOST_CONNECTIONS: u32 = 100_000;
const MOST_STREAMS: u32 = 65_536;
const MOST_THREADS: u32 = 1024;
/// Requests a second. Of the least one, the times at which requests are due can still be told (`due_times.rs`).
const MOST_RATE: f64 = 1e7;
const LEAST_RATE: f64 = 1e-6;
/// The longest time, a day.
const LONGEST: f64 = 86_400.0;

/// Whether there is one at least of each thing that is counted, and not too many.
pub(super) fn check_counts(spec: &LoadSpec) -> Result<(), LoadError> {
    let counts = [
        ("connections", spec.connections, MOST_CONNECTIONS),
        ("streams", spec.streams, MOST_STREAMS),
        ("threads", spec.threads, MOST_THREADS),
    ];
    for (key, asked, most) in counts {
        if !(1..=most).contains(&asked) {
            return Err(LoadError::spec(
                key,
                format!("{asked}; allowed is 1 to {most}"),
            ));
        }
    }
    if spec.threads > spec.connections {
        return Err(LoadError::spec(
            "threads",
            format!(
                "{} threads for {} connections; each needs one at least",
                spec.threads, spec.connections
            ),
        ));
    }
    if spec.connect == Connect::Each && spec.streams > 1 {
        return Err(LoadError::spec(
            "streams",
            format!(
                "{}; with `connect` = `each` a connection has one request: 1",
                spec.streams
            ),
        ));
    }
    if let Some(arrivals) = &spec.arrivals {
        check_arrivals(arrivals, spec.ramp_s)?;
    }
    if spec.targets.is_empty() {
        return Err(LoadError::spec("targets", "there is none; one at least"));
    }
    Ok(())
}

fn check_arrivals(arrivals: &ArrivalSpec, ramp_s: f64) -> Result<(), LoadError> {
    for (at, step) in arrivals.steps.iter().enumerate() {
        check_rate(&format!("arrivals.steps[{at}].rate_per_s"), step.rate_per_s)?;
        positive(&format!("arrivals.steps[{at}].duration_s"), step.duration_s)?;
    }
    check_rate("arrivals.rate_per_s", arrivals.rate_per_s)?;
    match arrivals.steps.first() {
        Some(first) if first.duration_s < ramp_s => Err(LoadError::spec(
            "ramp_s",
            format!(
                "{ramp_s}; allowed is no more than arrivals.steps[0].duration_s, {} s",
                first.duration_s
            ),
        )),
        _ => Ok(()),
    }
}

fn check_rate(key: &str, rate: f64) -> Result<(), LoadError> {
    if (LEAST_RATE..=MOST_RATE).contains(&rate) {
        return Ok(());
    }
    let problem =
        format!("{rate:?}; allowed is {LEAST_RATE} to {MOST_RATE} requests a second, such as 100");
    Err(LoadError::spec(key, problem))
}

/// When a load or its warm-up ends.
pub(super) fn bound(key: &str, amount: Amount) -> Result<Bound, LoadError> {
    match amount {
        Amount::Requests(0) => Err(LoadError::spec(
            format!("{key}.requests"),
            "0; allowed is 1 or more",
        )),
        Amount::Requests(requests) => Ok(Bound::Requests(requests)),
        Amount::Duration(duration) => Ok(Bound::For(positive(
            &format!("{key}.duration_s"),
            duration,
        )?)),
    }
}

/// A time above 0, in seconds.
pub(super) fn positive(key: &str, value: f64) -> Result<Duration, LoadError> {
    if value > 0.0 {
        seconds(key, value)
    } else {
        Err(LoadError::spec(
            key,
            format!("{value}; allowed is above 0, to {LONGEST} s"),
        ))
    }
}

/// The time between two lines of progress, in seconds.
pub(super) fn interval_of(key: &str, value: f64) -> Result<Duration, LoadError> {
    if value >= 0.01 {
        seconds(key, value)
    } else {
        Err(LoadError::spec(
            key,
            format!("{value}; allowed is 0.01 to {LONGEST} s"),
        ))
    }
}

/// A time from 0, in seconds.
pub(super) fn seconds(key: &str, value: f64) -> Result<Duration, LoadError> {
    if (0.0..=LONGEST).contains(&value) {
        Ok(Duration::from_secs_f64(value))
    } else {
        Err(LoadError::spec(
            key,
            format!("{value}; allowed is 0 to {LONGEST} s"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{RateStep, Spacing};

    fn refused(steps: &[(f64, f64)], rate_per_s: f64, ramp_s: f64) -> String {
        let steps = steps.iter().map(|&(rate_per_s, duration_s)| RateStep {
            rate_per_s,
            duration_s,
        });
        let arrivals = ArrivalSpec {
            rate_per_s,
            steps: steps.collect(),
            distribution: Spacing::Constant,
            seed: 0,
        };
        check_arrivals(&arrivals, ramp_s).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn a_wrong_step_is_told_of_by_its_place() {
        let rates = "; allowed is 0.000001 to 10000000 requests a second, such as 100";
        let fine = (10.0, 2.0);
        for (steps, rate, ramp, said) in [
            (&[fine][..], 1e-6, 2.0, String::new()),
            (
                &[fine, (0.0, 1.0)],
                5.0,
                0.0,
                format!("arrivals.steps[1].rate_per_s: 0.0{rates}"),
            ),
            (
                &[(1e-300, 1.0)],
                5.0,
                0.0,
                format!("arrivals.steps[0].rate_per_s: 1e-300{rates}"),
            ),
            (
                &[fine],
                f64::NAN,
                0.0,
                format!("arrivals.rate_per_s: NaN{rates}"),
            ),
            (
                &[fine, (1.0, 0.0)],
                5.0,
                0.0,
                "arrivals.steps[1].duration_s: 0; allowed is above 0, to 86400 s".to_owned(),
            ),
            (
                &[fine],
                5.0,
                3.0,
                "ramp_s: 3; allowed is no more than arrivals.steps[0].duration_s, 2 s".to_owned(),
            ),
        ] {
            assert_eq!(refused(steps, rate, ramp), said);
        }
    }
}

//! Numbers of a specification, within their bounds.

use std::time::Duration;

use super::Bound;
use crate::error::LoadError;
use crate::spec::{Amount, Connect, LoadSpec};

/// The most of each thing that is counted.
const MOST_CONNECTIONS: u32 = 100_000;
const MOST_STREAMS: u32 = 65_536;
const MOST_THREADS: u32 = 1024;
const MOST_RATE: f64 = 1e7;
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
        let steps = arrivals.steps.iter().map(|step| step.rate_per_s);
        for rate in steps.chain([arrivals.rate_per_s]) {
            if !(rate > 0.0 && rate <= MOST_RATE) {
                return Err(LoadError::spec(
                    "arrivals.rate_per_s",
                    format!("{rate}; allowed is above 0, to {MOST_RATE} requests a second"),
                ));
            }
        }
        for step in &arrivals.steps {
            positive("arrivals.steps", step.duration_s)?;
        }
        let first = arrivals.steps.first();
        if let Some(first) = first.filter(|first| first.duration_s < spec.ramp_s) {
            return Err(LoadError::spec(
                "ramp_s",
                format!(
                    "{}; allowed is no more than the first step's {} s",
                    spec.ramp_s, first.duration_s
                ),
            ));
        }
    }
    if spec.targets.is_empty() {
        return Err(LoadError::spec("targets", "there is none; one at least"));
    }
    Ok(())
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

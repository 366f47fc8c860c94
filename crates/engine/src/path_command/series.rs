//! The path over time: its counters, sampled while the command runs.

use std::io;
use std::time::{Duration, Instant};

use pronghorn_bench::{Bench, LinkReport, Process};
use schemars::JsonSchema;
use serde::Serialize;

/// More samples than these are thinned to half, and taken half as often.
const MOST_SAMPLES: usize = 4096;

/// Counters at points in time, from the command's start to its end.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "PathSeries")]
pub(crate) struct Series {
    /// Seconds between two samples, except before the last.
    interval_s: f64,
    /// In the order of their times.
    samples: Vec<Sample>,
}

/// The counters at one time, since the path was opened.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "PathSample")]
struct Sample {
    /// Since the command's start, in seconds.
    time_s: f64,
    /// The link from the server to the client.
    down: LinkSample,
    /// The link from the client to the server.
    up: LinkSample,
}

/// A link's counters, since the path was opened.
#[derive(Clone, Debug, JsonSchema, Serialize)]
struct LinkSample {
    /// Packets that left.
    packets_out: u64,
    /// Bytes of the packets that left.
    bytes_out: u64,
    /// Packets that ended in the link, whatever the cause.
    dropped: u64,
    /// The time that all packets which left spent at the bottleneck, in seconds.
    bottleneck_s: f64,
}

impl Series {
    /// Samples until `command` has ended; at once `None` where no interval is asked for.
    pub(crate) fn until_end_of(
        command: &Process,
        bench: &Bench,
        interval_s: Option<f64>,
    ) -> io::Result<Option<Series>> {
        let Some(asked) = interval_s else {
            return Ok(None);
        };
        let wrong = |error| io::Error::new(io::ErrorKind::InvalidInput, error);
        let mut interval = Duration::try_from_secs_f64(asked)
            .map_err(wrong)?
            .max(Duration::from_millis(1));
        let start = Instant::now();
        let mut samples = vec![sample(bench, start)];
        let mut next = start;
        loop {
            next += interval;
            let left = next.saturating_duration_since(Instant::now());
            let ended = command.wait(Some(left))?.is_some();
            samples.push(sample(bench, start));
            if ended {
                let interval_s = interval.as_secs_f64();
                return Ok(Some(Series {
                    interval_s,
                    samples,
                }));
            }
            if samples.len() > MOST_SAMPLES {
                samples = samples.into_iter().step_by(2).collect();
                interval *= 2;
            }
        }
    }
}

fn sample(bench: &Bench, start: Instant) -> Sample {
    let counters = bench.counters();
    Sample {
        time_s: start.elapsed().as_secs_f64(),
        down: LinkSample::of(&counters.down),
        up: LinkSample::of(&counters.up),
    }
}

impl LinkSample {
    fn of(link: &LinkReport) -> LinkSample {
        LinkSample {
            packets_out: link.counters.packets_out,
            bytes_out: link.counters.bytes_out,
            dropped: link.counters.dropped(),
            bottleneck_s: link.bottleneck_s,
        }
    }
}

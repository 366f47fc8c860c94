//! The CPU time that a thread used, and the times for which it was ready to run and had none.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pronghorn_bench::in_guest;
use pronghorn_flight::monotonic_s;
use pronghorn_waits::{Account, Log, Times, Wait, critical_ns};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::runtime::{Builder, Runtime};

/// CPU time of a thread (`schedstat` of proc(5)), and what its waits for a CPU can have done to a load.
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
pub(crate) struct Cpu {
    /// Seconds on a CPU.
    pub(crate) used_s: f64,
    /// Seconds on a run queue, waiting for a CPU: all waits together.
    pub(crate) waited_s: f64,
    /// The most of `waited_s` by which the load can have been delayed: the largest sum over waits of which each came a round
    /// trip of the path after the one before, or followed it without a rest. Of the load's own time alone.
    pub(crate) critical_s: f64,
    /// The longest wait of the load's own time, in seconds.
    pub(crate) longest_s: f64,
    /// When it ended, in seconds from the start of the navigation. Null without any wait.
    pub(crate) longest_at_s: Option<f64>,
}

/// A thread with an event loop whose waits for a CPU are kept one by one.
#[derive(Clone)]
pub(crate) struct Watched(Arc<Watch>);

struct Watch {
    account: Account,
    /// Where the log's clock begins.
    epoch: Instant,
    log: Mutex<Log>,
}

/// A load's own time, and the round trip of its path.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    /// In seconds of CLOCK_MONOTONIC.
    pub(crate) start_s: f64,
    /// How long it lasted. None: until now.
    pub(crate) lasted_s: Option<f64>,
    /// The shortest time in which something crosses the path and something else comes back. Zero without a path.
    pub(crate) round_trip: Duration,
}

impl Watched {
    /// The calling thread.
    pub(crate) fn current() -> Watched {
        // A guest's threads share one CPU whose work takes no time, and each look at the clock would.
        let account = match in_guest() {
            true => Account::default(),
            false => Account::of_this_thread(),
        };
        let waited_ns = account.read().map_or(0, |times| times.waited_ns);
        Watched(Arc::new(Watch {
            account,
            epoch: Instant::now(),
            log: Mutex::new(Log::new(0, waited_ns)),
        }))
    }

    /// A runtime for this thread, which notes each wait.
    pub(crate) fn runtime(&self) -> io::Result<Runtime> {
        let mut builder = Builder::new_current_thread();
        builder.enable_all();
        if self.times().is_some() {
            let (sleeping, waking) = (self.clone(), self.clone());
            builder.on_thread_park(move || sleeping.sleeps());
            builder.on_thread_unpark(move || waking.woke());
        }
        builder.build()
    }

    /// What it has used and waited for so far; its waits are kept from now on. None where the kernel keeps no account.
    pub(crate) fn begin(&self) -> Option<Times> {
        self.log(|log| drop(log.drain()));
        self.times()
    }

    /// What came since it began, and what the waits within the load's time can have done. None as `begin`.
    pub(crate) fn since(&self, earlier: Option<Times>, span: Span) -> Option<Cpu> {
        let (waits, more_ns) = self.log(Log::drain);
        let (earlier, now) = (earlier?, self.times()?);
        let start_s = span.start_s - monotonic_s(self.0.epoch);
        let end_s = span
            .lasted_s
            .map_or(f64::INFINITY, |lasted| start_s + lasted);
        let within = within(&waits, start_s..end_s);
        let longest = within.iter().max_by_key(|wait| wait.waited_ns);
        let round_trip_ns = u64::try_from(span.round_trip.as_nanos()).unwrap_or(u64::MAX);
        Some(Cpu {
            used_s: seconds(now.used_ns.saturating_sub(earlier.used_ns)),
            waited_s: seconds(now.waited_ns.saturating_sub(earlier.waited_ns)),
            critical_s: seconds(critical_ns(within, round_trip_ns) + more_ns),
            longest_s: longest.map_or(0.0, |wait| seconds(wait.waited_ns)),
            longest_at_s: longest.map(|wait| (seconds(wait.end_ns) - start_s).max(0.0)),
        })
    }

    /// Seconds on a CPU since it began. None as `begin`.
    pub(crate) fn used_s(&self) -> Option<f64> {
        self.times().map(|times| seconds(times.used_ns))
    }

    /// To be called at the end of what it does, which isn't followed by a sleep.
    pub(crate) fn sleeps(&self) {
        let now_ns = self.now_ns();
        self.log(|log| log.sleeps(now_ns, || Some(self.times()?.waited_ns)));
    }

    fn woke(&self) {
        let now_ns = self.now_ns();
        self.log(|log| log.woke(now_ns, || Some(self.times()?.waited_ns)));
    }

    fn times(&self) -> Option<Times> {
        self.0.account.read()
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.0.epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn log<T>(&self, work: impl FnOnce(&mut Log) -> T) -> T {
        work(&mut self.0.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Those of the waits, which are in order, that were not over before the time nor began after it.
fn within(waits: &[Wait], time_s: Range<f64>) -> &[Wait] {
    let from = waits.partition_point(|wait| seconds(wait.end_ns) <= time_s.start);
    let to = waits.partition_point(|wait| seconds(wait.begin_ns) < time_s.end);
    waits.get(from..to).unwrap_or_default()
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_before_the_load_or_began_after_it_is_not_its_own() {
        let waits: Vec<Wait> = (1..=9)
            .map(|second| Wait {
                begin_ns: second * 1_000_000_000 - 500_000_000,
                end_ns: second * 1_000_000_000,
                waited_ns: 500_000_000,
                rested: true,
            })
            .collect();
        let ends = |time_s| -> Vec<u64> {
            let found = within(&waits, time_s).iter();
            found.map(|wait| wait.end_ns / 1_000_000_000).collect()
        };
        assert_eq!(ends(3.0..5.6), vec![4, 5, 6]);
        assert_eq!(ends(8.7..f64::INFINITY), vec![9]);
        assert!(ends(20.0..30.0).is_empty());
        assert!(ends(5.1..5.2).is_empty());
    }
}

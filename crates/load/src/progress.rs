//! How a load goes, interval by interval.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use crate::latencies::Latencies;
use crate::report::Progress;

/// One worker's interval.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    worker: usize,
    /// The worker has ended.
    last: bool,
    /// Its end and length.
    elapsed: Duration,
    length: Duration,
    sent: u64,
    succeeded: u64,
    failed: u64,
    in_flight: u64,
    connected: u64,
    /// Bytes of responses' content in the interval.
    payload: u64,
    /// Of the interval's successes.
    latencies: Latencies,
}

/// How a worker stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Standing {
    pub(crate) in_flight: u64,
    pub(crate) connected: u64,
    /// Bytes of responses' content so far.
    pub(crate) payload: u64,
}

/// Where a worker's snapshots go, and how often they are taken.
#[derive(Debug, Clone)]
pub(crate) struct Snapshots {
    pub(crate) worker: usize,
    pub(crate) interval: Duration,
    pub(crate) to: Sender<Snapshot>,
}

/// Takes one worker's snapshots.
#[derive(Debug)]
pub(crate) struct Reporter {
    snapshots: Snapshots,
    start: Option<Instant>,
    tick: u64,
    pub(crate) sent: u64,
    all_succeeded: u64,
    pub(crate) failed: u64,
    /// Bytes of responses' content before the interval.
    payload: u64,
    latencies: Latencies,
}

impl Reporter {
    pub(crate) fn new(snapshots: Snapshots) -> Reporter {
        Reporter {
            snapshots,
            start: None,
            tick: 0,
            sent: 0,
            all_succeeded: 0,
            failed: 0,
            payload: 0,
            latencies: Latencies::default(),
        }
    }

    /// The load begins.
    pub(crate) fn start(&mut self, start: Instant) {
        self.start = Some(start);
    }

    pub(crate) fn succeeded(&mut self, total: Duration) {
        self.all_succeeded += 1;
        self.latencies.record(total);
    }

    /// When the interval ends.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        Some(self.start? + self.interval_end())
    }

    fn interval_end(&self) -> Duration {
        self.snapshots.interval.mul_f64((self.tick + 1) as f64)
    }

    /// Takes a snapshot of each interval that is over.
    pub(crate) fn tick(&mut self, now: Instant, standing: Standing) {
        while self.deadline().is_some_and(|deadline| deadline <= now) {
            let elapsed = self.interval_end();
            let length = self.snapshots.interval;
            self.take(elapsed, length, standing, false);
            self.tick += 1;
        }
    }

    /// Takes the last snapshot, of an interval that was cut short.
    pub(crate) fn finish(mut self, now: Instant, standing: Standing) {
        self.tick(now, standing);
        let Some(start) = self.start else {
            return;
        };
        let elapsed = now.saturating_duration_since(start);
        let before = self.snapshots.interval.mul_f64(self.tick as f64);
        let length = elapsed.saturating_sub(before);
        self.take(elapsed, length, standing, true);
    }

    fn take(&mut self, elapsed: Duration, length: Duration, standing: Standing, last: bool) {
        let snapshot = Snapshot {
            worker: self.snapshots.worker,
            last,
            elapsed,
            length,
            sent: self.sent,
            succeeded: self.all_succeeded,
            failed: self.failed,
            in_flight: standing.in_flight,
            connected: standing.connected,
            payload: standing.payload.saturating_sub(self.payload),
            latencies: self.latencies.clone(),
        };
        self.payload = standing.payload;
        self.latencies.clear();
        // Whoever listened may have gone.
        let _ = self.snapshots.to.send(snapshot);
    }
}

/// One interval of all workers.
pub(crate) struct Interval {
    pub(crate) progress: Progress,
    /// Its beginning since the start, and its length.
    pub(crate) began: Duration,
    pub(crate) length: Duration,
    pub(crate) latencies: Latencies,
}

/// Puts the workers' snapshots together; `tell` is told of each interval once all that still run have taken it. Ends with the
/// last worker.
pub(crate) fn merge(workers: usize, from: &Receiver<Snapshot>, mut tell: impl FnMut(&Interval)) {
    let mut merger = Merger {
        waiting: (0..workers).map(|_| VecDeque::new()).collect(),
        last: vec![None; workers],
    };
    while let Ok(snapshot) = from.recv() {
        merger.waiting[snapshot.worker].push_back(snapshot);
        while let Some(interval) = merger.next() {
            tell(&interval);
        }
    }
}

/// Snapshots that wait for the other workers'.
struct Merger {
    waiting: Vec<VecDeque<Snapshot>>,
    /// What each worker said last in an interval that was told.
    last: Vec<Option<Snapshot>>,
}

impl Merger {
    /// The next interval, once there is a snapshot of each worker that hasn't ended before it.
    fn next(&mut self) -> Option<Interval> {
        let mut any = false;
        for (waiting, last) in self.waiting.iter().zip(&self.last) {
            let has_ended = last.as_ref().is_some_and(|last| last.last);
            if waiting.is_empty() && !has_ended {
                return None;
            }
            any |= !waiting.is_empty();
        }
        if !any {
            return None;
        }
        let mut fresh = Vec::new();
        for (waiting, last) in self.waiting.iter_mut().zip(&mut self.last) {
            if let Some(snapshot) = waiting.pop_front() {
                fresh.push(snapshot.clone());
                *last = Some(snapshot);
            }
        }
        let all: Vec<&Snapshot> = self.last.iter().flatten().collect();
        together(&fresh, &all)
    }
}

/// `fresh` are the interval's, `all` the last ones of each worker.
fn together(fresh: &[Snapshot], all: &[&Snapshot]) -> Option<Interval> {
    let longest = fresh.iter().max_by_key(|snapshot| snapshot.elapsed)?;
    let mut latencies = Latencies::default();
    for snapshot in fresh {
        latencies.add(&snapshot.latencies);
    }
    let sum = |count: fn(&Snapshot) -> u64| all.iter().map(|one| count(one)).sum::<u64>();
    let seconds = longest.length.as_secs_f64();
    let rate = |count: u64| {
        if seconds > 0.0 {
            count as f64 / seconds
        } else {
            0.0
        }
    };
    let successes = latencies.count();
    Some(Interval {
        progress: Progress {
            elapsed_s: longest.elapsed.as_secs_f64(),
            sent: sum(|snapshot| snapshot.sent),
            succeeded: sum(|snapshot| snapshot.succeeded),
            failed: sum(|snapshot| snapshot.failed),
            requests_per_second: rate(successes),
            payload_per_second: rate(fresh.iter().map(|one| one.payload).sum()),
            p50_s: latencies.quantile(0.5),
            p99_s: latencies.quantile(0.99),
            in_flight: sum(|snapshot| snapshot.in_flight),
            connected: sum(|snapshot| snapshot.connected),
        },
        began: longest.elapsed.saturating_sub(longest.length),
        length: longest.length,
        latencies,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_worker_that_ends_early_is_counted_to_the_end() {
        let (to, from) = mpsc::channel();
        let interval = Duration::from_secs(1);
        let start = Instant::now();
        for (worker, ends) in [(0, 1.5), (1, 3.5)] {
            let to = to.clone();
            let mut reporter = Reporter::new(Snapshots {
                worker,
                interval,
                to,
            });
            reporter.start(start);
            reporter.sent = 10;
            reporter.succeeded(Duration::from_millis(5));
            let standing = Standing {
                payload: 3000,
                ..Standing::default()
            };
            reporter.finish(start + Duration::from_secs_f64(ends), standing);
        }
        drop(to);
        let mut told = Vec::new();
        merge(2, &from, |interval| told.push(interval.progress));
        let elapsed: Vec<f64> = told.iter().map(|progress| progress.elapsed_s).collect();
        assert_eq!(elapsed, [1.0, 2.0, 3.0, 3.5]);
        assert!(
            told.iter()
                .all(|progress| (progress.sent, progress.succeeded) == (20, 2))
        );
        assert_eq!(told[0].requests_per_second, 2.0);
        let payload: Vec<f64> = told.iter().map(|told| told.payload_per_second).collect();
        assert_eq!(payload, [6000.0, 0.0, 0.0, 0.0]);
    }
}

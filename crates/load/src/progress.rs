//! How a load goes, interval by interval.

use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use crate::latencies::Latencies;
use crate::report::Progress;

/// One worker's interval.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The interval's number, from 0.
    tick: u64,
    /// Its end and length.
    elapsed: Duration,
    length: Duration,
    sent: u64,
    succeeded: u64,
    failed: u64,
    in_flight: u64,
    connected: u64,
    /// Of the interval's successes.
    latencies: Latencies,
}

/// Where a worker's snapshots go, and how often they are taken.
#[derive(Debug, Clone)]
pub(crate) struct Snapshots {
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
    pub(crate) fn tick(&mut self, now: Instant, in_flight: usize, connected: u64) {
        while self.deadline().is_some_and(|deadline| deadline <= now) {
            let elapsed = self.interval_end();
            self.take(elapsed, self.snapshots.interval, in_flight, connected);
            self.tick += 1;
        }
    }

    /// Takes the last snapshot, of an interval that was cut short.
    pub(crate) fn finish(mut self, now: Instant, in_flight: usize, connected: u64) {
        self.tick(now, in_flight, connected);
        let Some(start) = self.start else {
            return;
        };
        let elapsed = now.saturating_duration_since(start);
        let before = self.snapshots.interval.mul_f64(self.tick as f64);
        let length = elapsed.saturating_sub(before);
        self.take(elapsed, length, in_flight, connected);
    }

    fn take(&mut self, elapsed: Duration, length: Duration, in_flight: usize, connected: u64) {
        let snapshot = Snapshot {
            tick: self.tick,
            elapsed,
            length,
            sent: self.sent,
            succeeded: self.all_succeeded,
            failed: self.failed,
            in_flight: in_flight as u64,
            connected,
            latencies: self.latencies.clone(),
        };
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

/// Puts the workers' snapshots together; `tell` is told of each interval once all have taken it. Ends with the last worker.
pub(crate) fn merge(workers: u32, from: &Receiver<Snapshot>, mut tell: impl FnMut(&Interval)) {
    let mut waiting: Vec<Vec<Snapshot>> = Vec::new();
    let mut first = 0;
    while let Ok(snapshot) = from.recv() {
        let Ok(place) = usize::try_from(snapshot.tick.saturating_sub(first)) else {
            continue;
        };
        if waiting.len() <= place {
            waiting.resize_with(place + 1, Vec::new);
        }
        waiting[place].push(snapshot);
        while waiting
            .first()
            .is_some_and(|tick| tick.len() == workers as usize)
        {
            if let Some(interval) = together(&waiting.remove(0)) {
                tell(&interval);
            }
            first += 1;
        }
    }
    // Workers end within different intervals; the earlier ones' last snapshot is then their last word.
    if let Some(interval) = waiting.iter().rev().find_map(|tick| together(tick)) {
        tell(&interval);
    }
}

fn together(snapshots: &[Snapshot]) -> Option<Interval> {
    let longest = snapshots.iter().max_by_key(|snapshot| snapshot.elapsed)?;
    let mut latencies = Latencies::default();
    for snapshot in snapshots {
        latencies.add(&snapshot.latencies);
    }
    let sum = |count: fn(&Snapshot) -> u64| snapshots.iter().map(count).sum::<u64>();
    let seconds = longest.length.as_secs_f64();
    let successes = latencies.histogram().len() as f64;
    Some(Interval {
        progress: Progress {
            elapsed_s: longest.elapsed.as_secs_f64(),
            sent: sum(|snapshot| snapshot.sent),
            succeeded: sum(|snapshot| snapshot.succeeded),
            failed: sum(|snapshot| snapshot.failed),
            requests_per_second: if seconds > 0.0 {
                successes / seconds
            } else {
                0.0
            },
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

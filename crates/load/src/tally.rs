//! What one worker counts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use pronghorn_flight::monotonic_s;

use crate::connection::{ConnectionFailure, ConnectionFailureKind, FailureKind, Traffic};
use crate::latencies::Latencies;
use crate::report::{FailedKind, Failure, FailureTime};

/// Failures that are kept in words.
const TOLD: usize = 10;
/// The resolution of the times of failures, in milliseconds.
const STEP_MS: u64 = 1;
/// The most steps in which a worker notes failures.
const STEPS: usize = 10_000;
/// Statuses have three digits.
const STATUSES: usize = 1000;

/// Counts of a worker, or of all of them.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) planned: u64,
    pub(crate) sent: u64,
    pub(crate) retried: u64,
    pub(crate) succeeded: u64,
    pub(crate) failed: BTreeMap<FailureKind, u64>,
    statuses: Vec<u64>,
    pub(crate) warm_up: u64,

    pub(crate) attempted: u64,
    pub(crate) established: u64,
    pub(crate) connections_failed: BTreeMap<ConnectionFailureKind, u64>,
    pub(crate) resumed: u64,
    pub(crate) early_data_accepted: u64,
    pub(crate) closed_by_peer: u64,
    /// The most requests that were under way on a connection, after its first answer.
    pub(crate) under_way: usize,
    /// The fewest at a time that the server allowed on one.
    pub(crate) allowed: Option<u64>,

    pub(crate) headers: u64,
    /// Content of requests that succeeded within the window.
    pub(crate) uploaded: u64,
    /// How long this thread had stood still, with no word of it to anybody.
    pub(crate) stood_still: Duration,
    /// Successes within the window, whenever they were begun.
    pub(crate) in_window: u64,
    /// Since the window began, at the end and when the window was over.
    pub(crate) traffic: Traffic,
    pub(crate) traffic_in_window: Traffic,

    pub(crate) connect: Latencies,
    pub(crate) first_byte: Latencies,
    pub(crate) total: Latencies,
    pub(crate) lag: Latencies,

    pub(crate) failures: Vec<Failure>,
    /// How many requests failed when, in steps of [`STEP_MS`], where the report tells that.
    failed_at: BTreeMap<(u64, FailureKind), u64>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            planned: 0,
            sent: 0,
            retried: 0,
            succeeded: 0,
            failed: BTreeMap::new(),
            statuses: vec![0; STATUSES],
            warm_up: 0,
            attempted: 0,
            established: 0,
            connections_failed: BTreeMap::new(),
            resumed: 0,
            early_data_accepted: 0,
            closed_by_peer: 0,
            under_way: 0,
            allowed: None,
            headers: 0,
            uploaded: 0,
            stood_still: Duration::ZERO,
            in_window: 0,
            traffic: Traffic::default(),
            traffic_in_window: Traffic::default(),
            connect: Latencies::default(),
            first_byte: Latencies::default(),
            total: Latencies::default(),
            lag: Latencies::default(),
            failures: Vec::new(),
            failed_at: BTreeMap::new(),
        }
    }
}

impl Tally {
    /// A measured response that came whole.
    pub(crate) fn answered(&mut self, status: u16, header_bytes: u64) {
        if let Some(count) = self.statuses.get_mut(usize::from(status)) {
            *count += 1;
        }
        self.headers += header_bytes;
    }

    /// A measured request that succeeded.
    pub(crate) fn succeeded(&mut self, first_byte: Duration, total: Duration) {
        self.succeeded += 1;
        self.first_byte.record(first_byte);
        self.total.record(total);
    }

    /// A measured request that failed.
    pub(crate) fn failed(&mut self, kind: FailureKind, detail: impl Into<String>) {
        *self.failed.entry(kind).or_default() += 1;
        if self.failures.len() < TOLD {
            self.failures.push(Failure {
                kind: FailedKind::Request(kind),
                detail: detail.into(),
            });
        }
    }

    /// When a measured request failed.
    pub(crate) fn failed_at(&mut self, kind: FailureKind, now: Instant) {
        let step = (monotonic_s(now) * 1e3) as u64 / STEP_MS;
        if self.failed_at.len() < STEPS || self.failed_at.contains_key(&(step, kind)) {
            *self.failed_at.entry((step, kind)).or_default() += 1;
        }
    }

    /// When requests failed.
    pub(crate) fn failure_times(&self) -> Vec<FailureTime> {
        let told = self
            .failed_at
            .iter()
            .map(|((step, kind), requests)| FailureTime {
                monotonic_s: (step * STEP_MS) as f64 / 1e3,
                kind: *kind,
                requests: *requests,
            });
        told.collect()
    }

    /// A connection that couldn't be made, or was lost.
    pub(crate) fn connection_failed(&mut self, failure: &ConnectionFailure) {
        *self.connections_failed.entry(failure.kind).or_default() += 1;
        if self.failures.len() < TOLD {
            self.failures.push(Failure {
                kind: FailedKind::Connection(failure.kind),
                detail: failure.detail.to_string(),
            });
        }
    }

    /// What the server allowed on a connection.
    pub(crate) fn allowed(&mut self, allowed: Option<u64>) {
        self.allowed = match (self.allowed, allowed) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    /// Statuses that came.
    pub(crate) fn statuses(&self) -> BTreeMap<u16, u64> {
        (0..)
            .zip(&self.statuses)
            .filter(|(_, count)| **count > 0)
            .map(|(status, count)| (status, *count))
            .collect()
    }

    /// Takes another worker's counts in.
    pub(crate) fn add(&mut self, other: &Tally) {
        self.planned += other.planned;
        self.sent += other.sent;
        self.retried += other.retried;
        self.succeeded += other.succeeded;
        add_kinds(&mut self.failed, &other.failed);
        add_kinds(&mut self.failed_at, &other.failed_at);
        for (mine, theirs) in self.statuses.iter_mut().zip(&other.statuses) {
            *mine += theirs;
        }
        self.warm_up += other.warm_up;
        self.attempted += other.attempted;
        self.established += other.established;
        add_kinds(&mut self.connections_failed, &other.connections_failed);
        self.resumed += other.resumed;
        self.early_data_accepted += other.early_data_accepted;
        self.closed_by_peer += other.closed_by_peer;
        self.under_way = self.under_way.max(other.under_way);
        self.allowed(other.allowed);
        self.headers += other.headers;
        self.uploaded += other.uploaded;
        self.stood_still = self.stood_still.max(other.stood_still);
        self.in_window += other.in_window;
        self.traffic += other.traffic;
        self.traffic_in_window += other.traffic_in_window;
        self.connect.add(&other.connect);
        self.first_byte.add(&other.first_byte);
        self.total.add(&other.total);
        self.lag.add(&other.lag);
        let room = TOLD.saturating_sub(self.failures.len());
        self.failures
            .extend(other.failures.iter().take(room).cloned());
    }
}

fn add_kinds<K: Ord + Copy>(mine: &mut BTreeMap<K, u64>, theirs: &BTreeMap<K, u64>) {
    for (kind, count) in theirs {
        *mine.entry(*kind).or_default() += count;
    }
}

//! A load over its threads: from the plan to the report.

use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use pronghorn_flight::monotonic_s;
use pronghorn_http::{Protocol, QUIC_STACK};
use pronghorn_waits::critical_ns;

use crate::endpoint::Place;
use crate::error::LoadError;
use crate::histogram_log::HistogramLog;
use crate::plan::Plan;
use crate::progress::{Interval, Snapshot, Snapshots, merge};
use crate::report::{
    ByteRates, Bytes, ConnectionCounts, CpuTime, LatencyTable, LoadReport, Progress, RequestCounts,
    Spread, Tls,
};
use crate::server_drops::server_drops;
use crate::shared::{Shared, lock};
use crate::spec::{LoadSpec, Session};
use crate::tally::Tally;
use crate::thread_cpu::max_rss_bytes;
use crate::worker::{Outcome, Part, Worker};

/// How often a histogram log has an interval, where nobody asked for progress.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// A load that is ready to begin, or runs.
pub struct Load {
    plan: Arc<Plan>,
    shared: Arc<Shared>,
    workers: Vec<Worker>,
    round_trip: Option<Duration>,
    snapshots: Option<(mpsc::Receiver<Snapshot>, Option<HistogramLog>)>,
}

/// Ends a load early.
#[derive(Debug, Clone)]
pub struct Stop(Arc<Shared>);

impl Stop {
    /// Cuts it now: what is in flight fails as `cut`, and the report tells what was.
    pub fn now(&self) {
        self.0.end();
    }
}

impl Load {
    /// Prepares a load. To be called in a thread of the host that loads, as [`Load::run`] is: there the name is looked up,
    /// and the sockets are made.
    ///
    /// # Errors
    /// What the specification or the host can't.
    pub fn new(spec: &LoadSpec) -> Result<Load, LoadError> {
        let plan = Arc::new(Plan::new(spec)?);
        let shared = Arc::new(Shared::new(plan.threads));
        let log = plan
            .histogram_log
            .as_deref()
            .map(HistogramLog::create)
            .transpose()?;
        let interval = plan.progress.or(log.is_some().then_some(LOG_INTERVAL));
        let (to, snapshots) = mpsc::channel();
        let snapshots_of = |index: u32| {
            interval.map(|interval| Snapshots {
                worker: index as usize,
                interval,
                to: to.clone(),
            })
        };
        let workers = (0..plan.threads)
            .map(|index| Worker::new(&plan, &shared, index, snapshots_of(index)))
            .collect::<Result<_, _>>()?;
        Ok(Load {
            plan,
            shared,
            workers,
            round_trip: None,
            snapshots: interval.map(|_| (snapshots, log)),
        })
    }

    /// Says what the path's least round trip is, so that the report tells what waits for a CPU can have delayed
    /// ([`CpuTime::critical`]).
    #[must_use]
    pub fn across(mut self, round_trip: Duration) -> Load {
        self.workers.iter_mut().for_each(Worker::watch);
        self.round_trip = Some(round_trip);
        self
    }

    /// What ends it early.
    #[must_use]
    pub fn stop(&self) -> Stop {
        Stop(self.shared.clone())
    }

    /// Runs it to its end, on threads of its own; `tell` hears of its progress where the specification asks for that.
    ///
    /// # Errors
    /// Sessions that weren't to be had, a log that can't be written, or what the operating system denies.
    pub fn run(self, mut tell: impl FnMut(&Progress)) -> Result<LoadReport, LoadError> {
        let Load {
            plan,
            shared,
            workers,
            round_trip,
            snapshots,
        } = self;
        let drops = || match plan.endpoint.place {
            Place::Internet(server) if plan.endpoint.protocol == Protocol::H3 => {
                server_drops(server)
            }
            _ => None,
        };
        let dropped = drops();
        let threads = start(workers, &shared)?;
        let mut logged = Ok(());
        if let Some((snapshots, mut log)) = snapshots {
            let tells = plan.progress.is_some();
            merge(plan.threads as usize, &snapshots, |interval: &Interval| {
                if tells {
                    tell(&interval.progress);
                }
                if let (Some(log), Ok(())) = (&mut log, &logged) {
                    logged = log.write(interval);
                }
            });
        }
        let mut outcomes = Vec::new();
        for thread in threads {
            let outcome = thread.join().map_err(|_| LoadError::Panicked)?;
            outcomes.push(outcome.map_err(LoadError::system("an event loop"))?);
        }
        logged?;
        if let Some(error) = lock(&shared.broken).take() {
            return Err(LoadError::system("the list of targets")(error));
        }
        check_sessions(&plan, &shared)?;
        let critical = round_trip.and_then(|round_trip| critical_s(&outcomes, round_trip));
        let mut report = report(&plan, outcomes);
        report.cpu_s.critical = critical;
        let dropped_later = drops();
        report.server_drops = dropped_later.map(|now| now.saturating_sub(dropped.unwrap_or(0)));
        Ok(report)
    }
}

fn start(
    workers: Vec<Worker>,
    shared: &Shared,
) -> Result<Vec<JoinHandle<std::io::Result<Outcome>>>, LoadError> {
    let mut threads = Vec::new();
    for (number, worker) in workers.into_iter().enumerate() {
        let thread = Builder::new().name(format!("load-{number}"));
        match thread.spawn(move || worker.run()) {
            Ok(thread) => threads.push(thread),
            Err(source) => {
                shared.end();
                for thread in threads {
                    let _ = thread.join();
                }
                return Err(LoadError::system("a thread")(source));
            }
        }
    }
    Ok(threads)
}

/// What was to be resumed has to be there.
fn check_sessions(plan: &Plan, shared: &Shared) -> Result<(), LoadError> {
    let gained = shared.gained.load(Ordering::Relaxed);
    let asked = match plan.session {
        Session::Cold => return Ok(()),
        Session::Resumed => "resumed",
        Session::ZeroRtt => "0rtt",
    };
    if gained > 0 || shared.is_over() {
        return Ok(());
    }
    let why = lock(&shared.not_gained).clone();
    Err(LoadError::NoSession {
        asked,
        gained,
        slots: plan.connections,
        why: why.unwrap_or_default(),
    })
}

/// Of the thread of which it is most, in seconds; none where the kernel doesn't tell.
fn critical_s(outcomes: &[Outcome], round_trip: Duration) -> Option<f64> {
    let round_trip_ns = u64::try_from(round_trip.as_nanos()).unwrap_or(u64::MAX);
    let all = outcomes.iter().filter_map(|outcome| outcome.waits.as_ref());
    let most = all.map(|(waits, more_ns)| critical_ns(waits, round_trip_ns) + more_ns);
    most.max().map(|nanoseconds| nanoseconds as f64 * 1e-9)
}

fn report(plan: &Plan, outcomes: Vec<Outcome>) -> LoadReport {
    let mut tally = Tally::default();
    let mut window: Option<(Instant, Instant)> = None;
    let mut cpu = CpuTime::default();
    let mut finished = true;
    let mut per_slot = Vec::new();
    let mut facts = None;
    for outcome in outcomes {
        tally.add(&outcome.tally);
        cpu.user += outcome.cpu.user;
        cpu.system += outcome.cpu.system;
        cpu.waited += outcome.cpu.waited;
        finished &= !outcome.cut;
        per_slot.extend(outcome.per_slot);
        facts = facts.or(outcome.facts);
        window = match (window, outcome.window) {
            (Some((begin, end)), Some((its_begin, its_end))) => {
                Some((begin.min(its_begin), end.max(its_end)))
            }
            (one, other) => one.or(other),
        };
    }
    let window_s = window.map_or(0.0, |(begin, end)| (end - begin).as_secs_f64());
    let rate = |count: u64| {
        if window_s > 0.0 {
            count as f64 / window_s
        } else {
            0.0
        }
    };
    let rate_of = |part: &Part| match part.took.filter(|took| !took.is_zero()) {
        Some(took) => part.succeeded as f64 / took.as_secs_f64(),
        None => rate(part.succeeded),
    };
    let facts = facts.unwrap_or_default();
    LoadReport {
        requests: RequestCounts {
            planned: tally.planned,
            sent: tally.sent,
            unsent: tally.planned.saturating_sub(tally.sent),
            retried: tally.retried,
            succeeded: tally.succeeded,
            failed: tally.failed.clone(),
            statuses: tally.statuses(),
            warm_up: tally.warm_up,
        },
        connections: ConnectionCounts {
            attempted: tally.attempted,
            established: tally.established,
            failed: tally.connections_failed.clone(),
            resumed: tally.resumed,
            early_data_accepted: tally.early_data_accepted,
            closed_by_peer: tally.closed_by_peer,
            most_under_way: tally.under_way as u64,
            streams_allowed: tally.allowed,
            requests_per_second: Spread::of(per_slot.iter().map(rate_of).collect()),
        },
        window_s,
        requests_per_second: rate(tally.in_window),
        finished,
        bytes: Bytes {
            payload: tally.traffic.payload,
            uploaded: tally.uploaded,
            headers: tally.headers,
            wire_received: tally.traffic.received,
            wire_sent: tally.traffic.sent,
        },
        bytes_per_second: ByteRates {
            payload: rate(tally.traffic_in_window.payload),
            uploaded: rate(tally.uploaded),
            wire_received: rate(tally.traffic_in_window.received),
            wire_sent: rate(tally.traffic_in_window.sent),
        },
        latency_seconds: LatencyTable {
            connect: tally.connect.distribution(),
            first_byte: tally.first_byte.distribution(),
            total: tally.total.distribution(),
            lag: tally.lag.distribution(),
        },
        cpu_s: cpu,
        stood_still_s: tally.stood_still.as_secs_f64(),
        server_drops: None,
        max_rss_bytes: max_rss_bytes(),
        congestion_controller: match facts.quic_congestion_control {
            Some(quic) => Some(quic.to_string()),
            None => facts.tcp_congestion_control,
        },
        settings: facts.settings,
        protocol: plan.endpoint.protocol,
        tls: facts.tls.map(|tls| Tls {
            version: tls.tls_version,
            cipher: tls.cipher,
        }),
        stack: match plan.endpoint.protocol {
            Protocol::H3 => QUIC_STACK,
            Protocol::H1 | Protocol::H2 => "linux",
        },
        failure_times: tally.failure_times(),
        failures: tally.failures,
        window_monotonic_s: window.map(|(begin, _)| monotonic_s(begin)),
    }
}

impl Spread {
    /// None of nothing.
    fn of(mut values: Vec<f64>) -> Option<Spread> {
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / count;
        let half = values.len() / 2;
        let median = if values.len() % 2 == 1 {
            values[half]
        } else {
            (values[half - 1] + values[half]) / 2.0
        };
        Some(Spread {
            min,
            mean,
            median,
            max,
            sd: variance.sqrt(),
        })
    }
}

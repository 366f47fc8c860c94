//! The recorder: samplers of any thread hand it what they read, and it tells all of it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::clock::monotonic_s;
use crate::sample::{Columns, Sample};
use crate::series::{MOST_SAMPLES, Series};

/// The host of an end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[schemars(rename = "FlightHost")]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The host that loads.
    Client,
    /// The host of the origin.
    Server,
}

/// What carries a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// The kernel's TCP.
    Tcp,
    /// Our QUIC stack.
    Quic,
}

/// A connection's end, as a sampler tells it from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Whose end.
    pub end: End,
    /// Of which transport.
    pub transport: Transport,
    /// A number that no other connection of this end and transport has, also after this one has ended.
    pub number: u64,
}

/// What was read of a connection's end in one look.
#[derive(Clone, Debug)]
pub struct Reading<'a> {
    /// This end's address.
    pub local: SocketAddr,
    /// The other end's.
    pub peer: SocketAddr,
    /// The program that implements the transport, as its makers name it.
    pub program: &'static str,
    /// The congestion control of this end's sending, by the stack's own name.
    pub congestion_controller: Option<&'a str>,
    /// Bytes of a full segment (TCP) or of the largest datagram's payload at this time (QUIC).
    pub mss: Option<u64>,
    /// How often the path was found to lose all large datagrams, since the connection's beginning.
    pub black_holes: Option<u64>,
    /// The figures that change.
    pub sample: Sample,
}

/// What the looking cost since the path began.
#[derive(Clone, Copy, Debug, Default, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "FlightCost")]
pub struct Cost {
    /// CPU time of all looking, in seconds.
    pub cpu_s: f64,
    /// How often each sampler looked, in all.
    pub ticks: u64,
    /// Looks that came more than an interval late, so that others were left out.
    pub late_ticks: u64,
}

/// All that was recorded.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Flight {
    /// Seconds of `CLOCK_MONOTONIC` at which `at_s` of all samples is 0.
    pub clock_base_monotonic_s: f64,
    /// Seconds between looks, as asked for.
    pub interval_s: f64,
    /// In the order of their first readings.
    pub connections: Vec<ConnectionFlight>,
    /// What it cost.
    pub cost: Cost,
}

/// What was recorded of one end of a connection.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ConnectionFlight {
    /// The host of this end.
    pub host: End,
    /// What carries the connection.
    pub transport: Transport,
    /// The program that implements the transport, as its makers name it.
    #[serde(skip)]
    pub program: &'static str,
    /// The congestion controller of this end, as read last. Null where the stack doesn't tell.
    pub congestion_controller: Option<String>,
    /// This end's address at first.
    pub local_address: String,
    /// This end's port at first.
    pub local_port: u16,
    /// The other end's address at first.
    pub peer_address: String,
    /// The other end's port at first.
    pub peer_port: u16,
    /// Bytes of TCP's full segment, or of QUIC's largest UDP payload, as read last. Null where the stack doesn't tell.
    pub mss: Option<u64>,
    /// What `mss` was over time: as read first, and each change since. At most 20 000.
    pub mss_changes: Vec<MssChange>,
    /// Black holes of the path's MTU (RFC 8899 §4.3) that the stack found. Null of TCP, whose kernel doesn't tell.
    pub black_holes: Option<u64>,
    /// Seconds between samples. It doubles where there were more than 20 000.
    pub interval_s: f64,
    /// What was seen over time, column by column.
    pub samples: Columns,
}

/// From when on a connection's largest segment or datagram has another size.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema, Serialize)]
pub struct MssChange {
    /// When that was read, in seconds since `clock_base_monotonic_s`.
    pub at_s: f64,
    /// As `mss` has it.
    pub bytes: u64,
}

/// An interval at which nobody can look.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("interval_s = {0}; allowed is 0.001 to 10")]
pub struct IntervalError(f64);

/// Takes readings from when it begins.
#[derive(Debug)]
pub struct Recorder {
    interval: Duration,
    recording: Mutex<Recording>,
}

#[derive(Debug, Default)]
struct Recording {
    /// None until it begins.
    began: Option<Instant>,
    tracks: Vec<Track>,
    /// Where in `tracks`.
    known: HashMap<Key, usize>,
    cost: Cost,
}

#[derive(Debug)]
struct Track {
    key: Key,
    local: SocketAddr,
    peer: SocketAddr,
    program: &'static str,
    congestion_controller: Option<String>,
    mss_changes: Vec<MssChange>,
    black_holes: Option<u64>,
    series: Series,
}

impl Recorder {
    /// One that has not begun yet, of looks every `interval_s` seconds.
    ///
    /// # Errors
    /// It isn't between a millisecond and ten seconds.
    pub fn new(interval_s: f64) -> Result<Arc<Recorder>, IntervalError> {
        if !(0.001..=10.0).contains(&interval_s) {
            return Err(IntervalError(interval_s));
        }
        Ok(Arc::new(Recorder {
            interval: Duration::from_secs_f64(interval_s),
            recording: Mutex::default(),
        }))
    }

    /// How long samplers wait between looks.
    #[must_use]
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// Begins now, or anew: what was recorded before is forgotten.
    pub fn begin(&self) {
        *self.recording() = Recording {
            began: Some(Instant::now()),
            ..Recording::default()
        };
    }

    /// Whether it has begun.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.recording().began.is_some()
    }

    /// Takes what was read `at` that time, where that is after the beginning.
    pub fn take(&self, key: Key, at: Instant, reading: &Reading<'_>) {
        let mut recording = self.recording();
        let since = recording
            .began
            .and_then(|began| at.checked_duration_since(began));
        let Some(since) = since else {
            return;
        };
        let Recording { tracks, known, .. } = &mut *recording;
        let place = *known.entry(key).or_insert_with(|| {
            tracks.push(Track {
                key,
                local: reading.local,
                peer: reading.peer,
                program: reading.program,
                congestion_controller: None,
                mss_changes: Vec::new(),
                black_holes: None,
                series: Series::new(self.interval.as_secs_f64()),
            });
            tracks.len() - 1
        });
        let track = &mut tracks[place];
        if track.congestion_controller.as_deref() != reading.congestion_controller {
            track.congestion_controller = reading.congestion_controller.map(str::to_owned);
        }
        track.black_holes = reading.black_holes.or(track.black_holes);
        let at_s = since.as_secs_f64();
        if let Some(bytes) = reading.mss {
            track.take_mss(at_s, bytes);
        }
        track.series.push(at_s, reading.sample);
    }

    /// Notes one look of a sampler: the CPU time that it took, and whether it came more than an interval late.
    pub fn looked(&self, cpu: Duration, late: bool) {
        let mut recording = self.recording();
        if recording.began.is_some() {
            recording.cost.cpu_s += cpu.as_secs_f64();
            recording.cost.ticks += 1;
            recording.cost.late_ticks += u64::from(late);
        }
    }

    /// All that was recorded since the beginning; none before it.
    #[must_use]
    pub fn flight(&self) -> Option<Flight> {
        let recording = self.recording();
        let began = recording.began?;
        Some(Flight {
            clock_base_monotonic_s: monotonic_s(began),
            interval_s: self.interval.as_secs_f64(),
            connections: recording.tracks.iter().map(Track::flight).collect(),
            cost: recording.cost,
        })
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Track {
    fn take_mss(&mut self, at_s: f64, bytes: u64) {
        let is_new = self.mss_changes.last().map(|last| last.bytes) != Some(bytes);
        if is_new && self.mss_changes.len() < MOST_SAMPLES {
            self.mss_changes.push(MssChange { at_s, bytes });
        }
    }

    fn flight(&self) -> ConnectionFlight {
        ConnectionFlight {
            host: self.key.end,
            transport: self.key.transport,
            program: self.program,
            congestion_controller: self.congestion_controller.clone(),
            local_address: self.local.ip().to_string(),
            local_port: self.local.port(),
            peer_address: self.peer.ip().to_string(),
            peer_port: self.peer.port(),
            mss: self.mss_changes.last().map(|last| last.bytes),
            mss_changes: self.mss_changes.clone(),
            black_holes: self.black_holes,
            interval_s: self.series.interval_s(),
            samples: self.series.columns(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        Key {
            end: End::Server,
            transport: Transport::Tcp,
            number,
        }
    }

    fn reading(cwnd_bytes: u64) -> Reading<'static> {
        Reading {
            local: ([198, 18, 0, 2], 443).into(),
            peer: ([198, 18, 0, 1], 50_000).into(),
            program: "linux",
            congestion_controller: Some("cubic"),
            mss: Some(1448),
            black_holes: None,
            sample: Sample {
                cwnd_bytes: Some(cwnd_bytes),
                ..Sample::default()
            },
        }
    }

    #[test]
    fn nothing_is_recorded_before_the_beginning_nor_of_a_time_before_it() {
        let recorder = Recorder::new(0.01).expect("an interval");
        let early = Instant::now();
        recorder.take(key(1), early, &reading(10));
        recorder.looked(Duration::from_secs(1), true);
        assert!(recorder.flight().is_none());
        recorder.begin();
        recorder.take(key(1), early, &reading(10));
        let flight = recorder.flight().expect("it has begun");
        assert!(flight.connections.is_empty());
        assert_eq!(flight.cost, Cost::default());
    }

    #[test]
    fn each_connection_has_a_series_of_its_own() {
        let recorder = Recorder::new(0.01).expect("an interval");
        recorder.begin();
        let now = Instant::now();
        for (number, after_ms, cwnd_bytes) in [(7, 0, 10), (8, 0, 30), (7, 10, 20)] {
            let at = now + Duration::from_millis(after_ms);
            recorder.take(key(number), at, &reading(cwnd_bytes));
        }
        let flight = recorder.flight().expect("it has begun");
        let windows = flight.connections.iter().map(|one| &one.samples.cwnd_bytes);
        assert_eq!(
            windows.collect::<Vec<_>>(),
            [&vec![Some(10), Some(20)], &vec![Some(30)]]
        );
        let first = &flight.connections[0];
        assert_eq!((first.local_port, first.peer_port), (443, 50_000));
        assert_eq!(first.congestion_controller.as_deref(), Some("cubic"));
        assert_eq!(first.mss, Some(1448));
    }

    #[test]
    fn the_largest_datagram_is_told_as_often_as_it_changes() {
        let recorder = Recorder::new(0.01).expect("an interval");
        recorder.begin();
        let begin = Instant::now();
        let sizes = [None, Some(1200), Some(1200), Some(1452), None, Some(1200)];
        for (number, mss) in (0..).zip(sizes) {
            let reading = Reading {
                mss,
                black_holes: Some(u64::from(number == 5)),
                ..reading(10)
            };
            let at = begin + Duration::from_millis(10 * number);
            recorder.take(key(1), at, &reading);
        }
        let flight = recorder.flight().expect("it has begun");
        let [one] = &flight.connections[..] else {
            panic!("there is one");
        };
        let changes = one.mss_changes.iter();
        let (at_s, bytes): (Vec<f64>, Vec<u64>) = changes.map(|one| (one.at_s, one.bytes)).unzip();
        assert_eq!(bytes, [1200, 1452, 1200]);
        let after_s = at_s.iter().map(|at| at - at_s[0]);
        let expected_s = [0.0, 0.02, 0.04];
        assert!(
            after_s
                .zip(expected_s)
                .all(|(one, other)| (one - other).abs() < 1e-9)
        );
        assert_eq!((one.mss, one.black_holes), (Some(1200), Some(1)));
    }

    #[test]
    fn beginning_anew_forgets_what_was_and_moves_the_axis() {
        let recorder = Recorder::new(0.01).expect("an interval");
        recorder.begin();
        recorder.take(key(1), Instant::now(), &reading(10));
        recorder.looked(Duration::from_millis(2), false);
        let before = recorder.flight().expect("it has begun");
        assert_eq!(before.connections.len(), 1);
        recorder.begin();
        let after = recorder.flight().expect("it has begun");
        assert!(after.connections.is_empty());
        assert_eq!(after.cost, Cost::default());
    }

    #[test]
    fn an_interval_at_which_nobody_can_look_is_refused() {
        for wrong in [0.0, -1.0, 0.0001, 11.0, f64::NAN, f64::INFINITY] {
            let error = Recorder::new(wrong).expect_err("out of range");
            assert!(error.to_string().contains("0.001 to 10"), "{error}");
        }
    }

    #[test]
    fn a_connection_is_told_in_columns() {
        let recorder = Recorder::new(0.01).expect("an interval");
        recorder.begin();
        recorder.take(key(1), Instant::now(), &reading(10));
        let told = recorder.flight().expect("it has begun");
        assert_eq!(told.connections[0].host, End::Server);
        assert_eq!(told.connections[0].samples.at_s.len(), 1);
        assert_eq!(told.connections[0].samples.timeouts, [None]);
    }
}

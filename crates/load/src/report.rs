//! What a load tells when it is over.

use std::collections::BTreeMap;

use pronghorn_http::{Protocol, Settings};
use schemars::JsonSchema;
use serde::Serialize;

use crate::connection::{ConnectionFailureKind, FailureKind};
use crate::latencies::Distribution;

/// The result of a load. Times are seconds.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct LoadReport {
    /// What became of the measured requests.
    pub requests: RequestCounts,
    /// What became of the connections.
    pub connections: ConnectionCounts,
    /// Seconds from the end of the warm-up (without one: the first connection's beginning) to the end of the asked duration,
    /// or to the last response where a number of requests was asked for, or to when the load was cut.
    pub window_s: f64,
    /// Responses that succeeded within the window, per second. With a duration every success within the window counts, so
    /// what a warm-up left in flight makes up for what the window leaves.
    pub requests_per_second: f64,
    /// Whether the load came to its own end. False where it was cut or gave up.
    pub finished: bool,
    /// Bytes since the window began.
    pub bytes: Bytes,
    /// Bytes per second within the window.
    pub bytes_per_second: ByteRates,
    /// Times of the measured requests.
    pub latency_seconds: LatencyTable,
    /// CPU time of the workers in the window.
    pub cpu_s: CpuTime,
    /// How long a thread of the generator stood still, in seconds: it was stopped, or had no CPU, for a second or more at a
    /// time. Requests in flight then are given so much longer.
    pub stood_still_s: f64,
    /// Datagrams that the server's sockets dropped during the load because their buffers were full. Null but for a server of
    /// h3 in the generator's own network namespace.
    pub server_drops: Option<u64>,
    /// The largest resident set of the process so far, in bytes.
    pub max_rss_bytes: u64,
    /// How the first connection's transport was set up, read back.
    pub settings: Settings,
    /// The congestion controller that the first connection ran, read back. Null without one.
    pub congestion_controller: Option<String>,
    /// The protocol that was spoken.
    pub protocol: Protocol,
    /// What the first connection's TLS settled on. Null in the clear, or without a connection.
    pub tls: Option<Tls>,
    /// What carried the connections: `linux` or `quinn`.
    pub stack: &'static str,
    /// The first ten failures in words.
    pub failures: Vec<Failure>,
    /// When measured requests failed, earliest first. Empty unless asked for.
    pub failure_times: Vec<FailureTime>,
    /// When the window began, in seconds of CLOCK_MONOTONIC. Null where it didn't.
    pub window_monotonic_s: Option<f64>,
}

/// What became of the measured requests. Always `planned` = `sent` + `unsent` and `sent` = `succeeded` + all `failed`.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct RequestCounts {
    /// Requests asked for, or due by the end of an open loop.
    pub planned: u64,
    /// Requests handed to a connection.
    pub sent: u64,
    /// Requests not handed to any connection by the end.
    pub unsent: u64,
    /// Requests sent again because the server hadn't processed them, or rejected their early data.
    pub retried: u64,
    /// Requests answered whole, with a status below 400.
    pub succeeded: u64,
    /// Failed requests by kind. A kind without any is absent.
    pub failed: BTreeMap<FailureKind, u64>,
    /// Whole responses by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests of the warm-up, which are counted nowhere else.
    pub warm_up: u64,
}

/// What became of the connections, since the load began.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ConnectionCounts {
    /// Connections begun.
    pub attempted: u64,
    /// Connections whose handshake was done, those included that were lost later.
    pub established: u64,
    /// Connections that couldn't be made or were lost, by kind. A kind without any is absent.
    pub failed: BTreeMap<ConnectionFailureKind, u64>,
    /// Connections that resumed a session. A ticket that isn't there for a later connection means a full handshake.
    pub resumed: u64,
    /// Connections whose early data the server accepted.
    pub early_data_accepted: u64,
    /// Connections that the server closed in good order, or that were idle for as long as both ends of QUIC had agreed on.
    pub closed_by_peer: u64,
    /// The most requests that were under way at once on one of them, after its first answer.
    pub most_under_way: u64,
    /// The fewest requests at a time that the server allowed on one: HTTP/2's `SETTINGS_MAX_CONCURRENT_STREAMS`, or QUIC's
    /// bound of bidirectional streams. Null: as many as asked for, or the server didn't say.
    pub streams_allowed: Option<u64>,
    /// Successes per second within the window, over places for a connection, each with the connections that replaced it.
    /// Null without any.
    pub requests_per_second: Option<Spread>,
}

/// How much the places for a connection differ.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "LoadSpread")]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The most.
    pub max: f64,
    /// The standard deviation, as of a whole population.
    pub sd: f64,
}

/// Bytes of a load.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
#[schemars(rename = "LoadBytes")]
pub struct Bytes {
    /// Content of responses that came since the window began, whatever became of them.
    pub payload: u64,
    /// Content of requests that succeeded within the window.
    pub uploaded: u64,
    /// Heads of measured responses that came whole: over h1 as sent, else names and values.
    pub headers: u64,
    /// Bytes of IP packets received since the window began; engine.md says how they are counted.
    pub wire_received: u64,
    /// Bytes of IP packets sent since the window began.
    pub wire_sent: u64,
}

/// Bytes per second.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
pub struct ByteRates {
    /// Content of responses, in bytes per second.
    pub payload: f64,
    /// Content of requests that succeeded, in bytes per second.
    pub uploaded: f64,
    /// IP packets received, in bytes per second.
    pub wire_received: f64,
    /// IP packets sent, in bytes per second.
    pub wire_sent: f64,
}

/// Distributions of times in seconds. Null without samples.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct LatencyTable {
    /// From a connection's beginning to the end of its handshakes.
    pub connect: Option<Distribution>,
    /// Until a successful response's head came. It counts from when the request was handed to a connection; with `connect`
    /// `each` from the connection's beginning; in an open loop from when the request was due.
    pub first_byte: Option<Distribution>,
    /// Until a successful response's end came, likewise.
    pub total: Option<Distribution>,
    /// How late the generator handed over those requests of an open loop that didn't have to wait for room.
    pub lag: Option<Distribution>,
}

/// CPU time of a load's threads, in seconds.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
pub struct CpuTime {
    /// In user mode.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
    /// Ready to run, but without a CPU; 0 where the kernel keeps no account of it.
    pub waited: f64,
    /// The most by which one thread's waits can have delayed its requests: of all threads, the largest sum over waits of which
    /// each came a round trip of the path after the one before, or followed it without a rest. Null without an emulated path.
    pub critical: Option<f64>,
}

/// What a load's TLS settled on.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "LoadTls")]
pub struct Tls {
    /// `TLS 1.2` or `TLS 1.3`. Null where the stack doesn't tell.
    pub version: Option<String>,
    /// The cipher suite's IANA name. Null where the stack doesn't tell.
    pub cipher: Option<String>,
}

/// One of a load's failures, in words.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "LoadFailure")]
pub struct Failure {
    /// The kind under which it is counted, of a request or of a connection.
    pub kind: FailedKind,
    /// A sentence.
    pub detail: String,
}

/// Requests that failed in the same millisecond and way.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "LoadFailureTime")]
pub struct FailureTime {
    /// Which one, in seconds of CLOCK_MONOTONIC.
    pub monotonic_s: f64,
    /// The kind under which they are counted.
    pub kind: FailureKind,
    /// How many.
    pub requests: u64,
}

/// A kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum FailedKind {
    /// Of a request.
    Request(FailureKind),
    /// Of a connection.
    Connection(ConnectionFailureKind),
}

/// How a load goes at a moment.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "LoadProgress")]
pub struct Progress {
    /// Seconds since the start.
    pub elapsed_s: f64,
    /// Requests sent since the start, the warm-up's included.
    pub sent: u64,
    /// Requests that succeeded since the start.
    pub succeeded: u64,
    /// Requests that failed since the start.
    pub failed: u64,
    /// Successes per second in the last interval.
    pub requests_per_second: f64,
    /// Content of responses in the last interval, in bytes per second.
    pub payload_per_second: f64,
    /// The median latency of the last interval's successes, in seconds. Null without any.
    pub p50_s: Option<f64>,
    /// The 99th percentile of these, likewise.
    pub p99_s: Option<f64>,
    /// Requests in flight.
    pub in_flight: u64,
    /// Connections whose handshake is done.
    pub connected: u64,
}

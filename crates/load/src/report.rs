//! What a load tells when it is over.

use std::collections::BTreeMap;

use pronghorn_http::{Protocol, Settings};
use schemars::JsonSchema;
use serde::Serialize;

use crate::connection::{ConnectionFailureKind, FailureKind};
use crate::latencies::Distribution;

/// The result of a load.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct LoadReport {
    /// What became of the requests.
    pub requests: RequestCounts,
    /// What became of the connections.
    pub connections: ConnectionCounts,
    /// Seconds from the end of the warm-up (without one: the first connection's beginning) to the end of the asked duration,
    /// or to the last response where a number of requests was asked for, or to when the load was cut.
    pub window_s: f64,
    /// Responses that succeeded within the window, a second.
    pub requests_per_second: f64,
    /// Whether the load came to its own end; false where it was cut, by its limit or by whoever asked for it.
    pub finished: bool,
    /// Bytes since the window began.
    pub bytes: Bytes,
    /// Such bytes within the window, a second.
    pub bytes_per_second: ByteRates,
    /// Times of the measured requests.
    pub latency_seconds: LatencyTable,
    /// CPU time of the workers in the window.
    pub cpu_s: CpuTime,
    /// The largest resident set of the process so far, in bytes.
    pub max_rss_bytes: u64,
    /// How the first connection's transport was set up, read back.
    pub settings: Settings,
    /// The congestion control that the first connection ran, read back.
    pub congestion_controller: Option<String>,
    /// The protocol that was spoken.
    pub protocol: Protocol,
    /// What the first connection's TLS settled on; none in the clear, or without a connection.
    pub tls: Option<Tls>,
    /// What carried the connections.
    pub stack: &'static str,
    /// The first failures in words.
    pub failures: Vec<Failure>,
}

/// What became of the requests that were measured: planned = sent + unsent, sent = succeeded + all that failed.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct RequestCounts {
    /// Asked for, or due by the end of an open loop.
    pub planned: u64,
    /// Handed to a connection.
    pub sent: u64,
    /// Not handed to any by the end.
    pub unsent: u64,
    /// Handed to a connection again, since the server hadn't processed them.
    pub retried: u64,
    /// Answered whole, with a status below 400.
    pub succeeded: u64,
    /// The others, by what became of them.
    pub failed: BTreeMap<FailureKind, u64>,
    /// Whole responses by their status.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests sent before the window, which are counted nowhere else.
    pub warm_up: u64,
}

/// What became of the connections, since the load began.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ConnectionCounts {
    /// Begun.
    pub attempted: u64,
    /// Whose handshake was done.
    pub established: u64,
    /// Couldn't be made, or were lost.
    pub failed: BTreeMap<ConnectionFailureKind, u64>,
    /// Went on with an earlier session.
    pub resumed: u64,
    /// Whose early data the server took.
    pub early_data_accepted: u64,
    /// Closed by the server in good order.
    pub closed_by_peer: u64,
    /// The most requests that were under way at once on one of them, after its first answer.
    pub most_under_way: u64,
    /// The fewest requests at a time that the server allowed on one: HTTP/2's `SETTINGS_MAX_CONCURRENT_STREAMS`; QUIC's bound
    /// of bidirectional streams where fewer were allowed than asked for.
    pub streams_allowed: Option<u64>,
    /// Over the connections that are kept at a time, each with those that replaced it: successes within the window, a second.
    pub requests_per_second: Option<Spread>,
}

/// How much connections differ.
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

/// Bytes.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
#[schemars(rename = "LoadBytes")]
pub struct Bytes {
    /// Content of responses as it came, whatever became of them.
    pub payload: u64,
    /// Heads of whole responses of measured requests: over HTTP/1.1 as sent, else names and values as decoded.
    pub headers: u64,
    /// IP packets received, as far as they can be read.
    pub wire_received: u64,
    /// Likewise sent.
    pub wire_sent: u64,
}

/// Bytes a second.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
pub struct ByteRates {
    /// Content of responses.
    pub payload: f64,
    /// IP packets received.
    pub wire_received: f64,
    /// IP packets sent.
    pub wire_sent: f64,
}

/// Distributions of times; none without samples.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct LatencyTable {
    /// From a connection's beginning until its handshakes were done.
    pub connect: Option<Distribution>,
    /// Until a successful response's head had come, from when its request was handed to its connection, with a connection for
    /// each request from the connection's beginning, in an open loop from when the request was due.
    pub first_byte: Option<Distribution>,
    /// Until all of it had come, likewise.
    pub total: Option<Distribution>,
    /// In an open loop: how long after a request was due the generator handed it over, of those that hadn't to wait for room
    /// on a connection.
    pub lag: Option<Distribution>,
}

/// CPU time of threads, in seconds.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
pub struct CpuTime {
    /// In user mode.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
    /// Ready to run, but without a CPU; 0 where the kernel keeps no account of it.
    pub waited: f64,
}

/// What TLS settled on.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "LoadTls")]
pub struct Tls {
    /// `TLS 1.2` or `TLS 1.3`.
    pub version: Option<String>,
    /// The cipher suite's IANA name; none where the stack doesn't tell.
    pub cipher: Option<String>,
}

/// A failure in words.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[schemars(rename = "LoadFailure")]
pub struct Failure {
    /// The kind under which it is counted, of a request or of a connection.
    pub kind: FailedKind,
    /// A sentence.
    pub detail: String,
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

/// How a load goes, at a moment.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[schemars(rename = "LoadProgress")]
pub struct Progress {
    /// Seconds since the start.
    pub elapsed_s: f64,
    /// Requests sent so far, a warm-up's included.
    pub sent: u64,
    /// Succeeded so far.
    pub succeeded: u64,
    /// Failed so far.
    pub failed: u64,
    /// Successes a second, in the last interval.
    pub requests_per_second: f64,
    /// Content of responses as it came, in bytes a second of that interval.
    pub payload_per_second: f64,
    /// The median latency of the last interval's successes.
    pub p50_s: Option<f64>,
    /// Their 99th percentile.
    pub p99_s: Option<f64>,
    /// Requests that wait for their response.
    pub in_flight: u64,
    /// Connections whose handshake is done.
    pub connected: u64,
}

//! What a load is asked to be, as JSON says it.

use std::net::IpAddr;
use std::path::PathBuf;

use pronghorn_http::{Protocol, QuicCongestionControl, TlsVersion, TransportKnobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A load of many requests (load.md). Times are seconds.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadSpec {
    /// What is asked for, in turn. All have one scheme, host and port. `http://` is h1, or h2 by prior knowledge.
    pub targets: Vec<TargetSpec>,
    /// A file of what is asked for instead, in turn, read while the load goes on. Each line is `/PATH`, which is the first
    /// of `targets` with another path, or one of `targets` as a JSON object. Null: `targets` are asked for.
    #[serde(default)]
    pub target_file: Option<PathBuf>,
    /// The one protocol that is spoken.
    pub protocol: Protocol,
    /// The server's address. Null: the server's host on a bench, else where the URL's host name leads.
    #[serde(default)]
    pub address: Option<IpAddr>,
    /// The interface on which an IPv6 address of link scope is reached (RFC 4007), by its name. Null: any.
    #[serde(default)]
    pub zone: Option<String>,
    /// The server's port. Null: the URL's.
    #[serde(default)]
    pub port: Option<u16>,
    /// The Unix socket on which the server listens, for h1 and h2. Null: it is reached at an address.
    #[serde(default)]
    pub unix_socket: Option<PathBuf>,
    /// TLS of all connections. Without effect over `http://`.
    #[serde(default)]
    pub tls: TlsSpec,
    /// What becomes of TLS sessions.
    #[serde(default)]
    pub session: Session,
    /// Congestion control of the client's end.
    pub congestion_control: LoadCongestionControl,
    /// What to set of the client's transport beside the congestion control.
    #[serde(default)]
    pub knobs: TransportKnobs,
    /// Connections at a time, over all threads.
    #[serde(default = "one")]
    pub connections: u32,
    /// Requests at a time on each connection. Over h1 the depth of pipelining.
    #[serde(default = "one")]
    pub streams: u32,
    /// Threads, each with its own connections.
    #[serde(default = "one")]
    pub threads: u32,
    /// When the load is over.
    pub stop: Amount,
    /// When everything ends, in seconds from the start. Null: 5 s beyond a duration; never for a number of requests.
    #[serde(default)]
    pub limit_s: Option<f64>,
    /// What comes before the window of measurement. Null: nothing.
    #[serde(default)]
    pub warm_up: Option<Amount>,
    /// How long a connection is kept.
    #[serde(default)]
    pub connect: Connect,
    /// When requests are due (an open loop). Null: each when an earlier one is answered (a closed loop).
    #[serde(default)]
    pub arrivals: Option<ArrivalSpec>,
    /// Seconds over which connections are opened and an open loop's rate rises.
    #[serde(default)]
    pub ramp_s: f64,
    /// Seconds that a response may take from when its request was handed to a connection. Null: any.
    #[serde(default)]
    pub request_timeout_s: Option<f64>,
    /// Seconds that a connection's handshakes may take.
    #[serde(default = "ten")]
    pub connect_timeout_s: f64,
    /// Seconds between two lines of progress, of the mode `generate`. Null: none.
    #[serde(default)]
    pub progress_s: Option<f64>,
    /// The file that takes the latencies of each interval, in HdrHistogram's log format. Null: none.
    #[serde(default)]
    pub histogram_log: Option<PathBuf>,
    /// Whether the report tells when requests failed.
    #[serde(default)]
    pub failure_times: bool,
}

/// A request that a load makes.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    /// Its URL.
    pub url: String,
    /// The request's method.
    #[serde(default = "get")]
    pub method: String,
    /// Header fields, name and value, beside those that every request has.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The request's content in base64. Null: none, or `body_file`.
    #[serde(default)]
    pub body: Option<String>,
    /// The file that holds the request's content, read while it is sent. Null: none, or `body`.
    #[serde(default)]
    pub body_file: Option<PathBuf>,
    /// How often it is asked for each time that the list is walked, spread evenly over it.
    #[serde(default = "one")]
    pub weight: u32,
}

/// TLS of all connections.
#[derive(Debug, Clone, Default, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TlsSpec {
    /// The only version that is offered.
    pub version: TlsVersion,
    /// The PEM file of the only CA to trust. Null: the system's.
    pub ca: Option<PathBuf>,
    /// Whether any certificate is accepted.
    pub insecure: bool,
    /// The PEM file of the client's own certificate and its chain, with `key`. Null: none.
    pub certificate: Option<PathBuf>,
    /// The PEM file of its private key. Null: none.
    pub key: Option<PathBuf>,
}

/// What a load's connections do with TLS sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "LoadSession")]
pub enum Session {
    /// Each makes a full handshake.
    #[default]
    #[serde(rename = "cold")]
    Cold,
    /// Each resumes the session of an earlier one.
    #[serde(rename = "resumed")]
    Resumed,
    /// Each resumes, and sends its first requests as early data.
    #[serde(rename = "0rtt")]
    ZeroRtt,
}

/// The congestion control of a load's end, by transport.
#[derive(Debug, Clone, Default, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadCongestionControl {
    /// TCP's, by the kernel's name. Null: the host's. Needed where TCP is spoken on a bench.
    #[serde(default)]
    pub tcp: Option<String>,
    /// QUIC's. Needed for h3.
    #[serde(default)]
    pub quic: Option<QuicCongestionControl>,
}

/// How many requests, or for how long.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Deserialize)]
pub enum Amount {
    /// A number of requests: `{"requests": N}`.
    #[serde(rename = "requests")]
    Requests(u64),
    /// A duration in seconds: `{"duration_s": T}`.
    #[serde(rename = "duration_s")]
    Duration(f64),
}

/// How long a connection is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "LoadConnect")]
#[serde(rename_all = "lowercase")]
pub enum Connect {
    /// As long as the server keeps it.
    #[default]
    Keep,
    /// One request.
    Each,
}

/// An open loop: when requests are due doesn't depend on responses.
#[derive(Debug, Clone, PartialEq, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalSpec {
    /// Requests per second, after `steps`.
    pub rate_per_s: f64,
    /// Other rates before, in order. A ramp ends within the first.
    #[serde(default)]
    pub steps: Vec<RateStep>,
    /// The times between requests.
    #[serde(default)]
    pub distribution: Spacing,
    /// The seed of a random distribution.
    #[serde(default)]
    pub seed: u64,
}

/// A rate that holds for some time.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// Requests per second.
    pub rate_per_s: f64,
    /// How long, in seconds.
    pub duration_s: f64,
}

/// The times between the requests of an open loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Always the same.
    #[default]
    Constant,
    /// Exponentially distributed, as of many independent users.
    Poisson,
}

fn one() -> u32 {
    1
}

fn ten() -> f64 {
    10.0
}

fn get() -> String {
    "GET".to_owned()
}

//! What a load is asked to be, as JSON says it.

use std::net::IpAddr;
use std::path::PathBuf;

use pronghorn_http::{Protocol, QuicCongestionControl, TlsVersion, TransportKnobs};
use schemars::JsonSchema;
use serde::Deserialize;

/// A load. Times are seconds.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadSpec {
    /// What is asked for, in turn; all at one scheme, host and port.
    pub targets: Vec<TargetSpec>,
    /// The one protocol that is spoken.
    pub protocol: Protocol,
    /// Where the server is; none: where the URL's host name leads.
    #[serde(default)]
    pub address: Option<IpAddr>,
    /// Its port in place of the URL's.
    #[serde(default)]
    pub port: Option<u16>,
    /// TLS, where the scheme has it.
    #[serde(default)]
    pub tls: TlsSpec,
    /// What becomes of TLS sessions.
    #[serde(default)]
    pub session: Session,
    /// Congestion control of the client's end.
    pub congestion_control: LoadCongestionControl,
    /// What else is asked of its transport.
    #[serde(default)]
    pub knobs: TransportKnobs,
    /// Connections at a time, over all threads.
    #[serde(default = "one")]
    pub connections: u32,
    /// Requests at a time on each of them; over HTTP/1.1 the depth of pipelining.
    #[serde(default = "one")]
    pub streams: u32,
    /// Threads, each with its own connections.
    #[serde(default = "one")]
    pub threads: u32,
    /// When it is over.
    pub stop: Amount,
    /// When all ends, counted from the start, whatever is in flight.
    #[serde(default)]
    pub limit_s: Option<f64>,
    /// What comes before the window of measurement.
    #[serde(default)]
    pub warm_up: Option<Amount>,
    /// How long a connection is kept.
    #[serde(default)]
    pub connect: Connect,
    /// When requests are due; none: when an earlier one is answered (a closed loop).
    #[serde(default)]
    pub arrivals: Option<ArrivalSpec>,
    /// Over how long the connections are opened, and an open loop's rate rises.
    #[serde(default)]
    pub ramp_s: f64,
    /// How long a response may take, from when its request was handed to a connection.
    #[serde(default)]
    pub request_timeout_s: Option<f64>,
    /// How long a connection's making may take, with its handshakes.
    #[serde(default = "ten")]
    pub connect_timeout_s: f64,
    /// How often the load tells how it goes.
    #[serde(default)]
    pub progress_s: Option<f64>,
    /// A file that takes the latencies of each interval, in HdrHistogram's log format.
    #[serde(default)]
    pub histogram_log: Option<PathBuf>,
}

/// One thing that is asked for.
#[derive(Debug, Clone, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSpec {
    /// Its URL.
    pub url: String,
    /// The request's method.
    #[serde(default = "get")]
    pub method: String,
    /// Header fields beside those that every request has.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The request's content, in base64.
    #[serde(default)]
    pub body: Option<String>,
}

/// TLS of all connections.
#[derive(Debug, Clone, Default, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TlsSpec {
    /// The only version that is offered.
    pub version: TlsVersion,
    /// PEM file of the only CA to trust; none: the system's.
    pub ca: Option<PathBuf>,
    /// Whether any certificate will do.
    pub insecure: bool,
}

/// What connections do with TLS sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Deserialize)]
#[schemars(rename = "LoadSession")]
pub enum Session {
    /// Each makes a whole handshake.
    #[default]
    #[serde(rename = "cold")]
    Cold,
    /// Each goes on with the session of an earlier one.
    #[serde(rename = "resumed")]
    Resumed,
    /// Each does, and sends its first requests as early data.
    #[serde(rename = "0rtt")]
    ZeroRtt,
}

/// Congestion control of the client's end.
#[derive(Debug, Clone, Default, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadCongestionControl {
    /// TCP's by the kernel's name; none: what the host has.
    #[serde(default)]
    pub tcp: Option<String>,
    /// quinn's.
    #[serde(default)]
    pub quic: Option<QuicCongestionControl>,
}

/// How many requests, or for how long.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Deserialize)]
pub enum Amount {
    /// So many.
    #[serde(rename = "requests")]
    Requests(u64),
    /// For so many seconds.
    #[serde(rename = "duration_s")]
    Duration(f64),
}

/// How long a connection is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Deserialize)]
#[schemars(rename = "LoadConnect")]
#[serde(rename_all = "lowercase")]
pub enum Connect {
    /// For as long as the server keeps it.
    #[default]
    Keep,
    /// For one request.
    Each,
}

/// An open loop: requests are due at times that responses have no part in.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalSpec {
    /// Requests a second.
    pub rate_per_s: f64,
    /// What lies between them.
    #[serde(default)]
    pub distribution: Spacing,
    /// What a random distribution follows from.
    #[serde(default)]
    pub seed: u64,
}

/// What lies between the requests of an open loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Always the same.
    #[default]
    Constant,
    /// Exponentially distributed times, as of many who know nothing of each other.
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

//! What the engine can be asked.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use pronghorn_bench::{ProbePlan, TcpKnobs};
use pronghorn_http::{CongestionControl, Protocol, SessionUse, TlsVersion, TransportKnobs};
use pronghorn_load::LoadSpec;
use pronghorn_names::NameRecords;
use pronghorn_origin::LogKeeping;
use pronghorn_path::PathSpec;
use pronghorn_population::Spec;
use serde::Deserialize;

/// A request line's envelope.
#[derive(Debug, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) id: Option<u64>,
    #[serde(flatten)]
    pub(crate) request: Request,
}

/// An operation and its parameters.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Request {
    Hello,
    DescribePath { path: Box<PathSpec> },
    Open(Box<Open>),
    Begin { seed: u64 },
    Origin(Origin),
    Load(Load),
    Generate { spec: Box<LoadSpec> },
    GenerateStart { spec: Box<LoadSpec> },
    GenerateStop { wait: bool },
    OriginLog,
    Spawn(Spawn),
    Wait { process: u64, timeout_s: f64 },
    Kill { process: u64, signal: Option<i32> },
    Listening(Listening),
    Sockets { host: Side },
    Dns { records: Vec<NameRecords> },
    DnsLog,
    Flight,
    Arrivals,
    Calibrate(ProbePlan),
    Counters,
    Idle { for_s: f64 },
    Close,
    Policy(Asking),
    Outcomes { responses: Vec<Response> },
    Simulate { spec: Box<Spec> },
}

/// What a policy file makes of clients.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asking {
    /// The policy file's.
    pub(crate) text: String,
    pub(crate) clients: Vec<Stranger>,
}

/// A client of which nothing is known but its network.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stranger {
    /// The TCP congestion control that serves it.
    pub(crate) tcp: String,
    pub(crate) rtt_ms: Option<f64>,
    /// Packets, of which so many were lost.
    pub(crate) sent: u32,
    pub(crate) lost: u32,
    pub(crate) rate_mbit: Option<f64>,
}

/// A response as a gateway sees it: its bytes, microseconds, and what its connection had delivered before it, in bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Response(pub(crate) u64, pub(crate) u64, pub(crate) u64);

/// A bench, or loopback where `path` is null.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Open {
    pub(crate) path: Option<PathSpec>,
    pub(crate) seed: u64,
    pub(crate) tcp_congestion_control: String,
    /// The file that takes a capture of the path.
    pub(crate) capture: Option<PathBuf>,
    /// The file that takes what arrives over the path, decrypted.
    pub(crate) arrivals: Option<PathBuf>,
    /// Whether the path is its constant delays alone until it is begun.
    #[serde(default)]
    pub(crate) warm_up: bool,
    /// Whether what connections do over time is recorded.
    pub(crate) flight: Option<FlightSpec>,
    /// What is asked of the hosts' TCP beside the congestion control.
    pub(crate) tcp: Option<TcpKnobs>,
    /// Whether segmentation is left to the path's devices.
    #[serde(default = "yes")]
    pub(crate) offloads: bool,
}

/// How a flight is recorded.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlightSpec {
    pub(crate) interval_s: f64,
}

/// The built-in origin, in the server's host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    pub(crate) root: PathBuf,
    /// TCP's and UDP's; none: HTTPS's own on a bench, over loopback any that is free.
    pub(crate) port: Option<u16>,
    /// TCP's, in the clear, 0 for any that is free; none: nothing is served in the clear.
    pub(crate) clear_port: Option<u16>,
    /// On which it listens, over loopback alone; none: the host's own.
    pub(crate) address: Option<IpAddr>,
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) congestion_control: CongestionControl,
    /// On every response.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// On HTML documents, in the place of those of the same name.
    #[serde(default)]
    pub(crate) document_headers: BTreeMap<String, String>,
    /// Whether session tickets allow early data.
    #[serde(default)]
    pub(crate) early_data: bool,
    /// What it keeps of what it serves.
    #[serde(default)]
    pub(crate) log: LogKeeping,
    /// What is asked of its transports beside the congestion control.
    #[serde(default)]
    pub(crate) knobs: TransportKnobs,
    /// The folder in which its QUIC connections leave their qlogs.
    pub(crate) qlog: Option<PathBuf>,
}

/// One page load, from the client's host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Load {
    pub(crate) host_name: String,
    #[serde(default = "root_path")]
    pub(crate) document: String,
    /// The document's.
    #[serde(default = "get")]
    pub(crate) method: String,
    pub(crate) port: u16,
    pub(crate) protocol: Protocol,
    #[serde(default)]
    pub(crate) tls: TlsVersion,
    #[serde(default)]
    pub(crate) session: SessionUse,
    /// The origin's; the server's host where it is null.
    pub(crate) address: Option<IpAddr>,
    /// The only CA to trust; the system's where it is null.
    pub(crate) ca: Option<PathBuf>,
    pub(crate) congestion_control: CongestionControl,
    /// What is asked of the client's transport besides.
    #[serde(default)]
    pub(crate) knobs: TransportKnobs,
    pub(crate) limit_s: f64,
    /// Globs over path and query of requests whose failure isn't the load's.
    #[serde(default)]
    pub(crate) tolerate: Vec<String>,
    /// The folder in which its QUIC connections leave their qlogs.
    pub(crate) qlog: Option<PathBuf>,
}

fn yes() -> bool {
    true
}

fn root_path() -> String {
    "/".to_owned()
}

fn get() -> String {
    "GET".to_owned()
}

/// Which of the two hosts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Client,
    Server,
}

impl From<Side> for pronghorn_bench::Side {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => pronghorn_bench::Side::Client,
            Side::Server => pronghorn_bench::Side::Server,
        }
    }
}

/// A process inside a host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spawn {
    pub(crate) host: Side,
    pub(crate) argv: Vec<String>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Whether it has the engine's environment as well.
    #[serde(default = "yes")]
    pub(crate) inherit: bool,
    pub(crate) stdout: Option<PathBuf>,
    pub(crate) stderr: Option<PathBuf>,
    /// The working directory; `None`: the engine's.
    pub(crate) directory: Option<PathBuf>,
    /// Whether it looks up names at the bench's server.
    #[serde(default)]
    pub(crate) resolver: bool,
}

/// What is to be bound to a port of a host, and how long it is waited for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listening {
    pub(crate) host: Side,
    pub(crate) port: u16,
    pub(crate) tcp: bool,
    pub(crate) udp: bool,
    /// Whose end ends the waiting.
    pub(crate) process: Option<u64>,
    pub(crate) timeout_s: f64,
}

//! What the engine can be asked.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use pronghorn_bench::{ProbePlan, TcpKnobs};
use pronghorn_client::Host;
use pronghorn_http::{
    CongestionControl, Protocol, QuicStack, SessionUse, TlsVersion, TransportKnobs,
};
use pronghorn_load::LoadSpec;
use pronghorn_names::NameRecords;
use pronghorn_origin::{Face, LogKeeping};
use pronghorn_path::PathSpec;
use pronghorn_population::Spec;
use schemars::JsonSchema;
use serde::Deserialize;

/// A request line's envelope.
#[derive(Debug, JsonSchema, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) id: Option<u64>,
    #[serde(flatten)]
    pub(crate) request: Request,
}

/// An operation and its parameters. The doc comments from here on are the protocol's descriptions.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Tells what the engine is and what this host allows.
    Hello {},
    /// Checks a path and tells its rates, delays and buffers. Opens nothing. A path that can't be is an `input` error
    /// with `key` and, where a line of a text is wrong, `line`.
    DescribePath {
        /// The path.
        path: Box<PathSpec>,
    },
    /// Opens a bench: two hosts and the path between them.
    Open(Box<Open>),
    /// Begins the path of a bench that was opened with `warm_up`, as often as asked. Without `warm_up` an `input` error;
    /// a `host` error where the kernel would keep TCP's metrics beyond a connection.
    Begin {
        /// The seed of every random decision of the path from now on.
        seed: u64,
    },
    /// Starts the built-in origin on the server's host, in place of an earlier one.
    Origin(Origin),
    /// Loads one page from the client's host and waits for it.
    Load(Load),
    /// Runs a load from the client's host and waits for its end. No flight and no qlog is recorded of it.
    Generate {
        /// The load. Its `address` null is the server's host.
        spec: Box<LoadSpec>,
    },
    /// Starts a load on the client's host. It runs on, one at a time, while other requests are answered.
    GenerateStart {
        /// The load. Its `address` null is the server's host.
        spec: Box<LoadSpec>,
    },
    /// Ends the load that `generate_start` started, and answers its report.
    GenerateStop {
        /// True: waits for the load's own end. False: cuts it now.
        wait: bool,
    },
    /// Ends the built-in origin: it takes no more requests, and those under way are answered first.
    OriginEnd {
        /// How long they may take, in seconds, 0 to 86400.
        within_s: f64,
    },
    /// Tells what the built-in origin served since it started.
    OriginLog {},
    /// Starts a program on a host.
    Spawn(Spawn),
    /// Waits for the end of a program.
    Wait {
        /// The number that `spawn` answered.
        process: u64,
        /// How long to wait, in seconds. 0 only looks.
        timeout_s: f64,
    },
    /// Sends a signal to a program.
    Kill {
        /// The number that `spawn` answered.
        process: u64,
        /// The signal's number. Default: 9 (SIGKILL).
        signal: Option<i32>,
    },
    /// Waits until a port of a host is bound, at whatever address. Answers once everything asked for is bound, the process
    /// has ended, or the time has run out. It doesn't ask whose socket it is.
    Listening(Listening),
    /// Lists a host's TCP connections.
    Sockets {
        /// The host.
        host: Side,
    },
    /// Starts a name server on the server's host, in place of an earlier one. An `input` error over loopback.
    Dns {
        /// All names that it knows. Each name may stand there once.
        records: Vec<NameRecords>,
    },
    /// Tells what the name server was asked.
    DnsLog {},
    /// Tells what the connections did over time, since the path began. An `input` error where `open` asked for no flight,
    /// or the path has not begun.
    Flight {},
    /// Writes the file of arrivals with everything seen since the path began. An `input` error where `open` asked for none.
    Arrivals {},
    /// Sends numbered UDP probes across the open bench, on which nothing else may send. Phases run one after the other,
    /// those of the same place in both directions at the same time. It judges nothing.
    Calibrate(ProbePlan),
    /// Tells what was counted so far.
    Counters {},
    /// Does nothing for a while, in which what was started goes on.
    Idle {
        /// For how long, in seconds.
        for_s: f64,
    },
    /// Closes the bench. Writes the capture and the file of arrivals, and kills everything that was started on the hosts.
    Close {},
    /// Asks the gateway's decision core what it makes of clients, each of which it meets for the first time. A policy file
    /// that can't be is an `input` error, with `line` where it is about one.
    Policy(Asking),
    /// Asks the decision core what it compares of responses.
    Outcomes {
        /// The responses.
        responses: Vec<Response>,
    },
    /// Simulates a population behind the gateway. Needs no bench, and takes its time before the next request.
    Simulate {
        /// The simulation.
        spec: Box<Spec>,
    },
}

/// What to ask the decision core.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asking {
    /// The text of a policy file.
    pub(crate) text: String,
    /// The clients.
    pub(crate) clients: Vec<Stranger>,
}

/// A client of which nothing is known but its network.
#[derive(Debug, JsonSchema, Deserialize)]
#[schemars(rename = "PolicyClient")]
#[serde(deny_unknown_fields)]
pub(crate) struct Stranger {
    /// The TCP congestion control that serves it: `cubic`, `bbr` or `reno`.
    pub(crate) tcp: String,
    /// Its smallest round-trip time, in milliseconds. Null: unknown.
    pub(crate) rtt_ms: Option<f64>,
    /// Packets sent to it.
    pub(crate) sent: u32,
    /// Packets of these that were lost.
    pub(crate) lost: u32,
    /// The rate at which data reaches it, in Mbit/s. Null: unknown.
    pub(crate) rate_mbit: Option<f64>,
}

/// A response as a gateway sees it: its bytes, its time in microseconds, and the bytes that its connection had delivered
/// before it.
#[derive(Clone, Copy, Debug, JsonSchema, Deserialize)]
pub(crate) struct Response(pub(crate) u64, pub(crate) u64, pub(crate) u64);

/// A bench, or loopback where `path` is null.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Open {
    /// The path. Null: loopback, without namespaces and without a path.
    pub(crate) path: Option<PathSpec>,
    /// The seed of every random decision of the path.
    pub(crate) seed: u64,
    /// The kernel's name of TCP's congestion control, for both hosts.
    pub(crate) tcp_congestion_control: String,
    /// The file that takes a capture of the path (capture.md). Null: none.
    pub(crate) capture: Option<PathBuf>,
    /// The file that takes what the path saw, decrypted (arrivals.md). Null: none.
    pub(crate) arrivals: Option<PathBuf>,
    /// Whether the path is its constant delays alone until `begin`.
    #[serde(default)]
    pub(crate) warm_up: bool,
    /// How the flight of every connection is recorded. Null: it isn't. Over loopback an `input` error.
    pub(crate) flight: Option<FlightSpec>,
    /// What to set of both hosts' TCP. Null: nothing. Over loopback an `input` error.
    pub(crate) tcp: Option<TcpKnobs>,
    /// The addresses that the server's host has beside its own, at most 2000. Over loopback any is an `input` error.
    #[serde(default)]
    pub(crate) further_addresses: Vec<FurtherAddress>,
    /// Whether segmentation is left to the path's devices. False: the hosts' kernels cut everything they send into single
    /// packets. Over loopback an `input` error.
    #[serde(default = "yes")]
    pub(crate) offloads: bool,
}

/// An address of the server's host beside its own.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FurtherAddress {
    /// How much longer the link up delays packets to it than others, in nanoseconds, at most an hour: its extra round trip.
    #[serde(default)]
    pub(crate) delay_ns: u64,
}

/// How a flight is recorded.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlightSpec {
    /// Seconds between two looks at a connection, 0.001 to 10.
    pub(crate) interval_s: f64,
}

/// The built-in origin.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    /// The folder of the site: its files or, with `recorded`, `answers.json` and `bodies`.
    pub(crate) root: PathBuf,
    /// How a recorded site is served. Null: the site is a folder's files. Over loopback an `input` error.
    pub(crate) recorded: Option<RecordedOrigin>,
    /// The port for TCP and UDP. Null: 443 on a bench, any free one over loopback.
    pub(crate) port: Option<u16>,
    /// The TCP port for h1 and h2 without TLS. 0: any free one. Null: nothing is served in the clear.
    pub(crate) clear_port: Option<u16>,
    /// The address on which it listens, over loopback alone. Null: 127.0.0.1 there, the host's address on a bench.
    pub(crate) address: Option<IpAddr>,
    /// The file of its certificate chain, PEM. With `recorded` nobody sees it.
    pub(crate) certificate: PathBuf,
    /// The file of its private key, PEM with PKCS#8.
    pub(crate) key: PathBuf,
    /// What carries HTTP/3. Absent: quinn.
    #[serde(default)]
    pub(crate) quic_stack: QuicStack,
    /// The congestion control of its end, by transport.
    pub(crate) congestion_control: CongestionControl,
    /// Header fields that every response has beside those of its content. None with `recorded`.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// Header fields of HTML documents, in place of those of the same name in `headers`.
    #[serde(default)]
    pub(crate) document_headers: BTreeMap<String, String>,
    /// Whether session tickets allow 0-RTT, which is then answered at once.
    #[serde(default)]
    pub(crate) early_data: bool,
    /// Whether an answer over h3 counts as under way, for `origin_end`, until its client has it.
    #[serde(default)]
    pub(crate) graceful: bool,
    /// The application that answers in place of `root`'s files. Null: none.
    pub(crate) proxy: Option<ProxiedOrigin>,
    /// What its log keeps.
    #[serde(default)]
    pub(crate) log: LogKeeping,
    /// What to set of its transports beside the congestion control.
    #[serde(default)]
    pub(crate) knobs: TransportKnobs,
    /// The folder in which its QUIC connections leave qlogs; it is made where it doesn't exist. Null: none.
    pub(crate) qlog: Option<PathBuf>,
}

/// An application to which requests are handed on over HTTP/1.1.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProxiedOrigin {
    /// Where it is: `http://HOST:PORT`.
    pub(crate) url: String,
    /// How long it may be silent before its answer begins, in seconds, up to 86400. Then the client gets 504.
    pub(crate) limit_s: f64,
}

/// How a recorded site is served.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedOrigin {
    /// Where it listens, at least one: addresses of the server's host, and the hosts that are there.
    pub(crate) faces: Vec<Face>,
    /// How many times as long as the recorded servers an answer takes. 0 answers at once.
    #[serde(default)]
    pub(crate) think: f64,
}

/// The load of a recorded page: each request is made once what set it off when it was recorded is there.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedLoad {
    /// The file of the requests, `requests.json`. The first one is the page's.
    pub(crate) requests: PathBuf,
    /// All hosts of the requests. Those of one address and one protocol share connections, but for HTTP/1.1.
    pub(crate) hosts: Vec<Host>,
    /// Whether a request waits as long as the recorded browser computed before it.
    #[serde(default)]
    pub(crate) compute: bool,
}

/// One page load.
#[derive(Debug, JsonSchema, Deserialize)]
#[schemars(rename = "LoadRequest")]
#[serde(deny_unknown_fields)]
pub(crate) struct Load {
    /// The host name in URLs, in TLS and in the session store.
    pub(crate) host_name: String,
    /// Path and query of the document.
    #[serde(default = "root_path")]
    pub(crate) document: String,
    /// What is loaded of a recorded page. Then `document`, `method`, `address` and `protocol` are without effect. Null: what
    /// the document turns out to need.
    pub(crate) recorded: Option<RecordedLoad>,
    /// The method of the document's request, which has no content. All but `CONNECT`.
    #[serde(default = "get")]
    pub(crate) method: String,
    /// The server's port.
    pub(crate) port: u16,
    /// The one protocol that is spoken. Nothing falls back.
    pub(crate) protocol: Protocol,
    /// The one version of TLS that is offered. h3 has only 1.3.
    #[serde(default)]
    pub(crate) tls: TlsVersion,
    /// What the load does with TLS sessions.
    #[serde(default)]
    pub(crate) session: SessionUse,
    /// The server's address. Null: the server's host.
    pub(crate) address: Option<IpAddr>,
    /// The PEM file of the only CA to trust. Null: the system's.
    pub(crate) ca: Option<PathBuf>,
    /// What carries HTTP/3. Absent: quinn.
    #[serde(default)]
    pub(crate) quic_stack: QuicStack,
    /// The congestion control of the client's end, by transport.
    pub(crate) congestion_control: CongestionControl,
    /// What to set of the client's transport beside the congestion control.
    #[serde(default)]
    pub(crate) knobs: TransportKnobs,
    /// When the load is given up, in seconds from its start, 0 to 86400.
    pub(crate) limit_s: f64,
    /// Globs over path and query of requests whose failure doesn't fail the load. `*` is any run of characters; nothing
    /// else is special.
    #[serde(default)]
    pub(crate) tolerate: Vec<String>,
    /// The folder in which its QUIC connections leave qlogs; it is made where it doesn't exist. Null: none.
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

/// One of the two hosts.
#[derive(Debug, Clone, Copy, JsonSchema, Deserialize)]
#[schemars(rename = "HostName")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    /// The client's host.
    Client,
    /// The server's host.
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

/// A program on a host.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spawn {
    /// The host.
    pub(crate) host: Side,
    /// The command line.
    pub(crate) argv: Vec<String>,
    /// Environment variables. With a capture or arrivals `SSLKEYLOGFILE` is added where the program would have none.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Whether the program gets the engine's environment as well. False: `env` alone.
    #[serde(default = "yes")]
    pub(crate) inherit: bool,
    /// The file that takes its stdout. Null: discarded.
    pub(crate) stdout: Option<PathBuf>,
    /// The file that takes its stderr. Null: discarded.
    pub(crate) stderr: Option<PathBuf>,
    /// Its working directory. Null: the engine's.
    pub(crate) directory: Option<PathBuf>,
    /// Whether it looks up names at the bench's name server (`dns`).
    #[serde(default)]
    pub(crate) resolver: bool,
}

/// A port that should be bound.
#[derive(Debug, JsonSchema, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listening {
    /// The host.
    pub(crate) host: Side,
    /// The port.
    pub(crate) port: u16,
    /// Whether it must be bound for TCP.
    pub(crate) tcp: bool,
    /// Whether it must be bound for UDP.
    pub(crate) udp: bool,
    /// The number of a process whose end ends the waiting. Null: none.
    pub(crate) process: Option<u64>,
    /// How long to wait, in seconds.
    pub(crate) timeout_s: f64,
}

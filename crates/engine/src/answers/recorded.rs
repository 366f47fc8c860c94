//! Answers about what was counted and recorded of a path.

use pronghorn_bench::{
    CaptureReport, CrossReport, HandoverReport, HostReport, LinkReport, PathReport,
};
use pronghorn_flight::{ConnectionFlight, Cost};
use schemars::JsonSchema;
use serde::Serialize;

/// What was counted so far. Everything is null over loopback.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Counters {
    /// The link from the server to the client.
    pub(crate) down: Option<LinkReport>,
    /// The link from the client to the server.
    pub(crate) up: Option<LinkReport>,
    /// The hosts and the machine beneath them.
    pub(crate) host: Option<HostReport>,
    /// The cross traffic. Null where the path has none.
    pub(crate) cross: Option<CrossReport>,
    /// The client's handover. Null before it, or where the path has none.
    pub(crate) handover: Option<HandoverReport>,
    /// The capture. Null where `open` asked for none.
    pub(crate) capture: Option<Captured>,
    /// The qlogs. Null where none were asked for.
    pub(crate) qlog: Option<Qlogs>,
}

impl Counters {
    /// Of a path, or of loopback, which counts nothing.
    pub(crate) fn new(
        path: Option<PathReport>,
        capture: Option<Captured>,
        qlog: Option<Qlogs>,
    ) -> Counters {
        let (down, up, host, cross, handover) = match path {
            Some(path) => (
                Some(path.down),
                Some(path.up),
                Some(path.host),
                path.cross,
                path.handover,
            ),
            None => (None, None, None, None, None),
        };
        Counters {
            down,
            up,
            host,
            cross,
            handover,
            capture,
            qlog,
        }
    }
}

/// The final counts of a bench that is closed.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Closed {
    #[serde(flatten)]
    pub(crate) counters: Counters,
    /// The file of arrivals. Null where `open` asked for none.
    pub(crate) arrivals: Option<ArrivalsReport>,
}

/// The final counts of a path behind which one command ran.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PathCounters {
    #[serde(flatten)]
    pub(crate) path: PathReport,
    /// The capture. Null where none was asked for.
    pub(crate) capture: Option<Captured>,
}

/// What a capture holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CaptureReport")]
pub(crate) struct Captured {
    #[serde(flatten)]
    pub(crate) report: CaptureReport,
    /// Why the file could not be written. Absent where it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<String>,
}

impl From<CaptureReport> for Captured {
    fn from(report: CaptureReport) -> Captured {
        let fault = None;
        Captured { report, fault }
    }
}

/// What the file of arrivals holds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ArrivalsReport {
    /// Packets that the path saw.
    pub(crate) packets: usize,
    /// Connections among them.
    pub(crate) connections: usize,
    /// Records of packets that are missing because the writer could not keep up.
    pub(crate) missing_records: u64,
    /// How long making the file took, in seconds.
    pub(crate) seconds: f64,
    /// Why the file could not be written. Null where it could.
    pub(crate) fault: Option<String>,
}

/// The qlogs of a bench.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Qlogs {
    /// Files begun so far.
    pub(crate) files: usize,
    /// Why the first that failed could not be written. Null where none failed.
    pub(crate) fault: Option<String>,
}

/// What the connections did over time.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Flight")]
pub(crate) struct FlightTold {
    /// The instant from which `at_s` of all samples counts, in seconds of CLOCK_MONOTONIC.
    pub(crate) clock_base_monotonic_s: f64,
    /// Seconds between looks, as `open` asked.
    pub(crate) interval_s: f64,
    /// One entry for each end of a connection, in the order of their first samples.
    pub(crate) connections: Vec<FlightConnection>,
    /// What the looking cost.
    pub(crate) cost: Cost,
}

/// What one end of a connection did over time.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConnectionFlight")]
pub(crate) struct FlightConnection {
    #[serde(flatten)]
    pub(crate) recorded: ConnectionFlight,
    /// What implements the transport, with its version: `linux RELEASE`, `quinn-proto VERSION` or `s2n-quic VERSION`.
    pub(crate) stack: String,
}

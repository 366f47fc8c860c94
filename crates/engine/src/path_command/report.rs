//! What `pronghorn-engine path` tells at its end.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use pronghorn_bench::SpawnError;
use pronghorn_path::SpecError;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::series::Series;
use crate::answer::Fault;
use crate::answers::PathCounters;

/// How the command and its path fared.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "PathReport")]
pub(crate) struct Report {
    /// The command's exit status as a shell has it.
    pub(crate) status: u8,
    /// The seed that was asked for.
    pub(crate) seed: u64,
    /// The level of the addresses: how many paths this one is nested in, 1 without nesting.
    pub(crate) level: u8,
    /// The command's own address.
    pub(crate) client_address: String,
    /// The address at which the far side is reached.
    pub(crate) server_address: String,
    /// The far host's address on the path.
    pub(crate) far_host_address: String,
    /// How the far host reaches the network beyond it: `veth` or `pasta`. Null where it doesn't.
    pub(crate) uplink: Option<&'static str>,
    /// TCP's congestion control.
    pub(crate) tcp_congestion_control: String,
    /// What gives it to sockets. `lock`: every socket has it. `default`: a socket that asks for no other has it.
    /// `route`: likewise, but a choice made before connecting is overridden.
    pub(crate) tcp_congestion_control_by: &'static str,
    /// Notes for a person.
    pub(crate) notes: Vec<String>,
    /// The exit status of the far side's program where it ended before the command. Null otherwise.
    pub(crate) server_status: Option<u8>,
    /// The path over time. Null where `sample_interval_s` was null.
    pub(crate) series: Option<Series>,
    /// The final counts of the path.
    #[schemars(with = "PathCounters")]
    pub(crate) counters: Option<PathCounters>,
}

/// Why the command didn't run.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "PathFailure")]
pub(crate) struct Failure {
    /// The exit status: 2 for `input`, 3 for `host` and `bench`, 126 and 127 as in a shell.
    pub(crate) status: u8,
    /// Why.
    error: Fault,
}

impl Failure {
    /// The request is wrong.
    pub(crate) fn input(message: impl ToString) -> Failure {
        Failure {
            status: 2,
            error: Fault::input(message),
        }
    }

    /// The path can't be.
    pub(crate) fn path(error: &SpecError) -> Failure {
        Failure {
            status: 2,
            error: Fault::path(error),
        }
    }

    /// The host can't.
    pub(crate) fn host(message: impl ToString, mend: Option<String>) -> Failure {
        Failure {
            status: 3,
            error: Fault::host(message, mend),
        }
    }

    /// Something broke.
    pub(crate) fn bench(message: impl ToString) -> Failure {
        Failure {
            status: 3,
            error: Fault::bench(message),
        }
    }

    /// A program could not be started: 127 where it isn't there, else 126, as in a shell.
    pub(crate) fn not_started(error: &SpawnError) -> Failure {
        let missing = matches!(error, SpawnError::Start { source, .. }
            if source.kind() == io::ErrorKind::NotFound);
        Failure {
            status: if missing { 127 } else { 126 },
            error: Fault::input(error),
        }
    }

    /// A signal came before the command was started.
    pub(crate) fn interrupted(signal: i32) -> Failure {
        Failure {
            status: (128 + signal).clamp(0, 255) as u8,
            error: Fault::bench(format!(
                "signal {signal} came before the command was started"
            )),
        }
    }
}

/// Writes the report, one JSON object.
pub(crate) fn write(to: OwnedFd, report: &Value) -> io::Result<()> {
    let mut file = File::from(to);
    writeln!(file, "{report}")
}

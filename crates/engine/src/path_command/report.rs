//! What `pronghorn-engine path` tells at its end.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use pronghorn_bench::SpawnError;
use pronghorn_path::SpecError;
use serde::Serialize;
use serde_json::Value;

use super::series::Series;
use crate::answer::Fault;

/// How the command and its path fared.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The command's exit status as a shell has it.
    pub(crate) status: u8,
    /// As asked.
    pub(crate) seed: u64,
    /// The level of the addresses.
    pub(crate) level: u8,
    /// The command's own address.
    pub(crate) client_address: String,
    /// The address at which the far side is reached.
    pub(crate) server_address: String,
    /// The far host's address on the path.
    pub(crate) far_host_address: String,
    /// `veth`, `pasta` or null.
    pub(crate) uplink: Option<&'static str>,
    /// TCP's.
    pub(crate) congestion_control: String,
    /// `lock`: every socket has it; `default`: where it asks for no other; `route`: likewise, but what it asks for
    /// before it connects is overridden.
    pub(crate) congestion_control_by: &'static str,
    /// What a person should know of the place.
    pub(crate) notes: Vec<String>,
    /// How the far side's program ended before the command did; null where it didn't.
    pub(crate) server_status: Option<u8>,
    /// The path over time, where that was asked for.
    pub(crate) series: Option<Series>,
    /// As the answer to `close`.
    pub(crate) counters: Value,
}

/// Why the command didn't run, and the exit status that says so.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    pub(crate) status: u8,
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

//! Why a bench, or something on it, could not be had.

use std::io;
use std::path::PathBuf;

use nix::errno::Errno;
use pronghorn_path::SpecError;
use thiserror::Error;

/// Why a bench could not be opened.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The host denies what a bench needs; [`crate::enter`] has found out and knows the mend.
    #[error("{reason}")]
    Denied {
        /// What is denied.
        reason: String,
        /// What a person can do about it.
        mend: String,
    },
    /// The path's description is wrong.
    #[error(transparent)]
    Path(#[from] SpecError),
    /// The kernel has no such TCP congestion control.
    #[error(
        "TCP congestion control `{asked}` is not available in this kernel; available: {}",
        available.join(", ")
    )]
    CongestionControl {
        /// The name that was asked for.
        asked: String,
        /// The names that the kernel has.
        available: Vec<String>,
    },
    /// The kernel speaks no IPv6, which the path asks for.
    #[error("this kernel speaks no IPv6, which a path with family = 6 needs")]
    NoIpv6,
    /// A network namespace could not be made.
    #[error("cannot make a network namespace: {}", .0.desc())]
    Namespace(Errno),
    /// A TUN device could not be had.
    #[error("cannot {doing} a TUN device: {}", source.desc())]
    Device {
        /// What was being done with it.
        doing: &'static str,
        /// The kernel's answer.
        source: Errno,
    },
    /// The network inside a namespace could not be set up.
    #[error("cannot {doing} in a host's network: {}", source.desc())]
    Network {
        /// What was being done.
        doing: &'static str,
        /// The kernel's answer.
        source: Errno,
    },
    /// A bench that wasn't opened for a warm-up is asked to begin.
    #[error("the bench was opened without a warm-up: its path has begun already")]
    NoWarmUp,
    /// A host's kernel keeps what TCP learns of its peers beyond the connections, and so beyond a warm-up.
    #[error(
        "cannot set net.ipv4.tcp_no_metrics_save = 1 in a host's network, which a warm-up needs"
    )]
    Metrics,
    /// A setting of the hosts' TCP that no kernel takes.
    #[error("{key} = {asked}; allowed is {least} to {most}")]
    OutOfRange {
        /// Its name.
        key: &'static str,
        /// What was asked for.
        asked: u32,
        /// The least.
        least: u32,
        /// The most.
        most: u32,
    },
    /// The kernel refuses a setting of a host's TCP.
    #[error("cannot set net.ipv4.{name} = {value} in a host's network: {source}")]
    Setting {
        /// Its name below `net.ipv4`.
        name: &'static str,
        /// What was to be set.
        value: String,
        /// The kernel's answer, or what it has instead.
        source: io::Error,
    },
    /// A thread or a descriptor for it could not be had.
    #[error("cannot start a bench's threads: {0}")]
    Threads(#[source] io::Error),
}

impl BenchError {
    /// What a person can do about it, where that is known.
    #[must_use]
    pub fn mend(&self) -> Option<String> {
        match self {
            BenchError::Denied { mend, .. } => Some(mend.clone()),
            BenchError::CongestionControl { asked, .. } => Some(format!(
                "`sudo modprobe tcp_{asked}`, where the kernel has it as a module"
            )),
            BenchError::NoIpv6 => Some(
                "boot without ipv6.disable=1, or measure with --clock virtual, whose kernel speaks it"
                    .to_owned(),
            ),
            BenchError::Metrics | BenchError::Setting { .. } => Some(
                "make /proc/sys/net writable here (in a container: `--privileged`, or /proc/sys mounted writable)"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

/// Why a program could not be started on a host.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The command line is empty.
    #[error("the command line is empty")]
    Empty,
    /// A file for the program's output could not be opened.
    #[error("cannot write {}: {source}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The host is the machine itself, whose name servers its programs have.
    #[error("over loopback a program has the machine's name servers, and none of its own")]
    MachinesResolver,
    /// The program could not be given a name server of its own.
    #[error("cannot {doing}, for a name server of a program's own: {source}")]
    Resolver {
        /// What was being done.
        doing: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The program could not be executed.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The first word of the command line.
        program: String,
        /// The kernel's answer.
        source: io::Error,
    },
}

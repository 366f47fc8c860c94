//! Answers about the engine, a bench and what runs on its hosts.

use std::collections::BTreeMap;
use std::net::IpAddr;

use pronghorn_bench::{PacketsBefore, TcpOfHosts};
use schemars::JsonSchema;
use serde::Serialize;

/// Nothing: the request is done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Nothing {}

/// The engine, and what this host allows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Hello<'a> {
    /// The engine's version.
    pub(crate) version: &'static str,
    /// How hosts are isolated: `root`, `user-namespace`, or `none` where this host denies both.
    pub(crate) isolation: &'static str,
    /// Why there is no isolation. Null where there is.
    pub(crate) isolation_reason: Option<&'a str>,
    /// What to do about it, as a command where there is one.
    pub(crate) mend: Option<&'a str>,
    /// TCP's congestion controls that this kernel has available.
    pub(crate) congestion_controls: Vec<String>,
    /// Versions of the libraries that affect a measurement, by name.
    pub(crate) libraries: BTreeMap<&'static str, &'static str>,
}

/// An open bench.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Opened {
    /// The client's address on the path.
    pub(crate) client_address: IpAddr,
    /// The server's address on the path.
    pub(crate) server_address: IpAddr,
    /// The further addresses of the server's host, as many as were asked for.
    pub(crate) further_addresses: Vec<IpAddr>,
    /// How TCP is set up on both hosts. Null over loopback.
    pub(crate) tcp: Option<TcpOfHosts>,
    /// How long opening took, in seconds.
    pub(crate) open_s: f64,
}

/// A path that began.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Begun {
    /// Packets that entered each link before the path began. Over loopback 0.
    pub(crate) packets_before: PacketsBefore,
    /// Whether everything sent before had arrived. False where the engine stopped waiting after 5 s.
    pub(crate) quiet: bool,
}

/// A started program.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Spawned {
    /// The number by which later requests name it.
    pub(crate) process: u64,
    /// Its process ID.
    pub(crate) pid: u32,
}

/// How a program ended.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Waited {
    /// The exit code, or the negative number of the signal that ended it. Null while it runs.
    pub(crate) status: Option<i32>,
}

/// Whether a port is bound.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Listened {
    /// Whether everything asked for is bound, by whichever process.
    pub(crate) listening: bool,
    /// The status of `process`, as `wait` answers it. Null while it runs, or where none was named.
    pub(crate) status: Option<i32>,
}

/// A host's TCP connections.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Sockets {
    /// Each from the end of its handshake until it has nothing left to send.
    pub(crate) tcp: Vec<Socket>,
}

/// One TCP connection.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Socket {
    /// This host's port.
    pub(crate) local_port: u16,
    /// The other end's port.
    pub(crate) peer_port: u16,
    /// TCP's state as `ss` names it, such as `established` or `fin-wait-1`.
    pub(crate) state: String,
    /// The kernel's name of its congestion control.
    pub(crate) tcp_congestion_control: String,
}

//! Answers about the built-in origin, page loads and the name server.

use std::net::IpAddr;

use pronghorn_client::PageLoad;
use pronghorn_names::LoggedQuery;
use pronghorn_origin::{ConnectionCount, ConnectionEntry, LogEntry, RequestCount, TicketLog};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cpu::Cpu;

/// An origin that listens.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Serving {
    /// Its port, the same for TCP and UDP.
    pub(crate) port: u16,
    /// The TCP port on which it serves in the clear. Null where it doesn't.
    pub(crate) clear_port: Option<u16>,
}

/// A page load. Times are seconds from the start of the navigation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PageLoad")]
pub(crate) struct Loaded {
    #[serde(flatten)]
    pub(crate) page: PageLoad,
    /// CPU time during the load.
    pub(crate) cpu: Cpus,
}

/// CPU time of both ends of a page load.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Cpus {
    /// Of the thread that loads. Null where the kernel doesn't tell.
    pub(crate) client: Option<Cpu>,
    /// Of the thread that serves. Null where the kernel doesn't tell, or no built-in origin runs.
    pub(crate) origin: Option<Cpu>,
}

/// How the built-in origin ended.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OriginEnded {
    /// Whether all requests under way were answered and all connections ended in the time allowed.
    pub(crate) answered: bool,
}

/// What the built-in origin served since it started.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OriginLog {
    /// Answered requests, one by one. Empty where `origin` asked for `counts`.
    pub(crate) requests: Vec<LogEntry>,
    /// All answered requests, counted by kind.
    pub(crate) counts: Vec<RequestCount>,
    /// Connections, read back from the origin's sockets. The first 100 where `origin` asked for `counts`.
    pub(crate) connections: Vec<ConnectionEntry>,
    /// All connections, counted by kind.
    pub(crate) connection_counts: Vec<ConnectionCount>,
    /// Session tickets of TLS 1.3 that clients offered.
    pub(crate) tickets: TicketLog,
    /// CPU time of the thread that serves, in seconds. Null where the kernel doesn't tell.
    pub(crate) cpu_s: Option<f64>,
}

/// A name server that listens.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NameServing {
    /// Its address on the server's host.
    pub(crate) address: IpAddr,
    /// Its port for UDP and TCP.
    pub(crate) port: u16,
}

/// What the name server was asked.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NamesLog {
    /// In the order in which they came.
    pub(crate) queries: Vec<LoggedQuery>,
}

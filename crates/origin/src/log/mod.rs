//! The access log: which requests were served, and over which connections.

mod connections;
mod requests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::Method;
use pronghorn_http::{TicketUses, Tickets};
use schemars::JsonSchema;
use serde::Serialize;

use connections::Connections;
use requests::Requests;

pub(crate) use connections::Open;
pub use connections::{ConnectionCount, ConnectionEntry};
pub(crate) use requests::{Asked, Served};
pub use requests::{LogEntry, LogKeeping, RequestCount};

/// What became of the session tickets that an origin's clients offered, by transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TicketLog {
    /// On connections of HTTP/1.1 and HTTP/2.
    pub tcp: TicketUses,
    /// On those of HTTP/3.
    pub quic: TicketUses,
}

/// A log shared by all of an origin's connections.
#[derive(Debug, Clone)]
pub struct AccessLog {
    keeping: LogKeeping,
    requests: Arc<Mutex<Requests>>,
    connections: Arc<Mutex<Connections>>,
    tcp: Arc<Tickets>,
    quic: Arc<Tickets>,
}

impl AccessLog {
    /// An empty log beside both transports' tickets; its clock starts now.
    pub(crate) fn new(keeping: LogKeeping, tcp: Arc<Tickets>, quic: Arc<Tickets>) -> Self {
        let bounded = keeping == LogKeeping::Counts;
        AccessLog {
            keeping,
            requests: Arc::new(Mutex::new(Requests::new())),
            connections: Arc::new(Mutex::new(Connections::new(bounded))),
            tcp,
            quic,
        }
    }

    /// What is kept of a request for `target` of `host`.
    pub(crate) fn asked(&self, method: &Method, host: &str, target: &str) -> Option<Asked> {
        (self.keeping == LogKeeping::Requests).then(|| Asked::new(method, host, target))
    }

    /// Notes a request the last byte of whose answer was handed over just now.
    pub(crate) fn record(&self, served: Served) {
        lock(&self.requests).note(served, false);
    }

    /// Notes a request whose answer the connection's end has cut off.
    pub(crate) fn record_cut_off(&self, served: Served) {
        lock(&self.requests).note(served, true);
    }

    pub(crate) fn connected_over_tcp(&self, entry: ConnectionEntry) {
        lock(&self.connections).enter(entry, None);
    }

    /// Enters a connection of which more can be learnt. It may be held open until [`AccessLog::ended`] says that it has ended.
    pub(crate) fn connected_over_quic(&self, entry: ConnectionEntry, open: Open) {
        lock(&self.connections).enter(entry, Some(open));
    }

    /// Looks at a connection for the last time, and lets go of it.
    pub(crate) fn ended(&self, number: u64) {
        lock(&self.connections).ended(number);
    }

    /// The connections so far whose handshake was finished; the first hundred of them where counts are kept alone.
    pub fn connections(&self) -> Vec<ConnectionEntry> {
        lock(&self.connections).entries()
    }

    /// How many they are, by kind.
    pub fn connection_counts(&self) -> Vec<ConnectionCount> {
        lock(&self.connections).counts()
    }

    /// The answered requests so far; none where counts are kept alone.
    pub fn entries(&self) -> Vec<LogEntry> {
        lock(&self.requests).entries()
    }

    /// How many they are, by kind.
    pub fn request_counts(&self) -> Vec<RequestCount> {
        lock(&self.requests).counts()
    }

    /// What became of the tickets that clients offered so far.
    pub fn tickets(&self) -> TicketLog {
        TicketLog {
            tcp: self.tcp.uses(),
            quic: self.quic.uses(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

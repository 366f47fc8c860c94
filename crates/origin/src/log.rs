//! The access log: which request was served over which protocol.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use http::StatusCode;
use pronghorn_http::Protocol;
use serde::Serialize;

/// One request as the origin saw it.
#[derive(Debug, Clone, Serialize)]
pub struct LogEntry {
    /// Path as requested.
    pub path: String,
    /// The protocol on which the request came.
    pub protocol: Protocol,
    /// Status of the answer.
    pub status: u16,
    /// Bytes of the answer's body.
    pub bytes: u64,
    /// Seconds from the origin's start to the request's arrival.
    pub arrived_s: f64,
}

/// One connection as the origin saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectionEntry {
    /// The protocol that ALPN chose.
    pub protocol: Protocol,
    /// The congestion control that the origin's end runs, read back from the socket or from quinn.
    pub congestion_control: Option<String>,
    /// Bytes of its socket's receive buffer as the kernel tells them (Linux's are twice those asked
    /// for); none over TCP, whose buffers grow.
    pub udp_receive_buffer: Option<usize>,
}

/// A log shared by all of an origin's connections.
#[derive(Debug, Clone)]
pub struct AccessLog {
    started: Instant,
    entries: Arc<Mutex<Vec<LogEntry>>>,
    connections: Arc<Mutex<Vec<ConnectionEntry>>>,
}

impl AccessLog {
    /// An empty log; its clock starts now.
    pub(crate) fn new() -> Self {
        AccessLog {
            started: Instant::now(),
            entries: Arc::default(),
            connections: Arc::default(),
        }
    }

    pub(crate) fn record(
        &self,
        path: String,
        protocol: Protocol,
        status: StatusCode,
        bytes: usize,
        arrived: Instant,
    ) {
        let entry = LogEntry {
            path,
            protocol,
            status: status.as_u16(),
            bytes: bytes as u64,
            arrived_s: (arrived - self.started).as_secs_f64(),
        };
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(entry);
    }

    pub(crate) fn connected(&self, entry: ConnectionEntry) {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(entry);
    }

    /// The connections so far whose handshake was finished.
    pub fn connections(&self) -> Vec<ConnectionEntry> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The answered requests so far.
    pub fn entries(&self) -> Vec<LogEntry> {
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

//! The access log: which request was served over which protocol.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use http::{Method, StatusCode};
use pronghorn_http::{Protocol, QuicReader, Settings, TicketUses, Tickets};
use serde::Serialize;

/// One request as the origin saw it.
#[derive(Debug, Clone, Serialize)]
pub struct LogEntry {
    /// Its method, as it came.
    pub method: String,
    /// Path as requested.
    pub path: String,
    /// The protocol on which the request came.
    pub protocol: Protocol,
    /// Status of the answer.
    pub status: u16,
    /// Bytes of the answer's body.
    pub bytes: u64,
    /// Whether it came as early data: over TCP the last byte of its head did; over QUIC its stream came
    /// to the origin before the client's handshake was done.
    pub early: bool,
    /// Seconds from the origin's start to the request's arrival.
    pub arrived_s: f64,
    /// Seconds from there until the last byte of its answer was handed to the transport below HTTP:
    /// TLS's and the kernel's buffers, or quinn's. None where the connection ended before.
    pub served_s: Option<f64>,
}

/// One connection as the origin saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConnectionEntry {
    /// The protocol that ALPN chose, or in the clear the client's first bytes.
    pub protocol: Protocol,
    /// Whether it runs over TLS.
    pub tls: bool,
    /// The congestion control that the origin's end runs, read back from the socket or from quinn.
    pub congestion_control: Option<String>,
    /// Bytes of its socket's receive buffer as the kernel tells them (Linux's are twice those asked
    /// for); none over TCP, whose buffers grow.
    pub udp_receive_buffer: Option<usize>,
    /// How the origin's end is set up: TCP's when it was accepted; QUIC's now, or when it ended.
    pub settings: Settings,
}

/// A connection's entry, and the connection itself as long as more can be learnt of it.
#[derive(Debug)]
struct Connected {
    entry: ConnectionEntry,
    open: Option<(quinn::Connection, QuicReader)>,
}

impl Connected {
    fn look(&mut self) -> &ConnectionEntry {
        if let Some((connection, reader)) = &self.open {
            self.entry.settings = Settings::Quic(reader.read(connection));
        }
        &self.entry
    }
}

/// What became of the session tickets that an origin's clients offered, by transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TicketLog {
    /// On connections of HTTP/1.1 and HTTP/2.
    pub tcp: TicketUses,
    /// On those of HTTP/3.
    pub quic: TicketUses,
}

/// An answered request, on its way into the log.
pub(crate) struct Served {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) protocol: Protocol,
    pub(crate) status: StatusCode,
    /// Of the answer's body.
    pub(crate) bytes: usize,
    pub(crate) early: bool,
    pub(crate) arrived: Instant,
}

/// A log shared by all of an origin's connections.
#[derive(Debug, Clone)]
pub struct AccessLog {
    started: Instant,
    entries: Arc<Mutex<Vec<LogEntry>>>,
    connections: Arc<Mutex<Vec<Connected>>>,
    tcp: Arc<Tickets>,
    quic: Arc<Tickets>,
}

impl AccessLog {
    /// An empty log beside both transports' tickets; its clock starts now.
    pub(crate) fn new(tcp: Arc<Tickets>, quic: Arc<Tickets>) -> Self {
        AccessLog {
            started: Instant::now(),
            entries: Arc::default(),
            connections: Arc::default(),
            tcp,
            quic,
        }
    }

    /// Notes a request the last byte of whose answer was handed over just now.
    pub(crate) fn record(&self, served: Served) {
        let served_s = served.arrived.elapsed().as_secs_f64();
        self.note(served, Some(served_s));
    }

    /// Notes a request whose answer the connection's end has cut off.
    pub(crate) fn record_cut_off(&self, served: Served) {
        self.note(served, None);
    }

    fn note(&self, served: Served, served_s: Option<f64>) {
        let entry = LogEntry {
            method: served.method.as_str().to_owned(),
            path: served.path,
            protocol: served.protocol,
            status: served.status.as_u16(),
            bytes: served.bytes as u64,
            early: served.early,
            arrived_s: (served.arrived - self.started).as_secs_f64(),
            served_s,
        };
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(entry);
    }

    pub(crate) fn connected_over_tcp(&self, entry: ConnectionEntry) {
        self.connected(entry, None);
    }

    /// Enters a connection of which more can be learnt. It is held open until [`AccessLog::ended`] says that it has ended.
    pub(crate) fn connected_over_quic(
        &self,
        entry: ConnectionEntry,
        connection: quinn::Connection,
        reader: QuicReader,
    ) {
        self.connected(entry, Some((connection, reader)));
    }

    fn connected(&self, entry: ConnectionEntry, open: Option<(quinn::Connection, QuicReader)>) {
        self.lock_connections().push(Connected { entry, open });
    }

    /// Looks at a connection for the last time, and lets go of it.
    pub(crate) fn ended(&self, connection: &quinn::Connection) {
        let id = connection.stable_id();
        for connected in self.lock_connections().iter_mut() {
            let open = connected.open.as_ref();
            if open.is_some_and(|(open, _)| open.stable_id() == id) {
                connected.look();
                connected.open = None;
            }
        }
    }

    /// The connections so far whose handshake was finished.
    pub fn connections(&self) -> Vec<ConnectionEntry> {
        self.lock_connections()
            .iter_mut()
            .map(|connected| connected.look().clone())
            .collect()
    }

    fn lock_connections(&self) -> MutexGuard<'_, Vec<Connected>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The answered requests so far.
    pub fn entries(&self) -> Vec<LogEntry> {
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What became of the tickets that clients offered so far.
    pub fn tickets(&self) -> TicketLog {
        TicketLog {
            tcp: self.tcp.uses(),
            quic: self.quic.uses(),
        }
    }
}

//! What makes TCP connections of one slot.

use std::io;
use std::sync::Arc;

use pronghorn_http::{begin_connect, begin_connect_unix};

use super::connection::TcpConnection;
use crate::connection::{ConnectionFailure, ConnectionFailureKind};
use crate::endpoint::{Endpoint, Place};
use crate::local;

/// Makes connections that share TLS sessions.
pub(crate) struct Dialer {
    endpoint: Arc<Endpoint>,
    tls: Option<Arc<rustls::ClientConfig>>,
}

impl Dialer {
    pub(crate) fn new(endpoint: Arc<Endpoint>, tls: Option<rustls::ClientConfig>) -> Dialer {
        Dialer {
            endpoint,
            tls: tls.map(Arc::new),
        }
    }

    /// Begins a connection.
    pub(crate) fn dial(&self) -> Result<TcpConnection, ConnectionFailure> {
        let endpoint = &self.endpoint;
        let pending = match &endpoint.place {
            Place::Internet(address) => begin_connect(endpoint.tcp.as_ref(), *address)
                .map_err(|error| local::refusal(&error).unwrap_or_else(|| failure(&error)))?,
            Place::Unix(path) => begin_connect_unix(path).map_err(|error| of_unix(&error))?,
        };
        TcpConnection::new(endpoint.clone(), self.tls.clone(), pending)
    }
}

/// Why there is no connection to a Unix socket. Connecting doesn't wait for a server whose queue is full (unix(7)).
fn of_unix(error: &io::Error) -> ConnectionFailure {
    match error.kind() {
        io::ErrorKind::WouldBlock => ConnectionFailure::new(
            ConnectionFailureKind::Refused,
            "the server's queue of new connections is full",
        ),
        io::ErrorKind::PermissionDenied => failure(error),
        _ => local::refusal(error).unwrap_or_else(|| failure(error)),
    }
}

/// Why the kernel has no connection.
pub(super) fn failure(error: &io::Error) -> ConnectionFailure {
    use ConnectionFailureKind as Kind;
    let kind = match error.kind() {
        io::ErrorKind::ConnectionRefused => Kind::Refused,
        io::ErrorKind::TimedOut => Kind::Timeout,
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionAborted => Kind::Reset,
        // ENETUNREACH, EHOSTUNREACH, EACCES by ICMPv6 …
        _ => Kind::Unreachable,
    };
    ConnectionFailure::new(kind, error.to_string())
}

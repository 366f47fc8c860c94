//! What a load asks of its connections.

use std::net::SocketAddr;
use std::path::PathBuf;

use pronghorn_http::{Protocol, QuicCongestionControl, TcpStack, TransportKnobs};
use rustls::pki_types::ServerName;

/// What all connections of a load have in common.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) protocol: Protocol,
    pub(crate) place: Place,
    /// Whom the certificate has to name.
    pub(crate) server_name: ServerName<'static>,
    /// TLS that neither resumes nor keeps sessions; none in the clear.
    pub(crate) tls: Option<rustls::ClientConfig>,
    /// Requests at a time on a connection.
    pub(crate) streams: u32,
    /// None: TCP as the host has it.
    pub(crate) tcp: Option<TcpStack>,
    pub(crate) quic: QuicCongestionControl,
    pub(crate) knobs: TransportKnobs,
}

/// Where the server is.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Internet(SocketAddr),
    Unix(PathBuf),
}

//! What makes a slot's connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use pronghorn_http::{Protocol, QuicCongestionControl, TcpStack, TransportKnobs};
use rustls::pki_types::ServerName;

use crate::connection::{AnyConnection, ConnectionFailure};
use crate::error::LoadError;
use crate::quic::{QuicClient, QuicConnection};
use crate::tcp;

/// What all connections of a load have in common.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) protocol: Protocol,
    pub(crate) address: SocketAddr,
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

/// Makes the connections of one slot, which share sessions.
pub(crate) enum Dialer {
    Tcp(tcp::Dialer),
    Quic(Arc<QuicClient>),
}

impl Dialer {
    /// `tls`: the endpoint's with the slot's own sessions; none in the clear.
    pub(crate) fn new(
        endpoint: &Arc<Endpoint>,
        tls: Option<rustls::ClientConfig>,
    ) -> Result<Dialer, LoadError> {
        match (endpoint.protocol, tls) {
            (Protocol::H3, Some(tls)) => {
                let client = QuicClient::new(endpoint, tls)?;
                Ok(Dialer::Quic(Arc::new(client)))
            }
            (Protocol::H3, None) => Err(LoadError::spec("targets", "QUIC has no clear")),
            (_, tls) => Ok(Dialer::Tcp(tcp::Dialer::new(endpoint.clone(), tls))),
        }
    }

    /// Begins a connection.
    pub(crate) fn dial(&self, now: Instant) -> Result<AnyConnection, ConnectionFailure> {
        match self {
            Dialer::Tcp(dialer) => Ok(AnyConnection::Tcp(Box::new(dialer.dial()?))),
            Dialer::Quic(client) => {
                let connection = QuicConnection::open(client, now)?;
                Ok(AnyConnection::Quic(Box::new(connection)))
            }
        }
    }
}

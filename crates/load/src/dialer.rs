//! What makes a slot's connections.

use std::sync::Arc;
use std::time::Instant;

use pronghorn_http::Protocol;

use crate::any_connection::AnyConnection;
use crate::connection::ConnectionFailure;
use crate::endpoint::Endpoint;
use crate::error::LoadError;
use crate::quic::{QuicClient, QuicConnection};
use crate::tcp;

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

//! What connections to one server have in common.

use std::net::SocketAddr;
use std::sync::Arc;

use pronghorn_http::{QuicOptions, QuicWatch, TransportKnobs, client_quic_config};
use pronghorn_http3::message::KnownHeads;
use quinn_proto::{ClientConfig, EndpointConfig, RandomConnectionIdGenerator};

use crate::endpoint::{Endpoint, Place};
use crate::error::LoadError;

/// Bytes of a window where none is asked for, of a stream as of the connection: HTTP/2's largest but one bit, as h2load's
/// are over HTTP/2 and 3.
const WINDOW: u32 = (1 << 30) - 1;

/// What each connection's random numbers begin with: which packet numbers are skipped, and which reserved transport parameter
/// is sent to be passed over (RFC 9000 §18.1). nginx looks at its number's lowest 16 bits alone, and takes one in some thousand
/// for a parameter that it knows and a value that is wrong; this seed's is none of these. Keys have other sources.
const SEED: [u8; 32] = [1; 32];

/// Makes connections to one server.
pub(crate) struct QuicClient {
    pub(super) config: ClientConfig,
    pub(super) endpoint: Arc<EndpointConfig>,
    pub(super) knobs: TransportKnobs,
    pub(super) server: SocketAddr,
    pub(super) name: String,
    pub(super) streams: usize,
    /// Heads of responses that its connections have read.
    pub(super) known: Arc<KnownHeads>,
}

impl QuicClient {
    /// With the slot's own TLS, which must offer `h3`.
    ///
    /// # Errors
    /// What rustls refuses, and a place without UDP.
    pub(crate) fn new(
        endpoint: &Endpoint,
        tls: rustls::ClientConfig,
    ) -> Result<QuicClient, LoadError> {
        let Place::Internet(server) = endpoint.place else {
            return Err(LoadError::spec("unix_socket", "QUIC goes over UDP"));
        };
        let knobs = endpoint.knobs;
        let knobs = TransportKnobs {
            stream_window: knobs.stream_window.or(Some(WINDOW)),
            connection_window: knobs.connection_window.or(Some(WINDOW)),
            ..knobs
        };
        let options = QuicOptions {
            congestion_control: endpoint.quic,
            knobs,
            watch: QuicWatch::default(),
        };
        let config = client_quic_config(tls, &options)?;
        let mut shared = EndpointConfig::default();
        // A socket of its own names the connection; there is nothing to tell the server of other names.
        shared.cid_generator(|| Box::new(RandomConnectionIdGenerator::new(0)));
        shared.rng_seed(Some(SEED));
        Ok(QuicClient {
            config,
            endpoint: Arc::new(shared),
            knobs,
            server,
            name: endpoint.server_name.to_str().into_owned(),
            streams: endpoint.streams as usize,
            known: Arc::default(),
        })
    }
}

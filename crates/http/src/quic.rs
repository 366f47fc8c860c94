//! QUIC endpoints on quinn, with its defaults but for the congestion control, the number of concurrent
//! requests and a client's keep-alive.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use pronghorn_flight::{End, Recorder};
use quinn::congestion::ControllerFactory;
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    ClientConfig, Connecting, ConnectionError, Endpoint, EndpointConfig, Incoming, ServerConfig,
    TokioRuntime, TransportConfig,
};

use crate::flight::MeteredFactory;
use crate::{MAX_CONCURRENT_REQUESTS, QlogFolder, QuicCongestionControl, TlsError};

/// The QUIC implementation of this crate, as manifests name it.
pub const QUIC_STACK: &str = "quinn";

/// After so long without a packet from the server a client sends a PING: one that has nothing to
/// acknowledge (its NAT was rebound and swallowed all that was under way) would else wait for a server
/// that can't find it. Chromium's, with requests open (`kPingTimeoutSecs`, quiche's
/// quic_constants.h); quinn itself has none.
const CLIENT_KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How an endpoint's connections are watched; by default not at all.
#[derive(Debug, Clone, Default)]
pub struct QuicWatch {
    /// Who takes what they do over time ([`crate::record_flight`]).
    pub flight: Option<Arc<Recorder>>,
    /// Where each leaves a qlog.
    pub qlog: Option<Arc<QlogFolder>>,
}

impl QuicWatch {
    fn transport(&self, congestion_control: QuicCongestionControl) -> TransportConfig {
        let factory: Arc<dyn ControllerFactory + Send + Sync> = match &self.flight {
            Some(_) => Arc::new(MeteredFactory(congestion_control.factory())),
            None => congestion_control.factory(),
        };
        let mut transport = TransportConfig::default();
        transport
            .congestion_controller_factory(factory)
            .max_concurrent_bidi_streams(MAX_CONCURRENT_REQUESTS.into());
        transport
    }

    fn client_transport(&self, congestion_control: QuicCongestionControl) -> TransportConfig {
        let mut transport = self.transport(congestion_control);
        transport.keep_alive_interval(Some(CLIENT_KEEP_ALIVE));
        transport
    }
}

/// A client's QUIC configuration over its TLS configuration (which must offer `h3`), without a qlog.
pub fn client_quic_config(
    tls: rustls::ClientConfig,
    congestion_control: QuicCongestionControl,
    watch: &QuicWatch,
) -> Result<ClientConfig, TlsError> {
    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
    config.transport_config(Arc::new(watch.client_transport(congestion_control)));
    Ok(config)
}

/// Such a configuration for one connection, which leaves a qlog; none where none is asked for.
pub fn logged_client_config(
    config: &ClientConfig,
    congestion_control: QuicCongestionControl,
    watch: &QuicWatch,
) -> Option<ClientConfig> {
    let folder = watch.qlog.as_ref()?;
    let mut transport = watch.client_transport(congestion_control);
    transport.qlog_stream(folder.stream(End::Client));
    let mut config = config.clone();
    config.transport_config(Arc::new(transport));
    Some(config)
}

/// Any address of a client's own that can reach `server`, on a port of the kernel's choice.
pub fn any_local(server: SocketAddr) -> SocketAddr {
    match server {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    }
}

/// An endpoint for connections over a bound socket. Must be called inside a tokio runtime.
pub fn client_endpoint(config: ClientConfig, socket: UdpSocket) -> std::io::Result<Endpoint> {
    let runtime = Arc::new(TokioRuntime);
    let mut endpoint = Endpoint::new(EndpointConfig::default(), None, socket, runtime)?;
    endpoint.set_default_client_config(config);
    Ok(endpoint)
}

/// A server's endpoint, whose connections are watched.
#[derive(Debug)]
pub struct QuicServer {
    /// The endpoint, from which connections come.
    pub endpoint: Endpoint,
    config: ServerConfig,
    congestion_control: QuicCongestionControl,
    watch: QuicWatch,
}

impl QuicServer {
    /// Accepts a connection that has come; an error is one of the peer's.
    pub fn accept(&self, incoming: Incoming) -> Result<Connecting, ConnectionError> {
        let Some(folder) = &self.watch.qlog else {
            return incoming.accept();
        };
        let mut transport = self.watch.transport(self.congestion_control);
        transport.qlog_stream(folder.stream(End::Server));
        let mut config = self.config.clone();
        config.transport_config(Arc::new(transport));
        incoming.accept_with(Arc::new(config))
    }

    /// Who takes what its connections do over time.
    #[must_use]
    pub fn flight(&self) -> Option<&Arc<Recorder>> {
        self.watch.flight.as_ref()
    }
}

/// A server's endpoint on a bound socket. Must be called inside a tokio runtime.
pub fn server_endpoint(
    socket: UdpSocket,
    tls: rustls::ServerConfig,
    congestion_control: QuicCongestionControl,
    watch: QuicWatch,
) -> Result<QuicServer, TlsError> {
    let crypto = QuicServerConfig::try_from(Arc::new(tls))?;
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(Arc::new(watch.transport(congestion_control)));
    let endpoint = Endpoint::new(
        EndpointConfig::default(),
        Some(config.clone()),
        socket,
        Arc::new(TokioRuntime),
    )?;
    Ok(QuicServer {
        endpoint,
        config,
        congestion_control,
        watch,
    })
}

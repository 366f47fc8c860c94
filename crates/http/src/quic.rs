//! QUIC endpoints on quinn, with its defaults but for the congestion control, the number of concurrent
//! requests and a client's keep-alive.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Endpoint, EndpointConfig, ServerConfig, TokioRuntime, TransportConfig};

use crate::{MAX_CONCURRENT_REQUESTS, QuicCongestionControl, TlsError};

/// The QUIC implementation of this crate, as manifests name it.
pub const QUIC_STACK: &str = "quinn";

/// After so long without a packet from the server a client sends a PING: one that has nothing to
/// acknowledge (its NAT was rebound and swallowed all that was under way) would else wait for a server
/// that can't find it. Chromium's, with requests open (`kPingTimeoutSecs`, quiche's
/// quic_constants.h); quinn itself has none.
const CLIENT_KEEP_ALIVE: Duration = Duration::from_secs(15);

fn transport(congestion_control: QuicCongestionControl) -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .congestion_controller_factory(congestion_control.factory())
        .max_concurrent_bidi_streams(MAX_CONCURRENT_REQUESTS.into());
    transport
}

/// A client's QUIC configuration over its TLS configuration (which must offer `h3`).
pub fn client_quic_config(
    tls: rustls::ClientConfig,
    congestion_control: QuicCongestionControl,
) -> Result<ClientConfig, TlsError> {
    let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
    let mut transport = transport(congestion_control);
    transport.keep_alive_interval(Some(CLIENT_KEEP_ALIVE));
    config.transport_config(Arc::new(transport));
    Ok(config)
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

/// A server's endpoint on a bound socket. Must be called inside a tokio runtime.
pub fn server_endpoint(
    socket: UdpSocket,
    tls: rustls::ServerConfig,
    congestion_control: QuicCongestionControl,
) -> Result<Endpoint, TlsError> {
    let crypto = QuicServerConfig::try_from(Arc::new(tls))?;
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(Arc::new(transport(congestion_control)));
    Ok(Endpoint::new(
        EndpointConfig::default(),
        Some(config),
        socket,
        Arc::new(TokioRuntime),
    )?)
}

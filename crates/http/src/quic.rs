//! QUIC endpoints on quinn, with its defaults but for the congestion control, the number of concurrent
//! requests, a client's keep-alive, and what else is asked for.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use pronghorn_flight::{End, Recorder};
use quinn::congestion::ControllerFactory;
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    AckFrequencyConfig, AsyncUdpSocket, ClientConfig, Connecting, ConnectionError, Endpoint,
    EndpointConfig, Incoming, ServerConfig, TokioRuntime, TransportConfig,
};
use rustls::crypto::aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256;

use crate::flight::MeteredFactory;
use crate::gather::Gathering;
use crate::handshake_room::HandshakeRoomFactory;
use crate::probes::{HandshakeProbes, Probing};
use crate::{
    MAX_CONCURRENT_REQUESTS, QlogFolder, QuicCongestionControl, QuicReader, QuicSocket, TlsError,
    TransportKnobs,
};

/// The QUIC implementation of this crate, as manifests name it.
pub const QUIC_STACK: &str = "quinn";

/// After so long without a packet from the server a client sends a PING: one that has nothing to
/// acknowledge (its NAT was rebound and swallowed all that was under way) would else wait for a server
/// that can't find it. Chromium's, with requests open (`kPingTimeoutSecs`, quiche's
/// quic_constants.h); quinn itself has none.
pub(crate) const CLIENT_KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How an endpoint's connections are watched; by default not at all.
#[derive(Debug, Clone, Default)]
pub struct QuicWatch {
    /// Who takes what they do over time ([`crate::record_flight`]).
    pub flight: Option<Arc<Recorder>>,
    /// Where each leaves a qlog.
    pub qlog: Option<Arc<QlogFolder>>,
}

/// How the connections of an endpoint are to be.
#[derive(Debug, Clone)]
pub struct QuicOptions {
    /// What decides how much is sent.
    pub congestion_control: QuicCongestionControl,
    /// What else is asked for.
    pub knobs: TransportKnobs,
    /// How they are watched.
    pub watch: QuicWatch,
}

/// quinn's bound on what a connection keeps until it is acknowledged (`send_window`), in bytes.
pub(crate) const SEND_WINDOW: u64 = 10_000_000;

impl QuicOptions {
    fn controllers(&self) -> Arc<dyn ControllerFactory + Send + Sync> {
        let control = self.congestion_control;
        control.factory_beginning_with(self.knobs.initial_window)
    }

    fn watched(
        &self,
        factory: Arc<dyn ControllerFactory + Send + Sync>,
    ) -> Arc<dyn ControllerFactory + Send + Sync> {
        match &self.watch.flight {
            Some(_) => Arc::new(MeteredFactory(factory)),
            None => factory,
        }
    }

    fn transport(&self) -> TransportConfig {
        let knobs = &self.knobs;
        let mut transport = TransportConfig::default();
        transport
            .congestion_controller_factory(self.watched(self.controllers()))
            .max_concurrent_bidi_streams(MAX_CONCURRENT_REQUESTS.into());
        if let Some(window) = knobs.stream_window {
            transport.stream_receive_window(window.into());
        }
        if let Some(window) = knobs.connection_window {
            transport.receive_window(window.into());
        }
        // What the windows permit isn't to be held back by what is kept for retransmission.
        if let Some(window) = knobs.stream_window.max(knobs.connection_window) {
            transport.send_window(SEND_WINDOW.max(window.into()));
        }
        if let Some(allowed) = knobs.segmentation_offload {
            transport.enable_segmentation_offload(allowed);
        }
        if let Some(packets) = knobs.ack_frequency {
            let mut frequency = AckFrequencyConfig::default();
            // Reordering is told at once, as without the extension.
            frequency
                .ack_eliciting_threshold(packets.into())
                .reordering_threshold(1_u32.into());
            transport.ack_frequency_config(Some(frequency));
        }
        if knobs.mtu_discovery == Some(false) {
            transport.mtu_discovery_config(None);
        }
        if let Some(payload) = knobs.initial_mtu {
            transport.initial_mtu(payload);
        }
        transport
    }

    /// A server's payloads don't shrink where they aren't to be looked for: else losses in a row were taken for a smaller
    /// MTU, and nothing led back from quinn's 1200 bytes. (A client's Initial packets would all be padded.)
    fn server_transport(&self) -> TransportConfig {
        let mut transport = self.transport();
        let controllers = Arc::new(HandshakeRoomFactory(self.controllers()));
        transport.congestion_controller_factory(self.watched(controllers));
        if let (Some(false), Some(payload)) = (self.knobs.mtu_discovery, self.knobs.initial_mtu) {
            transport.min_mtu(payload);
        }
        transport
    }

    fn client_transport(&self) -> TransportConfig {
        let mut transport = self.transport();
        transport.keep_alive_interval(Some(CLIENT_KEEP_ALIVE));
        transport
    }
}

/// A client's QUIC configuration over its TLS configuration (which must offer `h3`), without a qlog.
pub fn client_quic_config(
    tls: rustls::ClientConfig,
    options: &QuicOptions,
) -> Result<ClientConfig, TlsError> {
    let tls = Arc::new(tls);
    // Initial packets have this cipher (RFC 9001, section 5), whatever the client offers for the others.
    let initial = TLS13_AES_128_GCM_SHA256.tls13();
    let crypto = match initial.and_then(|suite| suite.quic_suite()) {
        Some(initial) => QuicClientConfig::with_initial(tls, initial)?,
        None => QuicClientConfig::try_from(tls)?,
    };
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(Arc::new(options.client_transport()));
    Ok(config)
}

/// Such a configuration for one connection, which leaves a qlog; none where none is asked for.
pub fn logged_client_config(config: &ClientConfig, options: &QuicOptions) -> Option<ClientConfig> {
    let folder = options.watch.qlog.as_ref()?;
    let mut transport = options.client_transport();
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

/// An endpoint for connections over a bound socket, and what each of them is to be accompanied by
/// ([`HandshakeProbes::accompany`]). Must be called inside a tokio runtime.
pub fn client_endpoint(
    config: ClientConfig,
    socket: &QuicSocket,
) -> std::io::Result<(Endpoint, HandshakeProbes)> {
    let (probing, probes) = Probing::over(socket.socket.clone());
    let mut endpoint = endpoint(None, probing)?;
    endpoint.set_default_client_config(config);
    Ok((endpoint, probes))
}

fn endpoint(
    server: Option<ServerConfig>,
    socket: Arc<dyn AsyncUdpSocket>,
) -> std::io::Result<Endpoint> {
    Endpoint::new_with_abstract_socket(
        EndpointConfig::default(),
        server,
        socket,
        Arc::new(TokioRuntime),
    )
}

/// A server's endpoint, whose connections are watched.
#[derive(Debug)]
pub struct QuicServer {
    /// The endpoint, from which connections come.
    pub endpoint: Endpoint,
    config: ServerConfig,
    options: QuicOptions,
    reader: QuicReader,
}

impl QuicServer {
    /// Accepts a connection that has come; an error is one of the peer's.
    pub fn accept(&self, incoming: Incoming) -> Result<Connecting, ConnectionError> {
        let Some(folder) = &self.options.watch.qlog else {
            return incoming.accept();
        };
        let mut transport = self.options.server_transport();
        transport.qlog_stream(folder.stream(End::Server));
        let mut config = self.config.clone();
        config.transport_config(Arc::new(transport));
        incoming.accept_with(Arc::new(config))
    }

    /// Who takes what its connections do over time.
    #[must_use]
    pub fn flight(&self) -> Option<&Arc<Recorder>> {
        self.options.watch.flight.as_ref()
    }

    /// What reads back how its connections are set up.
    #[must_use]
    pub fn reader(&self) -> &QuicReader {
        &self.reader
    }
}

/// A server's QUIC configuration over its TLS configuration, without a qlog.
pub fn server_quic_config(
    tls: rustls::ServerConfig,
    options: &QuicOptions,
) -> Result<ServerConfig, TlsError> {
    let crypto = QuicServerConfig::try_from(Arc::new(tls))?;
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config.transport_config(Arc::new(options.server_transport()));
    Ok(config)
}

/// A server's endpoint on a bound socket. Must be called inside a tokio runtime.
pub fn server_endpoint(
    socket: QuicSocket,
    tls: rustls::ServerConfig,
    options: QuicOptions,
) -> Result<QuicServer, TlsError> {
    let config = server_quic_config(tls, &options)?;
    let gathering = Gathering::over(socket.socket.clone());
    let endpoint = endpoint(Some(config.clone()), gathering)?;
    Ok(QuicServer {
        endpoint,
        config,
        reader: QuicReader::new(options.knobs, socket),
        options,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{CONNECTION_WINDOW, STREAM_WINDOW};

    fn options(knobs: TransportKnobs) -> QuicOptions {
        QuicOptions {
            congestion_control: QuicCongestionControl::Cubic,
            knobs,
            watch: QuicWatch::default(),
        }
    }

    fn transport(knobs: TransportKnobs) -> String {
        format!("{:?}", options(knobs).transport())
    }

    #[test]
    fn what_is_not_asked_for_is_as_quinn_ships_it() {
        let mut shipped = TransportConfig::default();
        shipped.max_concurrent_bidi_streams(MAX_CONCURRENT_REQUESTS.into());
        let shipped = format!("{shipped:?}");
        assert_eq!(transport(TransportKnobs::default()), shipped);
        for (key, value) in [
            ("stream_receive_window", STREAM_WINDOW),
            ("receive_window", CONNECTION_WINDOW),
            ("send_window", SEND_WINDOW),
        ] {
            let field = format!(" {key}: {value},");
            assert!(shipped.contains(&field), "{field} in {shipped}");
        }
    }

    #[test]
    fn what_is_asked_for_is_what_quinn_gets() {
        let told = transport(TransportKnobs {
            stream_window: Some(16 << 20),
            connection_window: Some(24 << 20),
            segmentation_offload: Some(false),
            ack_frequency: Some(9),
            mtu_discovery: Some(false),
            initial_mtu: Some(1472),
            ..TransportKnobs::default()
        });
        for field in [
            " stream_receive_window: 16777216,",
            " receive_window: 25165824,",
            " send_window: 25165824,",
            " enable_segmentation_offload: false,",
            " mtu_discovery_config: None,",
            " initial_mtu: 1472,",
            " ack_eliciting_threshold: 9, max_ack_delay: None, reordering_threshold: 1 ",
        ] {
            assert!(told.contains(field), "{field} in {told}");
        }
    }

    #[test]
    fn a_servers_payloads_shrink_only_where_they_may_grow_again() {
        for (mtu_discovery, least) in [(Some(false), 1472), (Some(true), 1200), (None, 1200)] {
            let options = options(TransportKnobs {
                initial_mtu: Some(1472),
                mtu_discovery,
                ..TransportKnobs::default()
            });
            let (server, client) = (options.server_transport(), options.client_transport());
            let server = format!("{server:?}");
            assert!(server.contains(&format!(" min_mtu: {least},")), "{server}");
            assert!(format!("{client:?}").contains(" min_mtu: 1200,"));
        }
    }

    #[test]
    fn every_controller_begins_with_the_window_asked_for() {
        for control in [
            QuicCongestionControl::Cubic,
            QuicCongestionControl::NewReno,
            QuicCongestionControl::Bbr,
        ] {
            let now = std::time::Instant::now();
            let begun = |window| control.factory_beginning_with(window).build(now, 1200);
            let asked = begun(Some(14_480));
            assert_eq!((asked.window(), asked.initial_window()), (14_480, 14_480));
            assert_eq!(
                begun(None).window(),
                control.factory().build(now, 1200).window()
            );
        }
    }
}

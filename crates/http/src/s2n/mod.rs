//! QUIC endpoints on s2n-quic, with its defaults but for the congestion control, the number of concurrent requests, a
//! client's keep-alive, the room for what isn't acknowledged, and what else is asked for.
//!
//! | question | file |
//! |---|---|
//! | which response is sent first | `order.rs` |
//! | what does the stack tell of a connection | `subscriber.rs`, kept in `told.rs`, for the flight recorder in `flight.rs` |
//! | how does HTTP/3 use it | `connection.rs` |

mod connection;
mod flight;
mod order;
mod subscriber;
mod told;

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pronghorn_flight::{End, Recorder};
use s2n_quic::client::Connect;
use s2n_quic::provider::congestion_controller::{bbr, cubic};
use s2n_quic::provider::io::tokio as io;
use s2n_quic::provider::limits::Limits;
use s2n_quic::provider::tls::rustls as s2n_rustls;

use self::subscriber::{Features, Subscriber};
use crate::h3::Ended;
use crate::quic::{CLIENT_KEEP_ALIVE, SEND_WINDOW};
use crate::udp::Buffer;
use crate::{
    MAX_CONCURRENT_REQUESTS, QuicCongestionControl, QuicOptions, QuicSettings, QuicStack, TlsError,
    TransportKnobs,
};

pub use connection::{S2nConnection, S2nReceive, S2nSend, S2nTold};

/// s2n-quic's windows of a stream and of a connection where none are asked for: twice 150 Mbit/s over 100 ms.
const DATA_WINDOW: u64 = 3_750_000;

/// Bytes of its first UDP payloads, likewise (RFC 9000 §14).
const FIRST_PAYLOAD: u16 = 1200;

/// Bytes of IP's and UDP's headers, which s2n-quic's sizes of packets include, by the socket's version of IP.
fn headers(socket: &UdpSocket) -> std::io::Result<u16> {
    Ok(match socket.local_addr()? {
        SocketAddr::V4(_) => 20 + 8,
        SocketAddr::V6(_) => 40 + 8,
    })
}

/// How an endpoint is set up, for reading that back.
#[derive(Debug, Clone)]
pub struct S2nReader {
    control: QuicCongestionControl,
    knobs: TransportKnobs,
    buffers: [usize; 2],
    features: Arc<Features>,
}

impl S2nReader {
    fn new(options: &QuicOptions, socket: &UdpSocket) -> std::io::Result<S2nReader> {
        Ok(S2nReader {
            control: options.congestion_control,
            knobs: options.knobs,
            buffers: [Buffer::Receive.of(socket)?, Buffer::Send.of(socket)?],
            features: Arc::default(),
        })
    }

    /// Bytes of the socket's receive buffer, as the kernel tells.
    #[must_use]
    pub fn receive_buffer(&self) -> usize {
        self.buffers[0]
    }

    /// How a connection is set up now.
    #[must_use]
    pub fn read(&self, told: &S2nTold) -> QuicSettings {
        let knobs = &self.knobs;
        let state = told.0.state();
        // BBR's window may have grown before its first figures.
        let told = state
            .first_window
            .filter(|_| self.control == QuicCongestionControl::Cubic);
        let first_payload = knobs.initial_mtu.unwrap_or(FIRST_PAYLOAD);
        QuicSettings {
            stack: QuicStack::S2n,
            initial_window: told
                .or(knobs.initial_window)
                .unwrap_or(initial_window(first_payload)),
            pacing: true,
            stream_window: knobs.stream_window.map_or(DATA_WINDOW, u64::from),
            connection_window: knobs.connection_window.map_or(DATA_WINDOW, u64::from),
            udp_payload: match state.udp_payload {
                0 => first_payload,
                told => told,
            },
            mtu_discovery: knobs.mtu_discovery.unwrap_or(true),
            udp_receive_buffer: self.buffers[0],
            udp_send_buffer: self.buffers[1],
            segmentation_offload: self.features.segments.load(Ordering::Relaxed),
            ack_frequency: None,
        }
    }
}

/// The first window for such payloads, RFC 9002's (§7.2).
fn initial_window(payload: u16) -> u64 {
    let payload = u64::from(payload);
    (10 * payload).min(14_720.max(2 * payload))
}

/// An endpoint, client or server: their builders have the same methods, and no trait that has them.
macro_rules! started {
    ($endpoint:ty, $tls:expr, $options:expr, $socket:expr, $reader:expr) => {{
        let knobs = &$options.knobs;
        let builder = <$endpoint>::builder()
            .with_io(provider($socket, knobs)?)
            .map_err(refused)?
            .with_tls($tls)
            .map_err(refused)?
            .with_limits(limits(knobs)?)
            .map_err(refused)?
            .with_event(Subscriber {
                features: $reader.features.clone(),
            })
            .map_err(refused)?;
        match $options.congestion_control {
            QuicCongestionControl::Bbr2 => builder
                .with_congestion_controller(bbr2(knobs))
                .map_err(refused)?
                .start(),
            _ => builder
                .with_congestion_controller(cubic_with(knobs))
                .map_err(refused)?
                .start(),
        }
    }};
}

/// A client's endpoint on a bound socket.
pub struct S2nClient {
    client: s2n_quic::Client,
    reader: S2nReader,
}

impl S2nClient {
    /// Must be called inside a tokio runtime.
    pub fn new(
        tls: rustls::ClientConfig,
        options: &QuicOptions,
        socket: UdpSocket,
    ) -> Result<S2nClient, TlsError> {
        let reader = S2nReader::new(options, &socket)?;
        let tls = s2n_rustls::Client::from(tls);
        let client = started!(s2n_quic::Client, tls, options, socket, reader);
        Ok(S2nClient {
            client: client.map_err(refused)?,
            reader,
        })
    }

    /// Connects and secures.
    pub async fn connect(
        &self,
        address: SocketAddr,
        host_name: &str,
    ) -> Result<S2nConnection, Ended> {
        let connect = Connect::new(address).with_server_name(host_name);
        let mut connection = S2nConnection::new(self.client.connect(connect).await?)?;
        connection.keep_alive();
        Ok(connection)
    }

    /// What reads back how its connections are set up.
    #[must_use]
    pub fn reader(&self) -> &S2nReader {
        &self.reader
    }

    /// Waits until none of its connections, which were closed, can be heard of any more.
    pub async fn idle(&self) {
        // An endpoint that has gone away is idle as well.
        let _ = self.client.clone().wait_idle().await;
    }
}

/// A server's endpoint on a bound socket, whose connections are watched.
pub struct S2nServer {
    server: tokio::sync::Mutex<s2n_quic::Server>,
    reader: S2nReader,
    flight: Option<Arc<Recorder>>,
}

impl S2nServer {
    /// Must be called inside a tokio runtime.
    pub fn new(
        tls: rustls::ServerConfig,
        options: &QuicOptions,
        socket: UdpSocket,
    ) -> Result<S2nServer, TlsError> {
        let reader = S2nReader::new(options, &socket)?;
        let tls = s2n_rustls::Server::from(tls);
        let server = started!(s2n_quic::Server, tls, options, socket, reader);
        Ok(S2nServer {
            server: tokio::sync::Mutex::new(server.map_err(refused)?),
            reader,
            flight: options.watch.flight.clone(),
        })
    }

    /// Waits for the next connection whose handshake is done; none at the endpoint's end.
    pub async fn accept(&self) -> Option<S2nConnection> {
        loop {
            let connection = self.server.lock().await.accept().await?;
            // One that has ended meanwhile is nobody's.
            if let Ok(connection) = S2nConnection::new(connection) {
                return Some(connection);
            }
        }
    }

    /// Who takes what its connections do over time.
    #[must_use]
    pub fn flight(&self) -> Option<&Arc<Recorder>> {
        self.flight.as_ref()
    }

    /// What reads back how its connections are set up.
    #[must_use]
    pub fn reader(&self) -> &S2nReader {
        &self.reader
    }
}

/// Tells a recorder of a connection until that is closed. `local` is this end's address. s2n-quic tells no count of
/// acknowledged bytes, and QUIC sends no packet again.
pub async fn record_s2n_flight(
    connection: S2nConnection,
    local: SocketAddr,
    end: End,
    recorder: Arc<Recorder>,
) {
    let Ok([_, peer]) = connection.addresses() else {
        return;
    };
    let watched = flight::Watched {
        connection,
        local,
        peer,
    };
    crate::flight::record(watched, end, recorder).await;
}

/// The socket as s2n-quic uses it.
fn provider(socket: UdpSocket, knobs: &TransportKnobs) -> Result<io::Provider, TlsError> {
    let headers = headers(&socket)?;
    let mut builder = io::Provider::builder()
        .with_rx_socket(socket)?
        .with_gso(knobs.segmentation_offload.unwrap_or(true))?;
    if let Some(payload) = knobs.initial_mtu {
        builder = builder.with_initial_mtu(payload + headers)?;
    }
    if knobs.mtu_discovery == Some(false) {
        let only = knobs.initial_mtu.unwrap_or(FIRST_PAYLOAD) + headers;
        builder = builder.with_base_mtu(only)?.with_max_mtu(only)?;
    }
    Ok(builder.build()?)
}

fn limits(knobs: &TransportKnobs) -> Result<Limits, TlsError> {
    let requests = u64::from(MAX_CONCURRENT_REQUESTS);
    let stream = knobs.stream_window.map_or(DATA_WINDOW, u64::from);
    let connection = knobs.connection_window.map_or(DATA_WINDOW, u64::from);
    Limits::new()
        .with_max_open_local_bidirectional_streams(requests)
        .and_then(|limits| limits.with_max_open_remote_bidirectional_streams(requests))
        .and_then(|limits| limits.with_bidirectional_local_data_window(stream))
        .and_then(|limits| limits.with_bidirectional_remote_data_window(stream))
        .and_then(|limits| limits.with_unidirectional_data_window(stream))
        .and_then(|limits| limits.with_data_window(connection))
        // What the windows permit isn't to be held back by what is kept for retransmission.
        .and_then(|limits| limits.with_max_send_buffer_size(SEND_WINDOW as u32))
        .and_then(|limits| limits.with_max_keep_alive_period(CLIENT_KEEP_ALIVE))
        .map_err(refused)
}

fn cubic_with(knobs: &TransportKnobs) -> s2n_quic::provider::congestion_controller::Cubic {
    let builder = cubic::Builder::default();
    match knobs.initial_window {
        Some(bytes) => builder.with_initial_congestion_window(bytes as u32).build(),
        None => builder.build(),
    }
}

fn bbr2(knobs: &TransportKnobs) -> s2n_quic::provider::congestion_controller::Bbr {
    let builder = bbr::Builder::default();
    match knobs.initial_window {
        Some(bytes) => builder.with_initial_congestion_window(bytes as u32).build(),
        None => builder.build(),
    }
}

fn refused(error: impl std::fmt::Display) -> TlsError {
    TlsError::S2n(error.to_string())
}

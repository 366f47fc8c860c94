//! Client and server transports: HTTP/1.1 and HTTP/2 over rustls and kernel TCP, HTTP/3 over quinn or s2n-quic.
//!
//! What both ends need stands here: protocol names, TLS configuration, sockets whose congestion
//! control is set and read back, QUIC endpoints, and HTTP/3 over quinn's streams.
//!
//! | question | file |
//! |---|---|
//! | which congestion controller does a connection run | `congestion.rs`; set for QUIC in `quic.rs`, for TCP in `tcp.rs` |
//! | what of quinn's defaults is changed | `quic.rs`, `handshake_room.rs` |
//! | what else can be asked for, and what is set up | `knobs.rs`; read back in `settings.rs` |
//! | what does s2n-quic lack, how is it set up and watched | `stack.rs`, `s2n/` |
//! | how are datagrams gathered | `gather.rs` |
//! | what goes with a client's probes before its handshake is confirmed | `probes.rs` |
//! | what does HTTP/3 need of a QUIC stack | `h3/transport.rs` |
//! | what does an HTTP/3 request look like | `h3/client.rs`, `h3/server.rs`; the bytes in `crates/http3` |
//! | what does a QUIC connection do over time | `flight/`, `qlog.rs` |
//! | how is TLS configured | `tls/client.rs`, `tls/server.rs`, `tls/offer.rs` |
//! | which sessions are resumed, which tickets refused | `tls/sessions.rs`, `tls/tickets.rs` |

mod congestion;
mod flight;
mod gather;
pub mod h3;
mod handshake_room;
mod knobs;
mod probes;
mod protocol;
mod qlog;
mod quic;
mod recorded_headers;
mod s2n;
mod settings;
mod stack;
mod tcp;
#[cfg(test)]
mod test_identity;
mod tls;
mod udp;

pub use congestion::{CongestionControl, QuicCongestionControl, UnknownCongestionControl};
pub use flight::{TimeoutCounting, count_timeouts, record_flight};
pub use handshake_room::ShakingHands;
pub use knobs::{KnobError, TransportKnobs};
pub use probes::{HandshakeProbes, ping_along};
pub use protocol::{Handshake, MAX_CONCURRENT_REQUESTS, Protocol, UnknownProtocol};
pub use qlog::QlogFolder;
pub use quic::{
    QUIC_STACK, QuicOptions, QuicServer, QuicWatch, any_local, client_endpoint, client_quic_config,
    logged_client_config, server_endpoint, server_quic_config,
};
pub use recorded_headers::recorded_headers;
pub use s2n::{
    S2nClient, S2nConnection, S2nReader, S2nReceive, S2nSend, S2nServer, S2nTold, record_s2n_flight,
};
pub use settings::{QuicReader, QuicSettings, Settings, TcpSettings};
pub use stack::{QuicStack, StackLacks};
pub use tcp::{
    ConnectError, PendingTcp, TcpStack, begin_connect, begin_connect_unix, congestion_control_of,
    connect, listen,
};
pub use tls::{
    CipherSuite, ClientTls, ClientTlsOptions, KeyExchange, MAX_EARLY_DATA_TCP, QuicNotes,
    SecretLog, SessionStore, SessionUse, Sessions, TicketUses, Tickets, TlsError, TlsFacts,
    TlsOffer, TlsVersion, client_identity, client_tls, connection_facts, server_tls,
};
pub use udp::{Buffer, QuicSocket, UDP_RECEIVE_BUFFER, UdpError, bind_udp};

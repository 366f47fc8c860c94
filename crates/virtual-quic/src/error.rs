//! Why a transfer has no record.

use std::time::Duration;

use pronghorn_path::SpecError;
use quinn_proto::{ConnectError, ConnectionError};

/// Why a transfer couldn't begin, or didn't end.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// A path that can't be.
    #[error("the path: {0}")]
    Path(#[from] SpecError),
    /// A path that real hosts would have to play their part in.
    #[error(
        "the path has {0}, for which there are no hosts in virtual time; a bench has them (`pronghorn run`)"
    )]
    NeedsHosts(&'static str),
    /// The server's certificate couldn't be made.
    #[error("the server's certificate can't be made: {0}")]
    Certificate(#[from] rcgen::Error),
    /// rustls refuses the certificate or the versions.
    #[error("TLS refuses its configuration: {0}")]
    Tls(#[from] rustls::Error),
    /// The cipher suites lack what QUIC's Initial packets need.
    #[error("no TLS 1.3 cipher suite that QUIC's Initial packets need: {0}")]
    NoInitialCipher(#[from] quinn_proto::crypto::rustls::NoInitialCipherSuite),
    /// The client can't begin a connection.
    #[error("the client can't begin a connection: {0}")]
    Connect(#[from] ConnectError),
    /// The server doesn't take the connection.
    #[error("the server doesn't take the connection: {0}")]
    Refused(ConnectionError),
    /// An established connection ended.
    #[error("the connection was lost {at:?} after it began: {reason}")]
    Lost {
        /// Virtual time.
        at: Duration,
        /// quinn's reason.
        reason: ConnectionError,
    },
    /// A datagram was answered without a connection.
    #[error("a datagram came that belongs to no connection, {at:?} after the start")]
    Stray {
        /// Virtual time.
        at: Duration,
    },
    /// The request's stream failed.
    #[error("the request's stream failed: {0}")]
    Stream(String),
    /// The limit came before the last byte.
    #[error("{received} of {bytes} bytes had come after {limit:?} of virtual time")]
    Unfinished {
        /// Bytes that had come.
        received: u64,
        /// Bytes asked for.
        bytes: u64,
        /// The limit.
        limit: Duration,
    },
    /// Nothing is due any more, or the same moment for ever.
    #[error(
        "both ends wait for each other {at:?} after the start; {received} of {bytes} bytes had come"
    )]
    Standstill {
        /// Virtual time.
        at: Duration,
        /// Bytes that had come.
        received: u64,
        /// Bytes asked for.
        bytes: u64,
    },
}

//! What can go wrong on an HTTP/3 connection.

use pronghorn_http3::message::EncodeError;
use pronghorn_http3::{Code, Scope};

use super::transport::{Ended, QuicConnection};

/// An exchange or a connection that failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum H3Error {
    /// The peer broke HTTP/3's rules; it has been told.
    #[error("{0}")]
    Protocol(#[from] pronghorn_http3::Error),
    /// QUIC's connection ended.
    #[error("{0}")]
    Connection(#[from] Ended),
    /// The peer reset the stream.
    #[error("the peer reset the stream with {}", name(*.0))]
    Reset(u64),
    /// The peer doesn't want what we send.
    #[error("the peer stopped the stream with {}", name(*.0))]
    Stopped(u64),
    /// A message that HTTP/3 can't carry.
    #[error("{0}")]
    Encode(#[from] EncodeError),
    /// The stream was opened in early data, which the server rejected: it knows nothing of it.
    #[error("the server rejected the early data")]
    EarlyDataRejected,
    /// The peer is going away and takes no new requests.
    #[error("the peer is going away (GOAWAY)")]
    GoingAway,
}

/// A code by its registered name, or as a number.
fn name(code: u64) -> String {
    format!("{}", Code::from_u64(code))
}

/// Closes the connection where an error is the connection's; says which.
pub(super) fn close_if_fatal(quic: &impl QuicConnection, error: &pronghorn_http3::Error) {
    if error.scope == Scope::Connection {
        quic.close(error.code, error.reason);
    }
}

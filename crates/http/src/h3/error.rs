//! What can go wrong on an HTTP/3 connection.

use pronghorn_http3::message::EncodeError;
use pronghorn_http3::{Code, Scope};

/// An exchange or a connection that failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum H3Error {
    /// The peer broke HTTP/3's rules; it has been told.
    #[error("{0}")]
    Protocol(#[from] pronghorn_http3::Error),
    /// QUIC's connection ended.
    #[error("{0}")]
    Connection(#[from] quinn::ConnectionError),
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

impl From<quinn::ReadError> for H3Error {
    fn from(error: quinn::ReadError) -> Self {
        match error {
            quinn::ReadError::Reset(code) => H3Error::Reset(code.into_inner()),
            quinn::ReadError::ConnectionLost(error) => H3Error::Connection(error),
            quinn::ReadError::ZeroRttRejected => H3Error::EarlyDataRejected,
            // Streams are read in order, by one owner.
            _ => H3Error::Reset(Code::InternalError.to_u64()),
        }
    }
}

impl From<quinn::WriteError> for H3Error {
    fn from(error: quinn::WriteError) -> Self {
        match error {
            quinn::WriteError::Stopped(code) => H3Error::Stopped(code.into_inner()),
            quinn::WriteError::ConnectionLost(error) => H3Error::Connection(error),
            quinn::WriteError::ZeroRttRejected => H3Error::EarlyDataRejected,
            _ => H3Error::Reset(Code::InternalError.to_u64()),
        }
    }
}

/// Closes the connection where an error is the connection's; says which.
pub(super) fn close_if_fatal(quic: &quinn::Connection, error: &pronghorn_http3::Error) {
    if error.scope == Scope::Connection {
        quic.close(code(error.code), error.reason.as_bytes());
    }
}

/// The code with which a connection ends that is no longer needed (RFC 9114 §8.1).
pub fn no_error() -> quinn::VarInt {
    code(Code::NoError)
}

/// A code as quinn carries it; every HTTP/3 code is a valid variable-length integer.
pub(super) fn code(code: Code) -> quinn::VarInt {
    quinn::VarInt::from_u64(code.to_u64()).unwrap_or(quinn::VarInt::MAX)
}

//! Why a connection came to nothing, in the words that all protocols share.

use std::io;

use pronghorn_http3::Code;
use quinn_proto::{ConnectionError, TransportErrorCode};
use rustls::AlertDescription;

use crate::connection::{ConnectionFailure, ConnectionFailureKind as Kind};

/// TLS's alerts as QUIC's codes (RFC 9001 §4.8).
const ALERTS: std::ops::RangeInclusive<u64> = 0x100..=0x1ff;

/// What a lost connection is told as; none where the server ended it in order. `connected`: after its handshake.
pub(super) fn of_connection(error: &ConnectionError, connected: bool) -> Option<ConnectionFailure> {
    let kind = match error {
        ConnectionError::ApplicationClosed(close) => {
            match Code::from_u64(close.error_code.into_inner()) {
                Code::NoError => return None,
                _ => Kind::Reset,
            }
        }
        ConnectionError::ConnectionClosed(close) => by_code(close.error_code, Kind::Reset),
        ConnectionError::TransportError(error) => by_code(error.code, Kind::Protocol),
        ConnectionError::Reset => Kind::Reset,
        ConnectionError::TimedOut if connected => Kind::Idle,
        ConnectionError::TimedOut => Kind::Timeout,
        ConnectionError::LocallyClosed => return None,
        ConnectionError::VersionMismatch | ConnectionError::CidsExhausted => Kind::Protocol,
    };
    Some(ConnectionFailure::new(kind, error.to_string()))
}

fn by_code(code: TransportErrorCode, else_: Kind) -> Kind {
    let alpn = TransportErrorCode::crypto(AlertDescription::NoApplicationProtocol.into());
    match code {
        _ if code == alpn => Kind::Alpn,
        TransportErrorCode::CONNECTION_REFUSED => Kind::Refused,
        _ if ALERTS.contains(&u64::from(code)) => Kind::Tls,
        _ => else_,
    }
}

/// What an error of the socket is told as: ICMP's answer to a datagram. None where the connection goes on, as a route may
/// come back. After the handshake a closed port means that the server has forgotten the connection, as TCP's reset does.
pub(super) fn of_socket(error: &io::Error, connected: bool) -> Option<ConnectionFailure> {
    let kind = match (error.kind(), connected) {
        (io::ErrorKind::ConnectionRefused, false) => Kind::Refused,
        (io::ErrorKind::ConnectionRefused, true) => Kind::Reset,
        (_, true) => return None,
        (_, false) => Kind::Unreachable,
    };
    Some(ConnectionFailure::new(kind, error.to_string()))
}

//! Why a connection came to nothing, in the words that all protocols share.

use std::io;

use pronghorn_http::UdpError;
use pronghorn_http3::Code;
use quinn_proto::{ConnectionError, TransportErrorCode};
use rustls::AlertDescription;

use crate::connection::{ConnectionFailure, ConnectionFailureKind as Kind};
use crate::local;

/// TLS's alerts as QUIC's codes (RFC 9001 §4.8).
const ALERTS: std::ops::RangeInclusive<u64> = 0x100..=0x1ff;

/// The most characters of what the server says that are told.
const LONGEST_REASON: usize = 200;

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
    Some(ConnectionFailure::new(kind, words(error)))
}

/// The peer's codes by their names, with what it said.
fn words(error: &ConnectionError) -> String {
    let (name, reason) = match error {
        ConnectionError::ApplicationClosed(close) => {
            let code = Code::from_u64(close.error_code.into_inner());
            (code.to_string(), &close.reason)
        }
        // TLS's alerts have none.
        ConnectionError::ConnectionClosed(close)
            if !ALERTS.contains(&u64::from(close.error_code)) =>
        {
            (format!("{:?}", close.error_code), &close.reason)
        }
        _ => return error.to_string(),
    };
    let said: String = String::from_utf8_lossy(reason)
        .chars()
        .take(LONGEST_REASON)
        .collect();
    let colon = if said.is_empty() { "" } else { ": " };
    format!("the server closed the connection with {name}{colon}{said}")
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

/// Why there is no socket.
pub(super) fn of_opening(error: &UdpError) -> ConnectionFailure {
    let refusal = match error {
        UdpError::Io(error) => local::refusal(error),
        UdpError::Buffer { .. } => None,
    };
    refusal.unwrap_or_else(|| ConnectionFailure::new(Kind::Unreachable, error.to_string()))
}

/// What an error of sending is told as, once `connected` or before; None where the connection goes on.
pub(super) fn of_sending(error: &io::Error, connected: bool) -> Option<ConnectionFailure> {
    match local::refusal(error) {
        // What the kernel has no memory for now goes with the next attempt, as what the network loses.
        Some(_) if connected || error.raw_os_error() == Some(nix::libc::ENOBUFS) => None,
        // ICMPv6 says it for the network as well (RFC 4443 §3.1), and the next system call is told.
        Some(_) if error.raw_os_error() == Some(nix::libc::EACCES) => of_socket(error, connected),
        Some(refusal) => Some(refusal),
        None => of_socket(error, connected),
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

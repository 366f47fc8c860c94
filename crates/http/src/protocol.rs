//! The three protocols under comparison.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TlsVersion;

/// Requests that a server allows at a time on one connection of HTTP/2 or HTTP/3. The libraries' own
/// bounds differ (hyper 200, quinn 100), which would be felt on pages of more resources; this is
/// nginx's for both.
pub const MAX_CONCURRENT_REQUESTS: u32 = 128;

/// A version of HTTP, by the names that arms use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// HTTP/1.1 (RFC 9112) over TLS and TCP.
    H1,
    /// HTTP/2 (RFC 9113) over TLS and TCP.
    H2,
    /// HTTP/3 (RFC 9114) over QUIC.
    H3,
}

impl Protocol {
    /// The ALPN identifier as registered with IANA.
    pub fn alpn(self) -> &'static [u8] {
        match self {
            Protocol::H1 => b"http/1.1",
            Protocol::H2 => b"h2",
            Protocol::H3 => b"h3",
        }
    }

    /// The protocol which an ALPN identifier selects; none for one that is not ours.
    pub fn from_alpn(alpn: &[u8]) -> Option<Protocol> {
        [Protocol::H1, Protocol::H2, Protocol::H3]
            .into_iter()
            .find(|protocol| protocol.alpn() == alpn)
    }

    /// The protocol of a message as the `http` crate names it; none for what we do not speak.
    pub fn from_version(version: http::Version) -> Option<Protocol> {
        match version {
            http::Version::HTTP_11 => Some(Protocol::H1),
            http::Version::HTTP_2 => Some(Protocol::H2),
            http::Version::HTTP_3 => Some(Protocol::H3),
            _ => None,
        }
    }

    /// Round trips from the first packet to the first request: TCP takes one; TLS 1.3 one (RFC 8446
    /// §2), 1.2 two (RFC 5246 §7.3), or one where a session is resumed; QUIC takes one with TLS in it
    /// (RFC 9001 §4). Early data spares TLS's, and QUIC's.
    pub fn handshake_round_trips(self, version: TlsVersion, handshake: Handshake) -> u32 {
        let tcp = 1;
        match (self, version, handshake) {
            (Protocol::H3, _, Handshake::Early) => 0,
            (Protocol::H3, _, _) => 1,
            (_, TlsVersion::Tls13, Handshake::Early) => tcp,
            (_, TlsVersion::Tls12, Handshake::Full) => tcp + 2,
            (_, _, _) => tcp + 1,
        }
    }
}

/// Kinds of TLS handshakes, by what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handshake {
    /// With certificates.
    Full,
    /// By a session of an earlier connection.
    Resumed,
    /// Alike, with early data (0-RTT) that the server accepts.
    Early,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Protocol::H1 => "h1",
            Protocol::H2 => "h2",
            Protocol::H3 => "h3",
        })
    }
}

/// A protocol name that is none of `h1`, `h2`, `h3`.
#[derive(Debug, thiserror::Error)]
#[error("unknown protocol `{0}`; allowed: h1, h2, h3")]
pub struct UnknownProtocol(String);

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "h1" => Ok(Protocol::H1),
            "h2" => Ok(Protocol::H2),
            "h3" => Ok(Protocol::H3),
            other => Err(UnknownProtocol(other.to_owned())),
        }
    }
}

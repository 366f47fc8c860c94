//! What a handshake settled.

use serde::Serialize;

use super::TlsVersion;

/// What a TLS handshake settled, read back from the connection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TlsFacts {
    /// The protocol that ALPN chose.
    pub alpn: Option<String>,
    /// `TLS 1.2` or `TLS 1.3`.
    pub tls_version: Option<String>,
    /// The cipher suite by its IANA name.
    pub cipher: Option<String>,
    /// The group of its key exchange; none where an abbreviated handshake of TLS 1.2 had none.
    pub key_exchange: Option<String>,
    /// Whether the session of an earlier connection went on.
    pub resumed: Option<bool>,
}

/// Reads a finished handshake's facts.
pub fn connection_facts(connection: &rustls::CommonState) -> TlsFacts {
    TlsFacts {
        alpn: connection
            .alpn_protocol()
            .map(|alpn| String::from_utf8_lossy(alpn).into_owned()),
        tls_version: connection.protocol_version().map(|version| match version {
            rustls::ProtocolVersion::TLSv1_2 => TlsVersion::Tls12.to_string(),
            rustls::ProtocolVersion::TLSv1_3 => TlsVersion::Tls13.to_string(),
            other => format!("{other:?}"),
        }),
        cipher: connection
            .negotiated_cipher_suite()
            .map(|suite| iana_name(suite.suite())),
        key_exchange: connection
            .negotiated_key_exchange_group()
            .map(|group| group_name(group.name())),
        resumed: connection
            .handshake_kind()
            .map(|kind| kind == rustls::HandshakeKind::Resumed),
    }
}

/// A group by the name that rustls and Chromium have for it, such as `X25519MLKEM768`.
pub(super) fn group_name(group: rustls::NamedGroup) -> String {
    format!("{group:?}")
}

/// rustls names TLS 1.3's suites `TLS13_…`; the registry `TLS_…`.
pub(super) fn iana_name(suite: rustls::CipherSuite) -> String {
    format!("{suite:?}").replacen("TLS13_", "TLS_", 1)
}

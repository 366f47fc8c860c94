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
        resumed: connection
            .handshake_kind()
            .map(|kind| kind == rustls::HandshakeKind::Resumed),
    }
}

/// rustls names TLS 1.3's suites `TLS13_…`; the registry `TLS_…`.
fn iana_name(suite: rustls::CipherSuite) -> String {
    format!("{suite:?}").replacen("TLS13_", "TLS_", 1)
}

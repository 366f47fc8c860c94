//! TLS for both ends: one certificate, one provider (aws-lc-rs), the library's own cipher order.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use serde::Serialize;

use crate::Protocol;

/// Why a certificate or a key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A PEM file that can't be read or holds nothing usable.
    #[error("{path}: {source}", path = path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: rustls::pki_types::pem::Error,
    },
    /// rustls refuses the combination.
    #[error("the certificate, its key or the CA is refused: {0}")]
    Refused(#[from] rustls::Error),
    /// The cipher suites lack what QUIC's Initial packets need.
    #[error("no TLS 1.3 cipher suite that QUIC's Initial packets need: {0}")]
    NoInitialCipher(#[from] quinn::crypto::rustls::NoInitialCipherSuite),
    /// A socket that can't be had.
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let pem = |source| TlsError::Pem {
        path: path.to_owned(),
        source,
    };
    CertificateDer::pem_file_iter(path)
        .map_err(pem)?
        .collect::<Result<_, _>>()
        .map_err(pem)
}

/// A server's TLS configuration: the chain and the key from PEM files, the protocols in order of
/// preference. No client authentication; session tickets as rustls ships them.
pub fn server_tls(
    certificate: &Path,
    key: &Path,
    protocols: &[Protocol],
) -> Result<ServerConfig, TlsError> {
    let key = PrivateKeyDer::from_pem_file(key).map_err(|source| TlsError::Pem {
        path: key.to_owned(),
        source,
    })?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates(certificate)?, key)?;
    config.alpn_protocols = protocols.iter().map(|p| p.alpn().to_vec()).collect();
    Ok(config)
}

/// A client's TLS configuration: it trusts the CA in a PEM file and nothing else, offers one
/// protocol, TLS 1.3 only, and keeps no sessions (each trial starts cold).
pub fn client_tls(ca: &Path, protocol: Protocol) -> Result<ClientConfig, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(ca)? {
        roots.add(certificate)?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.alpn().to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// What a TLS handshake settled, read back from the connection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TlsFacts {
    /// The protocol that ALPN chose.
    pub alpn: Option<String>,
    /// `TLS 1.2` or `TLS 1.3`.
    pub tls_version: Option<String>,
    /// The cipher suite by its IANA name.
    pub cipher: Option<String>,
}

/// Reads a finished handshake's facts.
pub fn connection_facts(connection: &rustls::CommonState) -> TlsFacts {
    TlsFacts {
        alpn: connection
            .alpn_protocol()
            .map(|alpn| String::from_utf8_lossy(alpn).into_owned()),
        tls_version: connection.protocol_version().map(|version| match version {
            rustls::ProtocolVersion::TLSv1_2 => "TLS 1.2".to_owned(),
            rustls::ProtocolVersion::TLSv1_3 => "TLS 1.3".to_owned(),
            other => format!("{other:?}"),
        }),
        cipher: connection
            .negotiated_cipher_suite()
            .map(|suite| iana_name(suite.suite())),
    }
}

/// rustls names TLS 1.3's suites `TLS13_…`; the registry `TLS_…`.
fn iana_name(suite: rustls::CipherSuite) -> String {
    format!("{suite:?}").replacen("TLS13_", "TLS_", 1)
}

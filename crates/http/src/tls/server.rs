//! A server's configuration.

use std::path::Path;

use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;

use super::{TlsError, TlsOffer, certificates, pem_file, provider};
use crate::Protocol;

/// Bytes of early data that our servers take over TCP: one TLS record, nginx's and OpenSSL's default.
pub const MAX_EARLY_DATA_TCP: u32 = 16 * 1024;

/// A server's TLS configuration, 1.2 and 1.3: the chain and the key from PEM files, the protocols in
/// order of preference. No client authentication; session tickets as rustls ships them, which allow
/// so many bytes of early data (0: none; over QUIC it is that or `u32::MAX`, RFC 9001 §4.6.1).
pub fn server_tls(
    certificate: &Path,
    key: &Path,
    protocols: &[Protocol],
    max_early_data: u32,
) -> Result<ServerConfig, TlsError> {
    let key =
        PrivateKeyDer::from_pem_slice(&pem_file::read(key)?).map_err(|source| TlsError::Pem {
            path: key.to_owned(),
            source,
        })?;
    let provider = provider(TlsOffer::default())?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates(certificate)?, key)?;
    config.alpn_protocols = protocols.iter().map(|p| p.alpn().to_vec()).collect();
    config.max_early_data_size = max_early_data;
    // Early data is answered at once, before the client's Finished (RFC 8446 §4.4.4).
    config.send_half_rtt_data = max_early_data > 0;
    Ok(config)
}

//! A client's own certificate.

use std::path::Path;
use std::sync::Arc;

use rustls::client::ResolvesClientCert;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::{CertifiedKey, SingleCertAndKey};

use super::{TlsError, TlsOffer, certificates, pem_file, provider};

/// Shows a server that asks for it the chain and proves the key of these PEM files.
///
/// # Errors
/// Files that can't be read or hold nothing usable, and a key of another certificate.
pub fn client_identity(
    certificate: &Path,
    key: &Path,
) -> Result<Arc<dyn ResolvesClientCert>, TlsError> {
    let provider = provider(TlsOffer::default())?;
    let chain = certificates(certificate)?;
    let key =
        PrivateKeyDer::from_pem_slice(&pem_file::read(key)?).map_err(|source| TlsError::Pem {
            path: key.to_owned(),
            source,
        })?;
    let identity = CertifiedKey::from_der(chain, key, &provider)?;
    Ok(Arc::new(SingleCertAndKey::from(identity)))
}

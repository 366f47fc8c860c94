//! TLS of both ends, whose messages have the same sizes every time.

use std::sync::Arc;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519, SerialNumber};
use rustls::RootCertStore;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::version::TLS13;

use crate::error::TransferError;

/// The name for which the server's certificate is.
pub(crate) const HOST_NAME: &str = "origin.pronghorn.test";

/// What the two ends of a connection bring to their handshake.
pub(crate) struct Tls {
    pub(crate) client: QuicClientConfig,
    pub(crate) server: QuicServerConfig,
}

impl Tls {
    /// A server with a self-signed certificate, and a client that trusts it. The key is a new one each time, but of
    /// Ed25519, whose keys and signatures have but one length (RFC 8032, section 5.1); ECDSA's signatures have several.
    /// The serial number is fixed too, since DER omits leading zeros.
    pub(crate) fn new() -> Result<Tls, TransferError> {
        let key = KeyPair::generate_for(&PKCS_ED25519)?;
        let mut params = CertificateParams::new(vec![HOST_NAME.to_owned()])?;
        params.serial_number = Some(SerialNumber::from(1));
        let certificate = params.self_signed(&key)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));

        let provider = Arc::new(default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(certificate.der().clone())?;
        let client = rustls::ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS13])?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let server = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)?;
        Ok(Tls {
            client: client.try_into()?,
            server: server.try_into()?,
        })
    }
}

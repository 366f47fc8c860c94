//! Whether a handshake verified the server's certificate, which a resumed one doesn't.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

use super::notes::note_certificate;

/// A verifier, counting its certificates. A handshake that resumes a session is sent none
/// (RFC 8446 §2.2): where QUIC's library doesn't tell, this does.
#[derive(Debug)]
pub(super) struct Witness {
    verifier: Arc<dyn ServerCertVerifier>,
    certificates: AtomicU64,
}

impl Witness {
    pub(super) fn new(verifier: Arc<dyn ServerCertVerifier>) -> Witness {
        Witness {
            verifier,
            certificates: AtomicU64::new(0),
        }
    }

    /// Certificates that came so far, valid or not.
    pub(super) fn certificates(&self) -> u64 {
        self.certificates.load(Ordering::Relaxed)
    }
}

impl ServerCertVerifier for Witness {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.certificates.fetch_add(1, Ordering::Relaxed);
        note_certificate();
        self.verifier
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier
            .verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

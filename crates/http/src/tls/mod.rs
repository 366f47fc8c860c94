//! TLS for both ends: one certificate, one provider (aws-lc-rs), the library's own cipher order.

mod any_certificate;
mod client;
mod facts;
mod identity;
mod key_exchange;
mod notes;
mod offer;
mod pem_file;
mod secrets;
mod server;
mod session_store;
mod sessions;
mod tickets;
mod version;
mod witness;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::UdpError;

pub use client::{ClientTls, ClientTlsOptions, client_tls};
pub use facts::{TlsFacts, connection_facts};
pub use identity::client_identity;
pub use notes::QuicNotes;
pub use offer::{CipherSuite, KeyExchange, TlsOffer};
pub use secrets::SecretLog;
pub use server::{MAX_EARLY_DATA_TCP, server_tls};
pub use session_store::SessionStore;
pub use sessions::{SessionUse, Sessions};
pub use tickets::{TicketUses, Tickets};
pub use version::TlsVersion;

/// Why TLS can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A PEM file that can't be read.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A PEM file that holds nothing usable.
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
    /// The system trusts nobody, as far as we can find out.
    #[error("this system's certificate authorities can't be read: {0}")]
    NoSystemRoots(String),
    /// A CA from which nothing can be verified.
    #[error("the CA can't verify anybody: {0}")]
    Verifier(#[from] rustls::client::VerifierBuilderError),
    /// The cipher suites lack what QUIC's Initial packets need.
    #[error("no TLS 1.3 cipher suite that QUIC's Initial packets need: {0}")]
    NoInitialCipher(#[from] quinn::crypto::rustls::NoInitialCipherSuite),
    /// s2n-quic refuses what it is given.
    #[error("s2n-quic can't be set up: {0}")]
    S2n(String),
    /// QUIC has no other TLS than 1.3.
    #[error("h3 has TLS 1.3 alone (RFC 9001 §4.2), not {0}; h1 and h2 have both")]
    NotOverQuic(TlsVersion),
    /// What TLS 1.2 lacks.
    #[error("TLS 1.2 has no early data; TLS 1.3 has (RFC 8446 §2.3)")]
    NoEarlyData,
    /// What an earlier version of TLS can't be asked for.
    #[error("{0}: TLS 1.2 has other ones; TLS 1.3 has it")]
    OfTls13(&'static str),
    /// Nothing was gained that could be resumed.
    #[error(
        "there is no session to resume; a load with session `gain` in the same bench, of the same host, protocol, \
             TLS version, cipher, key exchange and CA, keeps one"
    )]
    NoSession,
    /// A socket that can't be had.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A socket of QUIC's that can't be as it is asked for.
    #[error(transparent)]
    Udp(#[from] UdpError),
}

/// The provider of what is offered, whose random numbers are at hand for this thread: aws-lc gathers entropy for them at
/// first use, which takes tens of milliseconds and would count as that handshake's.
fn provider(offer: TlsOffer) -> Result<Arc<CryptoProvider>, TlsError> {
    let mut provider = rustls::crypto::aws_lc_rs::default_provider();
    offer.restrict(&mut provider);
    for suite in &mut provider.cipher_suites {
        *suite = notes::noting(*suite);
    }
    provider
        .secure_random
        .fill(&mut [0])
        .map_err(|_| rustls::Error::FailedToGetRandomBytes)?;
    Ok(Arc::new(provider))
}

/// The certificates of a PEM file.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let pem = |source| TlsError::Pem {
        path: path.to_owned(),
        source,
    };
    CertificateDer::pem_slice_iter(&pem_file::read(path)?)
        .collect::<Result<_, _>>()
        .map_err(pem)
}

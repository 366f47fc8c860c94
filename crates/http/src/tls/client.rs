//! A client's configuration.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::ServerCertVerifier;
use rustls::client::{ClientSessionStore, Resumption, Tls12Resumption, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::watch;

use super::any_certificate::AnyCertificate;
use super::key_exchange::{AgreedGroup, Noting};
use super::session_store::SessionStore;
use super::sessions::{Gaining, Kept, Key, SERVERS};
use super::witness::Witness;
use super::{
    KeyExchange, SessionUse, Sessions, TlsError, TlsOffer, TlsVersion, certificates, provider,
};
use crate::Protocol;

/// How a client comes to its TLS.
#[derive(Debug, Clone)]
pub struct ClientTlsOptions {
    /// PEM file of the only CA to trust; none: those that the system trusts.
    pub ca: Option<PathBuf>,
    /// Whether any certificate will do; then nobody is trusted or distrusted, and `ca` is without effect.
    pub insecure: bool,
    /// The one protocol that ALPN offers.
    pub protocol: Protocol,
    /// The one version that is offered.
    pub version: TlsVersion,
    /// What is offered of that version.
    pub offer: TlsOffer,
    /// What becomes of sessions.
    pub session: SessionUse,
}

/// A client's TLS, and what can be learnt from it beside its connections.
#[derive(Debug, Clone)]
pub struct ClientTls {
    /// rustls's configuration.
    pub config: ClientConfig,
    witness: Arc<Witness>,
    agreed: AgreedGroup,
    kept: Option<watch::Receiver<u64>>,
}

/// Whom a client trusts: a configuration to be copied, since rustls resumes a session only for the
/// very verifier that was there when it began.
#[derive(Debug, Clone)]
pub(super) struct Trust {
    config: ClientConfig,
    witness: Arc<Witness>,
}

impl ClientTls {
    /// Certificates that servers sent so far; a connection that adds none was resumed.
    pub fn certificates(&self) -> u64 {
        self.witness.certificates()
    }

    /// The group of the key exchange of the last handshake of TLS 1.3, for connections that don't tell
    /// themselves; none before the first.
    pub fn key_exchange(&self) -> Option<String> {
        self.agreed.name()
    }

    /// How many sessions were kept, by this load and those before it; none where none are kept.
    pub fn kept(&self) -> Option<watch::Receiver<u64>> {
        self.kept.clone()
    }
}

/// Makes a client's TLS. `sessions` takes and gives what `session` says.
pub fn client_tls(options: &ClientTlsOptions, sessions: &Sessions) -> Result<ClientTls, TlsError> {
    let ClientTlsOptions {
        ca,
        insecure,
        protocol,
        version,
        offer,
        session,
    } = options;
    if *version == TlsVersion::Tls12 {
        if *protocol == Protocol::H3 {
            return Err(TlsError::NotOverQuic(*version));
        }
        if *session == SessionUse::ZeroRtt {
            return Err(TlsError::NoEarlyData);
        }
    }
    check(*offer, *version)?;
    let key = Key {
        protocol: *protocol,
        version: *version,
        offer: *offer,
        ca: ca.clone(),
        insecure: *insecure,
    };
    let trust = || {
        let provider = provider(*offer)?;
        let verifier: Arc<dyn ServerCertVerifier> = if *insecure {
            Arc::new(AnyCertificate::new(&provider))
        } else {
            let roots = Arc::new(roots(ca.as_deref())?);
            WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build()?
        };
        trust(provider, verifier, *version)
    };
    let (trusted, sessions, kept): (Trust, Arc<dyn ClientSessionStore>, _) = match session {
        SessionUse::Cold => {
            let forgotten = Gaining(Arc::new(SessionStore::new(SERVERS)));
            (trust()?, Arc::new(forgotten), None)
        }
        SessionUse::Gain => {
            let kept = match sessions.get(&key) {
                Some(kept) => kept,
                None => Kept {
                    trust: trust()?,
                    store: Arc::new(SessionStore::new(SERVERS)),
                },
            };
            sessions.insert(key, kept.clone());
            let counted = kept.store.watch_gained();
            (kept.trust, Arc::new(Gaining(kept.store)), Some(counted))
        }
        SessionUse::Resumed | SessionUse::ZeroRtt => {
            let kept = sessions.get(&key).ok_or(TlsError::NoSession)?;
            if kept.store.gained() == 0 {
                return Err(TlsError::NoSession);
            }
            (kept.trust, kept.store, None)
        }
    };
    let agreed = AgreedGroup::default();
    let resumption = Resumption::store(Arc::new(Noting::new(sessions, agreed.clone())));
    let mut config = trusted.config;
    config.alpn_protocols = vec![protocol.alpn().to_vec()];
    config.resumption = match session {
        SessionUse::Cold => resumption.tls12_resumption(Tls12Resumption::Disabled),
        _ => resumption,
    };
    config.enable_early_data = *session == SessionUse::ZeroRtt;
    Ok(ClientTls {
        config,
        witness: trusted.witness,
        agreed,
        kept,
    })
}

fn trust(
    provider: Arc<CryptoProvider>,
    verifier: Arc<dyn ServerCertVerifier>,
    version: TlsVersion,
) -> Result<Trust, TlsError> {
    let witness = Arc::new(Witness::new(verifier));
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version.supported()])?
        .dangerous()
        .with_custom_certificate_verifier(witness.clone())
        .with_no_client_auth();
    Ok(Trust { config, witness })
}

/// The CA of a PEM file, or those of the system.
fn roots(ca: Option<&Path>) -> Result<RootCertStore, TlsError> {
    let Some(ca) = ca else {
        return system_roots();
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(ca)? {
        roots.add(certificate)?;
    }
    Ok(roots)
}

/// The CAs that the system trusts, or `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
fn system_roots() -> Result<RootCertStore, TlsError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        let why = found.errors.first().map_or_else(
            || "none was found".to_owned(),
            std::string::ToString::to_string,
        );
        return Err(TlsError::NoSystemRoots(why));
    }
    Ok(roots)
}

/// Whether this version of TLS has what is to be offered.
fn check(offer: TlsOffer, version: TlsVersion) -> Result<(), TlsError> {
    if version == TlsVersion::Tls13 {
        return Ok(());
    }
    if offer.cipher.is_some() {
        return Err(TlsError::OfTls13("cipher"));
    }
    match offer.key_exchange {
        Some(KeyExchange::X25519MlKem768) => Err(TlsError::OfTls13("key_exchange")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CipherSuite;

    #[test]
    fn what_tls_1_2_lacks_is_refused() {
        let cipher = TlsOffer {
            cipher: Some(CipherSuite::Aes128GcmSha256),
            key_exchange: None,
        };
        let groups = [
            (KeyExchange::X25519, true),
            (KeyExchange::Secp256r1, true),
            (KeyExchange::X25519MlKem768, false),
        ];
        assert!(check(cipher, TlsVersion::Tls12).is_err());
        assert!(check(cipher, TlsVersion::Tls13).is_ok());
        for (key_exchange, is_had) in groups {
            let offer = TlsOffer {
                cipher: None,
                key_exchange: Some(key_exchange),
            };
            assert_eq!(check(offer, TlsVersion::Tls12).is_ok(), is_had);
        }
    }
}

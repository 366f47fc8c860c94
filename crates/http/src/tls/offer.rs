//! What a client offers in TLS, where less is asked for than the library has.

use rustls::NamedGroup;
use rustls::crypto::CryptoProvider;
use schemars::JsonSchema;
use serde::Deserialize;

/// The only cipher suite and the only group that a client offers; by default all that the library has, in its order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TlsOffer {
    /// The cipher suite, which is TLS 1.3's.
    pub cipher: Option<CipherSuite>,
    /// The group of the key exchange.
    pub key_exchange: Option<KeyExchange>,
}

/// Cipher suites of TLS 1.3 (RFC 8446, appendix B.4), by rustls's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Deserialize)]
pub enum CipherSuite {
    /// AES with 128 bits in Galois/Counter mode.
    #[serde(rename = "TLS13_AES_128_GCM_SHA256")]
    Aes128GcmSha256,
    /// AES with 256 bits in Galois/Counter mode.
    #[serde(rename = "TLS13_AES_256_GCM_SHA384")]
    Aes256GcmSha384,
    /// ChaCha20 with Poly1305.
    #[serde(rename = "TLS13_CHACHA20_POLY1305_SHA256")]
    Chacha20Poly1305Sha256,
}

/// Groups of the key exchange, by rustls's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Deserialize)]
pub enum KeyExchange {
    /// Curve25519 (RFC 7748).
    #[serde(rename = "X25519")]
    X25519,
    /// That and ML-KEM-768 (draft-ietf-tls-ecdhe-mlkem).
    #[serde(rename = "X25519MLKEM768")]
    X25519MlKem768,
    /// NIST's P-256.
    #[serde(rename = "SECP256R1")]
    Secp256r1,
}

impl TlsOffer {
    /// Takes all from a provider that isn't to be offered.
    pub(super) fn restrict(self, provider: &mut CryptoProvider) {
        if let Some(cipher) = self.cipher {
            let wanted = cipher.suite();
            provider
                .cipher_suites
                .retain(|suite| suite.suite() == wanted);
        }
        if let Some(key_exchange) = self.key_exchange {
            let wanted = key_exchange.group();
            provider.kx_groups.retain(|group| group.name() == wanted);
        }
    }
}

impl CipherSuite {
    fn suite(self) -> rustls::CipherSuite {
        match self {
            CipherSuite::Aes128GcmSha256 => rustls::CipherSuite::TLS13_AES_128_GCM_SHA256,
            CipherSuite::Aes256GcmSha384 => rustls::CipherSuite::TLS13_AES_256_GCM_SHA384,
            CipherSuite::Chacha20Poly1305Sha256 => {
                rustls::CipherSuite::TLS13_CHACHA20_POLY1305_SHA256
            }
        }
    }
}

impl KeyExchange {
    fn group(self) -> NamedGroup {
        match self {
            KeyExchange::X25519 => NamedGroup::X25519,
            KeyExchange::X25519MlKem768 => NamedGroup::X25519MLKEM768,
            KeyExchange::Secp256r1 => NamedGroup::secp256r1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_else_is_left_of_a_provider() {
        let all = rustls::crypto::aws_lc_rs::default_provider();
        for cipher in [
            CipherSuite::Aes128GcmSha256,
            CipherSuite::Aes256GcmSha384,
            CipherSuite::Chacha20Poly1305Sha256,
        ] {
            for key_exchange in [
                KeyExchange::X25519,
                KeyExchange::X25519MlKem768,
                KeyExchange::Secp256r1,
            ] {
                let mut provider = all.clone();
                let offer = TlsOffer {
                    cipher: Some(cipher),
                    key_exchange: Some(key_exchange),
                };
                offer.restrict(&mut provider);
                let left = (provider.cipher_suites.len(), provider.kx_groups.len());
                assert_eq!(left, (1, 1), "{offer:?}");
            }
        }
        let mut whole = all.clone();
        TlsOffer::default().restrict(&mut whole);
        assert_eq!(whole.cipher_suites, all.cipher_suites);
    }
}

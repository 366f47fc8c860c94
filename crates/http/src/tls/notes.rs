//! What QUIC's handshakes leave behind on their thread: quinn tells neither whether a certificate came nor which cipher was
//! chosen.

use std::cell::Cell;
use std::sync::LazyLock;

use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey};
use rustls::{CipherSuiteCommon, SupportedCipherSuite, Tls13CipherSuite};

use super::facts::iana_name;

/// What happened on this thread since somebody last asked. Who asks before and after handing a connection its packets
/// learns what they were to that connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuicNotes {
    /// Certificates that servers sent, valid or not. A handshake that resumes a session is sent none (RFC 8446 §2.2).
    pub certificates: u32,
    /// The suite for which keys were made last; Initial packets' don't count.
    cipher: Option<rustls::CipherSuite>,
}

thread_local! {
    static NOTES: Cell<QuicNotes> = const { Cell::new(QuicNotes { certificates: 0, cipher: None }) };
}

impl QuicNotes {
    /// This thread's, which begin anew.
    pub fn take() -> QuicNotes {
        NOTES.take()
    }

    /// The cipher suite by its IANA name; none where no keys were made.
    #[must_use]
    pub fn cipher(&self) -> Option<String> {
        self.cipher.map(iana_name)
    }
}

/// Notes that a certificate came.
pub(super) fn note_certificate() {
    let notes = NOTES.get();
    NOTES.set(QuicNotes {
        certificates: notes.certificates + 1,
        ..notes
    });
}

/// The same suite, which notes when QUIC has keys of it.
pub(super) fn noting(suite: SupportedCipherSuite) -> SupportedCipherSuite {
    let noted = NOTED
        .iter()
        .find(|noted| noted.common.suite == suite.suite());
    noted.map_or(suite, SupportedCipherSuite::Tls13)
}

/// The suites that QUIC may have.
static NOTED: LazyLock<Vec<Tls13CipherSuite>> = LazyLock::new(|| {
    let all = rustls::crypto::aws_lc_rs::ALL_CIPHER_SUITES.iter();
    all.filter_map(|suite| {
        let plain = suite.tls13()?;
        let noted = Noted {
            suite: plain.common.suite,
            algorithm: plain.quic?,
        };
        Some(Tls13CipherSuite {
            common: CipherSuiteCommon {
                suite: plain.common.suite,
                hash_provider: plain.common.hash_provider,
                confidentiality_limit: plain.common.confidentiality_limit,
            },
            hkdf_provider: plain.hkdf_provider,
            aead_alg: plain.aead_alg,
            // One of each suite as long as the process runs, as rustls has them.
            quic: Some(Box::leak(Box::new(noted))),
        })
    })
    .collect()
});

struct Noted {
    suite: rustls::CipherSuite,
    algorithm: &'static dyn Algorithm,
}

impl Algorithm for Noted {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        NOTES.set(QuicNotes {
            cipher: Some(self.suite),
            ..NOTES.get()
        });
        self.algorithm.packet_key(key, iv)
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        self.algorithm.header_protection_key(key)
    }

    fn aead_key_len(&self) -> usize {
        self.algorithm.aead_key_len()
    }

    fn fips(&self) -> bool {
        self.algorithm.fips()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_of_tls_1_3_is_noted_and_stays_what_it_is() {
        for &suite in rustls::crypto::aws_lc_rs::ALL_CIPHER_SUITES {
            let same = noting(suite);
            assert_eq!(same, suite);
            let is_noted = NOTED
                .iter()
                .any(|noted| noted.common.suite == suite.suite());
            assert_eq!(is_noted, suite.tls13().is_some());
        }
    }

    #[test]
    fn notes_begin_anew_when_they_are_taken() {
        let _ = QuicNotes::take();
        note_certificate();
        assert_eq!(QuicNotes::take().certificates, 1);
        assert_eq!(QuicNotes::take(), QuicNotes::default());
        assert_eq!(QuicNotes::default().cipher(), None);
    }
}

//! What opens records and packets, by their secrets: AEADs, header protection, the key schedule's steps.

use aws_lc_rs::aead::{self, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey, quic};
use aws_lc_rs::{hkdf, hmac};

/// A cipher suite: its AEAD and its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suite {
    aead: Aead,
    sha384: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aead {
    Aes128Gcm,
    Aes256Gcm,
    ChaCha20Poly1305,
}

/// Bytes of every AEAD's tag.
pub(crate) const TAG: usize = 16;

impl Suite {
    /// Of QUIC's Initial packets (RFC 9001 §5.2).
    pub(crate) const INITIAL: Suite = Suite::new(Aead::Aes128Gcm, false);

    /// Those of TLS 1.3 that can be opened.
    pub(crate) const TLS_1_3: [Suite; 3] = [
        Suite::new(Aead::Aes128Gcm, false),
        Suite::new(Aead::Aes256Gcm, true),
        Suite::new(Aead::ChaCha20Poly1305, false),
    ];

    const fn new(aead: Aead, sha384: bool) -> Suite {
        Suite { aead, sha384 }
    }

    /// The suite of an identifier (RFC 8446 §B.4, RFC 5288, RFC 5289, RFC 7905); `None` for what is no AEAD of these.
    pub(crate) fn of(identifier: u16) -> Option<Suite> {
        match identifier {
            0x1301 | 0x009c | 0x009e | 0xc02b | 0xc02f => Some(Suite::TLS_1_3[0]),
            0x1302 | 0x009d | 0x009f | 0xc02c | 0xc030 => Some(Suite::TLS_1_3[1]),
            0x1303 | 0xcca8..=0xccaa => Some(Suite::TLS_1_3[2]),
            _ => None,
        }
    }

    pub(crate) fn key_len(self) -> usize {
        self.algorithm().key_len()
    }

    /// Bytes of TLS 1.2's nonce that stand in each record, and of those that are secret (RFC 5288 §3, RFC 7905 §2).
    pub(crate) fn nonce_1_2(self) -> (usize, usize) {
        match self.aead {
            Aead::ChaCha20Poly1305 => (0, NONCE_LEN),
            _ => (8, NONCE_LEN - 8),
        }
    }

    fn algorithm(self) -> &'static aead::Algorithm {
        match self.aead {
            Aead::Aes128Gcm => &aead::AES_128_GCM,
            Aead::Aes256Gcm => &aead::AES_256_GCM,
            Aead::ChaCha20Poly1305 => &aead::CHACHA20_POLY1305,
        }
    }

    fn hkdf(self) -> hkdf::Algorithm {
        if self.sha384 {
            hkdf::HKDF_SHA384
        } else {
            hkdf::HKDF_SHA256
        }
    }

    /// HKDF-Expand-Label with an empty context (RFC 8446 §7.1).
    pub(crate) fn expand_label(self, secret: &[u8], label: &str, length: usize) -> Option<Vec<u8>> {
        let label_len = u8::try_from(6 + label.len()).ok()?;
        let info = [
            &u16::try_from(length).ok()?.to_be_bytes()[..],
            &[label_len],
            b"tls13 ",
            label.as_bytes(),
            &[0],
        ];
        let secret = hkdf::Prk::new_less_safe(self.hkdf(), secret);
        let mut out = vec![0; length];
        secret
            .expand(&info, Length(length))
            .ok()?
            .fill(&mut out)
            .ok()?;
        Some(out)
    }

    /// HKDF-Extract (RFC 5869 §2.2), for QUIC's Initial secrets, then one expansion of it.
    pub(crate) fn extract_and_expand(
        self,
        salt: &[u8],
        input: &[u8],
        label: &str,
    ) -> Option<Vec<u8>> {
        // Extraction is HMAC with the salt as its key.
        let secret = hmac::sign(&hmac::Key::new(self.hkdf().hmac_algorithm(), salt), input);
        self.expand_label(secret.as_ref(), label, 32)
    }

    /// TLS 1.2's PRF (RFC 5246 §5).
    pub(crate) fn prf(self, secret: &[u8], label: &str, seed: &[&[u8]], length: usize) -> Vec<u8> {
        let key = hmac::Key::new(self.hkdf().hmac_algorithm(), secret);
        let seed = [label.as_bytes(), &seed.concat()].concat();
        let mut out = Vec::with_capacity(length + 48);
        let mut a = hmac::sign(&key, &seed);
        while out.len() < length {
            out.extend_from_slice(hmac::sign(&key, &[a.as_ref(), &seed].concat()).as_ref());
            a = hmac::sign(&key, a.as_ref());
        }
        out.truncate(length);
        out
    }

    /// What hides a QUIC packet's number (RFC 9001 §5.4).
    pub(crate) fn header_protection(self, secret: &[u8]) -> Option<quic::HeaderProtectionKey> {
        let algorithm = match self.aead {
            Aead::Aes128Gcm => &quic::AES_128,
            Aead::Aes256Gcm => &quic::AES_256,
            Aead::ChaCha20Poly1305 => &quic::CHACHA20,
        };
        let key = self.expand_label(secret, "quic hp", self.key_len())?;
        quic::HeaderProtectionKey::new(algorithm, &key).ok()
    }

    /// What comes after a secret by a key update: `traffic upd` (RFC 8446 §7.2), `quic ku` (RFC 9001 §6.1).
    pub(crate) fn next_secret(self, secret: &[u8], label: &str) -> Option<Vec<u8>> {
        self.expand_label(secret, label, secret.len())
    }

    /// The key and nonce of a secret: labels `key` and `iv` (RFC 8446 §7.3), with `quic ` before them (RFC 9001 §5.1).
    pub(crate) fn opener(self, secret: &[u8], prefix: &str) -> Option<Opener> {
        let key = self.expand_label(secret, &format!("{prefix}key"), self.key_len())?;
        let iv = self.expand_label(secret, &format!("{prefix}iv"), NONCE_LEN)?;
        self.opener_of(&key, &iv)
    }

    /// With a key and what the nonce is made from, padded with zeros.
    pub(crate) fn opener_of(self, key: &[u8], iv: &[u8]) -> Option<Opener> {
        let key = UnboundKey::new(self.algorithm(), key).ok()?;
        let mut nonce = [0; NONCE_LEN];
        nonce.get_mut(..iv.len())?.copy_from_slice(iv);
        Some(Opener {
            key: LessSafeKey::new(key),
            iv: nonce,
        })
    }
}

/// Opens what was sealed under one key.
pub(crate) struct Opener {
    key: LessSafeKey,
    iv: [u8; NONCE_LEN],
}

impl Opener {
    /// The plaintext of what was sealed as number `number`; `None` where it wasn't by this key.
    pub(crate) fn open(&self, number: u64, aad: &[&[u8]], sealed: &[u8]) -> Option<Vec<u8>> {
        let mut nonce = self.iv;
        for (byte, of_number) in nonce[NONCE_LEN - 8..].iter_mut().zip(number.to_be_bytes()) {
            *byte ^= of_number;
        }
        self.open_with(nonce, aad, sealed)
    }

    /// The same, with the last bytes of the nonce as they stand in the record.
    pub(crate) fn open_explicit(
        &self,
        explicit: [u8; 8],
        aad: &[&[u8]],
        sealed: &[u8],
    ) -> Option<Vec<u8>> {
        let mut nonce = self.iv;
        nonce[NONCE_LEN - 8..].copy_from_slice(&explicit);
        self.open_with(nonce, aad, sealed)
    }

    fn open_with(&self, nonce: [u8; NONCE_LEN], aad: &[&[u8]], sealed: &[u8]) -> Option<Vec<u8>> {
        let (text, tag) = sealed.split_at_checked(sealed.len().checked_sub(TAG)?)?;
        let mut plain = vec![0; text.len()];
        let nonce = Nonce::assume_unique_for_key(nonce);
        let opened =
            self.key
                .open_separate_gather(nonce, Aad::from(aad.concat()), text, tag, &mut plain);
        opened.ok().map(|()| plain)
    }
}

struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

//! The server's certificate, whose messages have the same sizes every time.

use rcgen::{
    CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519, SerialNumber,
    SignatureAlgorithm,
};

/// The name for which the certificate is.
pub const HOST_NAME: &str = "origin.pronghorn.test";

/// A self-signed certificate and its key.
#[derive(Debug, Clone)]
pub struct Certificate {
    /// X.509, DER.
    pub certificate: Vec<u8>,
    /// PKCS #8, DER.
    pub key: Vec<u8>,
    /// X.509, PEM.
    pub certificate_pem: String,
    /// PKCS #8, PEM.
    pub key_pem: String,
}

impl Certificate {
    /// A new one. Keys and signatures of Ed25519 have but one length (RFC 8032, section 5.1). DER omits leading zeros, so
    /// the serial number is fixed.
    ///
    /// # Panics
    /// Where the key can't be made.
    #[must_use]
    pub fn new() -> Certificate {
        Certificate::of(&PKCS_ED25519)
    }

    /// One with a key of P-256, whose signatures have several lengths, for who takes no other.
    ///
    /// # Panics
    /// Where the key can't be made.
    #[must_use]
    pub fn p256() -> Certificate {
        Certificate::of(&PKCS_ECDSA_P256_SHA256)
    }

    fn of(algorithm: &'static SignatureAlgorithm) -> Certificate {
        let key = KeyPair::generate_for(algorithm).expect("a key");
        let mut params = CertificateParams::new(vec![HOST_NAME.to_owned()]).expect("a name");
        params.serial_number = Some(SerialNumber::from(1));
        let certificate = params.self_signed(&key).expect("a certificate");
        Certificate {
            certificate: certificate.der().to_vec(),
            key: key.serialize_der(),
            certificate_pem: certificate.pem(),
            key_pem: key.serialize_pem(),
        }
    }
}

impl Default for Certificate {
    fn default() -> Certificate {
        Certificate::new()
    }
}

//! Handshake messages (RFC 8446 §4, RFC 5246 §7.4).

use crate::key_log::Random;
use crate::reader::Reader;

/// Types of messages that are told apart here.
pub(crate) mod kind {
    pub(crate) const CLIENT_HELLO: u8 = 1;
    pub(crate) const SERVER_HELLO: u8 = 2;
    pub(crate) const ENCRYPTED_EXTENSIONS: u8 = 8;
    pub(crate) const FINISHED: u8 = 20;
    pub(crate) const KEY_UPDATE: u8 = 24;
}

/// A message's name in the standards.
pub(crate) fn name(kind: u8) -> &'static str {
    match kind {
        0 => "HelloRequest",
        kind::CLIENT_HELLO => "ClientHello",
        kind::SERVER_HELLO => "ServerHello",
        4 => "NewSessionTicket",
        5 => "EndOfEarlyData",
        kind::ENCRYPTED_EXTENSIONS => "EncryptedExtensions",
        11 => "Certificate",
        12 => "ServerKeyExchange",
        13 => "CertificateRequest",
        14 => "ServerHelloDone",
        15 => "CertificateVerify",
        16 => "ClientKeyExchange",
        kind::FINISHED => "Finished",
        21 => "CertificateURL",
        22 => "CertificateStatus",
        kind::KEY_UPDATE => "KeyUpdate",
        25 => "CompressedCertificate",
        _ => "an unknown message",
    }
}

/// A message's type and body, and how many bytes both take; `None` while it isn't whole.
pub(crate) fn split(bytes: &[u8]) -> Option<(u8, &[u8], usize)> {
    let mut rest = Reader(bytes);
    let kind = rest.u8()?;
    let length = rest.u24()? as usize;
    Some((kind, rest.take(length)?, 4 + length))
}

/// What is of interest in a ClientHello.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientHello {
    pub(crate) random: Random,
    pub(crate) transport_parameters: Option<Vec<u8>>,
}

impl ClientHello {
    pub(crate) fn read(body: &[u8]) -> Option<ClientHello> {
        let mut rest = Reader(body);
        rest.u16()?;
        let random = rest.array()?;
        rest.bytes_8()?;
        rest.bytes_16()?;
        rest.bytes_8()?;
        Some(ClientHello {
            random,
            transport_parameters: extension(rest, TRANSPORT_PARAMETERS).map(<[u8]>::to_vec),
        })
    }
}

/// What is of interest in a ServerHello.
#[derive(Clone, Debug)]
pub(crate) struct ServerHello {
    pub(crate) random: Random,
    pub(crate) suite: u16,
    pub(crate) is_1_3: bool,
    /// It asks for another ClientHello (RFC 8446 §4.1.3).
    pub(crate) asks_again: bool,
    pub(crate) alpn: Option<Vec<u8>>,
}

const TRANSPORT_PARAMETERS: u16 = 0x39;
const ALPN: u16 = 16;
const EARLY_DATA: u16 = 42;
const SUPPORTED_VERSIONS: u16 = 43;

/// SHA-256 of "HelloRetryRequest", which stands in place of a random.
const ASKS_AGAIN: Random = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
    0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
];

impl ServerHello {
    pub(crate) fn read(body: &[u8]) -> Option<ServerHello> {
        let mut rest = Reader(body);
        rest.u16()?;
        let random = rest.array()?;
        rest.bytes_8()?;
        let suite = rest.u16()?;
        rest.u8()?;
        Some(ServerHello {
            random,
            suite,
            is_1_3: extension(rest, SUPPORTED_VERSIONS) == Some(&[3, 4]),
            asks_again: random == ASKS_AGAIN,
            alpn: extension(rest, ALPN).and_then(first_protocol),
        })
    }
}

/// What is of interest in EncryptedExtensions.
#[derive(Clone, Debug, Default)]
pub(crate) struct EncryptedExtensions {
    pub(crate) alpn: Option<Vec<u8>>,
    pub(crate) takes_early_data: bool,
    pub(crate) transport_parameters: Option<Vec<u8>>,
}

impl EncryptedExtensions {
    pub(crate) fn read(body: &[u8]) -> EncryptedExtensions {
        let of = |kind| extension(Reader(body), kind);
        EncryptedExtensions {
            alpn: of(ALPN).and_then(first_protocol),
            takes_early_data: of(EARLY_DATA).is_some(),
            transport_parameters: of(TRANSPORT_PARAMETERS).map(<[u8]>::to_vec),
        }
    }
}

fn extension(mut rest: Reader<'_>, kind: u16) -> Option<&[u8]> {
    let mut extensions = Reader(rest.bytes_16()?);
    loop {
        let (found, body) = (extensions.u16()?, extensions.bytes_16()?);
        if found == kind {
            return Some(body);
        }
    }
}

fn first_protocol(alpn: &[u8]) -> Option<Vec<u8>> {
    let mut list = Reader(Reader(alpn).bytes_16()?);
    list.bytes_8().map(<[u8]>::to_vec)
}

/// An integer of QUIC's transport parameters (RFC 9000 §18).
pub(crate) fn transport_parameter(parameters: &[u8], identifier: u64) -> Option<&[u8]> {
    let mut rest = Reader(parameters);
    loop {
        let (found, value) = (rest.varint()?, rest.varint_bytes()?);
        if found == identifier {
            return Some(value);
        }
    }
}

//! The peer's unidirectional streams (RFC 9114 §6.2).

use bytes::{Buf, Bytes};
use pronghorn_http_wire::varint;

use crate::frame::Decoder;
use crate::qpack::instructions::DecoderStream;

/// Stream types.
pub(super) const CONTROL: u64 = 0x00;
pub(super) const PUSH: u64 = 0x01;
pub(super) const QPACK_ENCODER: u64 = 0x02;
pub(super) const QPACK_DECODER: u64 = 0x03;

/// How far one unidirectional stream of the peer has been read.
///
/// Make one for each that the peer opens, and pass it to
/// [`Connection::read_uni`](super::Connection::read_uni) with the bytes that arrive.
#[derive(Clone, Debug)]
pub struct UniStream(pub(super) UniState);

#[derive(Clone, Debug)]
pub(super) enum UniState {
    /// The first `have` bytes of the stream's type are known.
    Type {
        bytes: [u8; varint::MAX_SIZE],
        have: usize,
    },
    Control(Decoder),
    QpackEncoder,
    QpackDecoder(DecoderStream),
    /// Of a type that this endpoint doesn't know; whatever comes is dropped.
    Unknown,
}

impl UniStream {
    /// A stream of which nothing has been read.
    #[must_use]
    pub fn new() -> Self {
        UniStream(UniState::Type {
            bytes: [0; varint::MAX_SIZE],
            have: 0,
        })
    }
}

impl Default for UniStream {
    fn default() -> Self {
        Self::new()
    }
}

/// Takes the stream's type off the front of `input`, going on from the `have` bytes in `bytes`.
pub(super) fn read_type(
    bytes: &mut [u8; varint::MAX_SIZE],
    have: &mut usize,
    input: &mut Bytes,
) -> Option<u64> {
    while let Some(&byte) = input.first() {
        bytes[*have] = byte;
        *have += 1;
        input.advance(1);
        if let Some((kind, _)) = varint::decode(&bytes[..*have]) {
            return Some(kind);
        }
    }
    None
}

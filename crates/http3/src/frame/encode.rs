//! Encoding of frames.

use bytes::{BufMut, BytesMut};
use pronghorn_http_wire::varint;

use super::kind;

/// Appends a frame of type `kind`, one of [`kind`](super::kind), with `payload`.
pub fn put_frame(kind: u64, payload: &[u8], out: &mut BytesMut) {
    varint::encode(kind, out);
    varint::encode(payload.len() as u64, out);
    out.put_slice(payload);
}

/// Appends type and length of a DATA frame; its `length` bytes of payload have to follow on the
/// stream.
pub fn put_data_header(length: u64, out: &mut BytesMut) {
    varint::encode(kind::DATA, out);
    varint::encode(length, out);
}

/// Appends a HEADERS frame around the field section that `section` appends.
pub fn put_headers(out: &mut BytesMut, section: impl FnOnce(&mut BytesMut)) {
    // The length is known only afterwards. Two bytes nearly always hold it (below 16 KiB); a
    // length need not be in its shortest form.
    const LENGTH_SIZE: usize = 2;
    varint::encode(kind::HEADERS, out);
    let start = out.len();
    out.put_bytes(0, LENGTH_SIZE);
    section(out);
    let length = out.len() - start - LENGTH_SIZE;
    if length < 1 << 14 {
        let encoded = 0x4000 | length as u16;
        out[start..start + LENGTH_SIZE].copy_from_slice(&encoded.to_be_bytes());
    } else {
        let section = out.split_off(start + LENGTH_SIZE);
        out.truncate(start);
        varint::encode(length as u64, out);
        out.put_slice(&section);
    }
}

/// Appends an empty frame of a reserved type, which the peer has to pass over
/// (RFC 9114 §7.2.8). `seed` picks the type.
pub fn put_reserved(seed: u64, out: &mut BytesMut) {
    put_frame(reserved(seed), &[], out);
}

/// A reserved number of the form 0x1f · N + 0x21, for settings, frames and streams.
pub(crate) fn reserved(seed: u64) -> u64 {
    0x1f * (seed % (1 << 32)) + 0x21
}

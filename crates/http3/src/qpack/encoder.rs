//! Encoding of field sections by the static table and literals alone (RFC 9204 §4.5).

use bytes::{BufMut, BytesMut};
use pronghorn_http_wire::{huffman, integer};

use super::field::Field;
use super::static_table::{self, Match};

/// Appends the field section of `fields` to `out`.
///
/// Each field takes the shortest of an indexed line, a literal with the name's index, or a
/// literal; strings are Huffman-coded where that is shorter.
pub fn encode<'a>(fields: impl IntoIterator<Item = &'a Field>, out: &mut BytesMut) {
    encode_prefix(out);
    for field in fields {
        encode_field(&field.name, &field.value, field.never_indexed, out);
    }
}

/// Appends the prefix with which each field section begins: no insert count, base 0.
pub fn encode_prefix(out: &mut BytesMut) {
    out.put_slice(&[0, 0]);
}

/// Appends one field line.
///
/// `never_indexed` marks the value as a secret that is to stay a literal on every hop.
pub fn encode_field(name: &[u8], value: &[u8], never_indexed: bool, out: &mut BytesMut) {
    out.reserve(name.len() + value.len() + 8);
    match static_table::find(name, value) {
        Match::Field(index) if !never_indexed => {
            integer::encode(u64::from(index), 6, 0b1100_0000, out);
        }
        Match::Field(index) | Match::Name(index) => {
            let flags = 0b0101_0000 | (u8::from(never_indexed) << 5);
            integer::encode(u64::from(index), 4, flags, out);
            encode_string(value, 7, 0, out);
        }
        Match::Nothing => {
            let flags = 0b0010_0000 | (u8::from(never_indexed) << 4);
            encode_string(name, 3, flags, out);
            encode_string(value, 7, 0, out);
        }
    }
}

/// Appends a string whose length has a prefix of `prefix` bits; the Huffman bit stands above it.
fn encode_string(text: &[u8], prefix: u8, flags: u8, out: &mut BytesMut) {
    let coded = huffman::encoded_len(text);
    if coded < text.len() {
        integer::encode(coded as u64, prefix, flags | (1 << prefix), out);
        huffman::encode(text, out);
    } else {
        integer::encode(text.len() as u64, prefix, flags, out);
        out.put_slice(text);
    }
}

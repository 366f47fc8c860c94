//! Header compression (RFC 7541): encoding without state.

use bytes::{BufMut, BytesMut};
use pronghorn_http_wire::{huffman, integer};

use super::static_table;

/// Appends a field that refers to the static table alone, so that the bytes are good for any connection and any time.
pub fn put_field(name: &[u8], value: &[u8], out: &mut BytesMut) {
    match static_table::find(name, value) {
        (Some(index), true) => integer::encode(index, 7, 0b1000_0000, out),
        (Some(index), false) => {
            integer::encode(index, 4, 0, out);
            put_string(value, out);
        }
        (None, _) => {
            out.put_u8(0);
            put_string(name, out);
            put_string(value, out);
        }
    }
}

fn put_string(text: &[u8], out: &mut BytesMut) {
    let coded = huffman::encoded_len(text);
    if coded < text.len() {
        integer::encode(coded as u64, 7, 0b1000_0000, out);
        huffman::encode(text, out);
    } else {
        integer::encode(text.len() as u64, 7, 0, out);
        out.put_slice(text);
    }
}

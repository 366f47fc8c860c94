//! Variable-length integers (RFC 9000 §16).

use bytes::{Buf, BufMut};

/// The largest value that the encoding holds: 2⁶² − 1.
pub const MAX: u64 = (1 << 62) - 1;

/// The most bytes that one integer takes.
pub const MAX_SIZE: usize = 8;

/// The bytes that `value` takes: 1, 2, 4 or 8.
///
/// Values above [`MAX`] have no encoding; they count as 8.
#[must_use]
pub const fn size(value: u64) -> usize {
    match value {
        0..=0x3f => 1,
        0x40..=0x3fff => 2,
        0x4000..=0x3fff_ffff => 4,
        _ => 8,
    }
}

/// The bytes of the whole integer whose first byte is `first`: 1, 2, 4 or 8.
#[must_use]
pub const fn size_from_first(first: u8) -> usize {
    1 << (first >> 6)
}

/// Appends `value` in its shortest form.
///
/// # Panics
/// If `value` is above [`MAX`]: such a number never comes from a peer.
pub fn encode(value: u64, out: &mut impl BufMut) {
    assert!(value <= MAX, "no variable-length integer is that large");
    match size(value) {
        1 => out.put_u8(value as u8),
        2 => out.put_u16(0x4000 | value as u16),
        4 => out.put_u32(0x8000_0000 | value as u32),
        _ => out.put_u64(0xc000_0000_0000_0000 | value),
    }
}

/// The integer at the start of `bytes` and the bytes it took; `None` while it is incomplete.
///
/// Every form is accepted, the shortest or not.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let size = size_from_first(first);
    let mut encoded = bytes.get(..size)?;
    let value = match size {
        1 => u64::from(first),
        2 => u64::from(encoded.get_u16() & 0x3fff),
        4 => u64::from(encoded.get_u32() & 0x3fff_ffff),
        _ => encoded.get_u64() & MAX,
    };
    Some((value, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_of_rfc_9000_decode() {
        assert_eq!(
            decode(&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c]),
            Some((151_288_809_941_952_652, 8))
        );
        assert_eq!(decode(&[0x9d, 0x7f, 0x3e, 0x7d]), Some((494_878_333, 4)));
        assert_eq!(decode(&[0x7b, 0xbd]), Some((15_293, 2)));
        assert_eq!(decode(&[0x25]), Some((37, 1)));
        assert_eq!(decode(&[0x40, 0x25]), Some((37, 2)));
    }

    #[test]
    fn an_incomplete_integer_is_none() {
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&[0x7b]), None);
        assert_eq!(decode(&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8]), None);
    }

    #[test]
    fn sizes_change_at_the_borders() {
        for (value, bytes) in [(63, 1), (64, 2), (16_383, 2), (16_384, 4), (1 << 30, 8)] {
            let mut out = Vec::new();
            encode(value, &mut out);
            assert_eq!((out.len(), size(value)), (bytes, bytes));
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes(value in 0..=MAX, tail: [u8; 3]) {
            let mut out = Vec::new();
            encode(value, &mut out);
            let size = out.len();
            out.extend(tail);
            prop_assert_eq!(decode(&out), Some((value, size)));
        }

        #[test]
        fn any_bytes_are_safe(bytes: Vec<u8>) {
            let _ = decode(&bytes);
        }
    }
}

//! Integers with a prefix (RFC 7541 §5.1, RFC 9204 §4.1.1).

use bytes::{BufMut, BytesMut};

/// Why no integer could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerError {
    /// The bytes end before the integer does.
    Truncated,
    /// The integer is larger than 62 bits.
    TooLarge,
}

/// Appends `value` with a prefix of `prefix` bits (1–8); `flags` are the bits above the prefix.
pub fn encode(value: u64, prefix: u8, flags: u8, out: &mut BytesMut) {
    let full = u8::MAX >> (8 - prefix);
    if value < u64::from(full) {
        out.put_u8(flags | value as u8);
        return;
    }
    out.put_u8(flags | full);
    let mut rest = value - u64::from(full);
    while rest >= 0x80 {
        out.put_u8(0x80 | rest as u8);
        rest >>= 7;
    }
    out.put_u8(rest as u8);
}

/// Reads an integer with a prefix of `prefix` bits (1–8) off the front of `bytes`.
///
/// # Errors
/// [`IntegerError`]; `bytes` is then as before.
pub fn decode(bytes: &mut &[u8], prefix: u8) -> Result<u64, IntegerError> {
    let (&first, mut rest) = bytes.split_first().ok_or(IntegerError::Truncated)?;
    let full = u8::MAX >> (8 - prefix);
    let mut value = u64::from(first & full);
    if value == u64::from(full) {
        let mut shift = 0;
        loop {
            let (&byte, tail) = rest.split_first().ok_or(IntegerError::Truncated)?;
            rest = tail;
            // Nine groups hold 63 bits, so nothing is shifted out before the check below.
            if shift > 56 {
                return Err(IntegerError::TooLarge);
            }
            value += u64::from(byte & 0x7f) << shift;
            if value >> 62 != 0 {
                return Err(IntegerError::TooLarge);
            }
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
    }
    *bytes = rest;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(value: u64, prefix: u8, flags: u8) -> Vec<u8> {
        let mut out = BytesMut::new();
        encode(value, prefix, flags, &mut out);
        out.to_vec()
    }

    #[test]
    fn the_examples_of_rfc_7541_c1_hold() {
        assert_eq!(encoded(10, 5, 0b1110_0000), [0b1110_1010]);
        assert_eq!(encoded(1337, 5, 0), [0b0001_1111, 0b1001_1010, 0b0000_1010]);
        assert_eq!(encoded(42, 8, 0), [0b0010_1010]);
        assert_eq!(
            decode(&mut &[0b0001_1111, 0b1001_1010, 0b1010][..], 5),
            Ok(1337)
        );
    }

    #[test]
    fn endless_and_oversized_integers_are_refused() {
        assert_eq!(decode(&mut &[0xff; 20][..], 8), Err(IntegerError::TooLarge));
        let zeros = [&[0xff][..], &[0x80; 20]].concat();
        assert_eq!(decode(&mut &zeros[..], 8), Err(IntegerError::TooLarge));
        assert_eq!(
            decode(&mut &[0xff, 0x80][..], 8),
            Err(IntegerError::Truncated)
        );
        assert_eq!(decode(&mut &[][..], 8), Err(IntegerError::Truncated));
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes(value in 0u64..1 << 62, prefix in 1u8..=8, tail: [u8; 2]) {
            let mut bytes = encoded(value, prefix, 0);
            bytes.extend(tail);
            let mut rest = &bytes[..];
            prop_assert_eq!(decode(&mut rest, prefix), Ok(value));
            prop_assert_eq!(rest, tail);
        }

        #[test]
        fn any_bytes_are_safe(bytes: Vec<u8>, prefix in 1u8..=8) {
            let _ = decode(&mut &bytes[..], prefix);
        }
    }
}

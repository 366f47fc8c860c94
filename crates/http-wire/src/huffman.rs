//! Huffman coding of string literals (RFC 7541 §5.2).

use bytes::{BufMut, BytesMut};

use super::huffman_code::{CODEWORDS, EOS, LONGEST, RANKS, SHORT, SHORT_BITS, SYMBOLS};

/// Why a Huffman-coded string is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HuffmanError {
    /// The string contains the EOS symbol.
    #[error("the EOS symbol in a Huffman-coded string")]
    Eos,
    /// The bits after the last symbol are more than seven, or not all ones.
    #[error("wrong padding of a Huffman-coded string")]
    Padding,
}

/// The bytes that `text` takes when Huffman-coded, padding included.
#[must_use]
pub fn encoded_len(text: &[u8]) -> usize {
    let bits: usize = text
        .iter()
        .map(|&byte| usize::from(CODEWORDS[usize::from(byte)].length))
        .sum();
    bits.div_ceil(8)
}

/// Appends the Huffman code of `text`, padded with ones to a whole byte.
pub fn encode(text: &[u8], out: &mut BytesMut) {
    let mut bits: u64 = 0;
    let mut pending: u32 = 0;
    for &byte in text {
        let code = CODEWORDS[usize::from(byte)];
        bits = (bits << code.length) | u64::from(code.bits);
        pending += u32::from(code.length);
        if pending >= 32 {
            pending -= 32;
            out.put_u32((bits >> pending) as u32);
        }
    }
    if pending > 0 {
        let padding = pending.next_multiple_of(8) - pending;
        let padded = (bits << padding) | ((1 << padding) - 1);
        let left = ((pending + padding) / 8) as usize;
        out.put_slice(&padded.to_be_bytes()[8 - left..]);
    }
}

/// Appends the text whose Huffman code is `coded`.
///
/// # Errors
/// [`HuffmanError`]; `out` is then as before.
pub fn decode(coded: &[u8], out: &mut BytesMut) -> Result<(), HuffmanError> {
    let start = out.len();
    // No code is shorter than five bits.
    out.resize(start + coded.len() * 8 / 5, 0);
    match decode_into(coded, &mut out[start..]) {
        Ok(length) => {
            out.truncate(start + length);
            Ok(())
        }
        Err(error) => {
            out.truncate(start);
            Err(error)
        }
    }
}

/// Writes the decoded text to the start of `text`, which has room for it; returns its length.
fn decode_into(coded: &[u8], text: &mut [u8]) -> Result<usize, HuffmanError> {
    let mut rest = coded;
    // The next `available` bits, left-aligned; zeros follow them.
    let mut bits: u64 = 0;
    let mut available: usize = 0;
    let mut length = 0;
    loop {
        if available < LONGEST {
            if let Some((four, tail)) = rest.split_first_chunk::<4>() {
                bits |= u64::from(u32::from_be_bytes(*four)) << (32 - available);
                available += 32;
                rest = tail;
            } else {
                for &byte in rest {
                    bits |= u64::from(byte) << (56 - available);
                    available += 8;
                }
                rest = &[];
            }
        }
        let (symbol, size) = next_symbol(bits);
        if size > available {
            break;
        }
        if symbol == EOS {
            return Err(HuffmanError::Eos);
        }
        text[length] = symbol as u8;
        length += 1;
        bits <<= size;
        available -= size;
    }
    let padding_is_ones = bits == !(u64::MAX >> available);
    if available < 8 && padding_is_ones {
        Ok(length)
    } else {
        Err(HuffmanError::Padding)
    }
}

/// The symbol with which the left-aligned `bits` begin, and the length of its code.
#[inline]
fn next_symbol(bits: u64) -> (u16, usize) {
    let short = SHORT[(bits >> (64 - SHORT_BITS)) as usize];
    if short.length > 0 {
        return (u16::from(short.symbol), usize::from(short.length));
    }
    for (length, rank) in RANKS.iter().enumerate().skip(SHORT_BITS + 1) {
        let above = ((bits >> (64 - length)) as u32).wrapping_sub(rank.first);
        if above < rank.count {
            return (SYMBOLS[(rank.offset + above) as usize], length);
        }
    }
    // A complete code leaves nothing to come here; were it so, the padding check would refuse it.
    (EOS, usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coded(text: &[u8]) -> Vec<u8> {
        let mut out = BytesMut::new();
        encode(text, &mut out);
        assert_eq!(out.len(), encoded_len(text));
        out.to_vec()
    }

    fn decoded(coded: &[u8]) -> Result<Vec<u8>, HuffmanError> {
        let mut out = BytesMut::from(&b"before"[..]);
        decode(coded, &mut out)?;
        assert_eq!(&out[..6], b"before");
        Ok(out[6..].to_vec())
    }

    fn bytes_of_hex(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    #[test]
    fn the_examples_of_rfc_7541_c4_and_c6_hold() {
        for (text, hex) in [
            ("www.example.com", "f1e3 c2e5 f23a 6ba0 ab90 f4ff"),
            ("no-cache", "a8eb 1064 9cbf"),
            ("custom-key", "25a8 49e9 5ba9 7d7f"),
            ("custom-value", "25a8 49e9 5bb8 e8b4 bf"),
            ("302", "6402"),
            ("private", "aec3 771a 4b"),
            (
                "Mon, 21 Oct 2013 20:13:21 GMT",
                "d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff",
            ),
            (
                "https://www.example.com",
                "9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3",
            ),
            ("307", "640e ff"),
            (
                "Mon, 21 Oct 2013 20:13:22 GMT",
                "d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff",
            ),
            ("gzip", "9bd9 ab"),
            (
                "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
                "94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f \
                 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
            ),
        ] {
            assert_eq!(coded(text.as_bytes()), bytes_of_hex(hex), "{text}");
            assert_eq!(decoded(&bytes_of_hex(hex)).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn padding_of_eight_ones_is_refused() {
        assert_eq!(decoded(&[0xff]), Err(HuffmanError::Padding));
        // "0" is five zero bits; three ones pad it, eleven are too many.
        assert_eq!(decoded(&[0x07]).unwrap(), b"0");
        assert_eq!(decoded(&[0x07, 0xff]), Err(HuffmanError::Padding));
    }

    #[test]
    fn padding_with_zeros_is_refused() {
        assert_eq!(decoded(&[0x00]), Err(HuffmanError::Padding));
        assert_eq!(decoded(&[0x06]), Err(HuffmanError::Padding));
    }

    #[test]
    fn the_eos_symbol_is_refused() {
        assert_eq!(decoded(&[0xff, 0xff, 0xff, 0xff]), Err(HuffmanError::Eos));
    }

    #[test]
    fn an_empty_string_is_empty() {
        assert_eq!(coded(b""), b"");
        assert_eq!(decoded(b"").unwrap(), b"");
    }

    #[test]
    fn every_symbol_survives() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decoded(&coded(&all)).unwrap(), all);
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes(text: Vec<u8>) {
            prop_assert_eq!(decoded(&coded(&text)).unwrap(), text);
        }

        #[test]
        fn what_decodes_is_the_only_code_of_its_text(bytes: Vec<u8>) {
            if let Ok(text) = decoded(&bytes) {
                prop_assert_eq!(coded(&text), bytes);
            }
        }
    }
}

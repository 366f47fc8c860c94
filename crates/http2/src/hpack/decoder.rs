//! Header decompression (RFC 7541).

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use pronghorn_http_wire::{huffman, integer};

use super::static_table;

/// The dynamic table's size that the peer may use, in bytes, until it is told of another (RFC 9113 §6.5.2).
const LARGEST_TABLE: usize = 4096;
/// What each entry counts beside its name and value (RFC 7541 §4.1).
const OVERHEAD: usize = 32;

/// A header block against the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a header block that can't be decompressed: {0}")]
pub struct Broken(&'static str);

/// One connection's dynamic table.
#[derive(Debug)]
pub struct Decoder {
    /// The newest first.
    entries: VecDeque<(Bytes, Bytes)>,
    size: usize,
    capacity: usize,
    /// What the peer may make of the capacity.
    largest: usize,
    /// Where Huffman-coded strings are decoded to.
    name: BytesMut,
    value: BytesMut,
}

impl Default for Decoder {
    fn default() -> Self {
        Decoder {
            entries: VecDeque::new(),
            size: 0,
            capacity: LARGEST_TABLE,
            largest: LARGEST_TABLE,
            name: BytesMut::new(),
            value: BytesMut::new(),
        }
    }
}

impl Decoder {
    /// The peer was told by SETTINGS_HEADER_TABLE_SIZE that its table may have so many bytes. Until it answers by an update
    /// within a header block (RFC 7541 §4.2), the table is as it was.
    pub fn allow(&mut self, bytes: u32) {
        self.largest = (bytes as usize).max(self.capacity);
    }

    /// Reads a whole header block; `field` is given each name and value, in their order.
    ///
    /// # Errors
    /// [`Broken`], of which a connection can't recover.
    pub fn decode(
        &mut self,
        block: &[u8],
        mut field: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), Broken> {
        let mut rest = block;
        let mut begun = false;
        while let Some(&first) = rest.first() {
            match first.leading_zeros() {
                // An indexed field.
                0 => {
                    let index = number(&mut rest, 7)?;
                    let (name, value) = self.entry(index)?;
                    field(name, value);
                }
                // A literal that becomes an entry.
                1 => {
                    self.literal(&mut rest, 6)?;
                    field(&self.name, &self.value);
                    self.insert();
                }
                // The table's size.
                2 => {
                    let size = number(&mut rest, 5)?;
                    if begun {
                        return Err(Broken("a table size after a field"));
                    }
                    if size > self.largest {
                        return Err(Broken("a table larger than allowed"));
                    }
                    self.capacity = size;
                    self.shrink(size);
                    continue;
                }
                // A literal that stays one.
                _ => {
                    self.literal(&mut rest, 4)?;
                    field(&self.name, &self.value);
                }
            }
            begun = true;
        }
        Ok(())
    }

    fn entry(&self, index: usize) -> Result<(&[u8], &[u8]), Broken> {
        let at = index.checked_sub(1).ok_or(Broken("index 0"))?;
        if let Some((name, value)) = static_table::ENTRIES.get(at) {
            return Ok((name.as_bytes(), value.as_bytes()));
        }
        let (name, value) = self
            .entries
            .get(at - static_table::ENTRIES.len())
            .ok_or(Broken("an index beyond the table"))?;
        Ok((name, value))
    }

    /// Reads a literal's name and value into the buffers for them.
    fn literal(&mut self, rest: &mut &[u8], prefix: u8) -> Result<(), Broken> {
        let index = number(rest, prefix)?;
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        if index == 0 {
            string(rest, &mut name)?;
        } else {
            name.extend_from_slice(self.entry(index)?.0);
        }
        self.name = name;
        self.value.clear();
        string(rest, &mut self.value)
    }

    /// Makes the last literal an entry (RFC 7541 §4.4).
    fn insert(&mut self) {
        let size = self.name.len() + self.value.len() + OVERHEAD;
        if size > self.capacity {
            self.shrink(0);
            return;
        }
        self.shrink(self.capacity - size);
        let name = Bytes::copy_from_slice(&self.name);
        let value = Bytes::copy_from_slice(&self.value);
        self.entries.push_front((name, value));
        self.size += size;
    }

    /// Drops the oldest entries until the table isn't larger than so many bytes.
    fn shrink(&mut self, size: usize) {
        while self.size > size {
            let Some((name, value)) = self.entries.pop_back() else {
                return;
            };
            self.size -= name.len() + value.len() + OVERHEAD;
        }
    }
}

fn number(rest: &mut &[u8], prefix: u8) -> Result<usize, Broken> {
    let number = integer::decode(rest, prefix).map_err(|_| Broken("a truncated or huge number"))?;
    usize::try_from(number).map_err(|_| Broken("a huge number"))
}

/// Reads a string onto the end of `out`.
fn string(rest: &mut &[u8], out: &mut BytesMut) -> Result<(), Broken> {
    let coded = rest.first().is_some_and(|byte| byte & 0x80 != 0);
    let length = number(rest, 7)?;
    let (text, tail) = rest
        .split_at_checked(length)
        .ok_or(Broken("a truncated string"))?;
    *rest = tail;
    if coded {
        huffman::decode(text, out).map_err(|_| Broken("a string that is no Huffman code"))
    } else {
        out.extend_from_slice(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::put_field;
    use super::*;

    type Fields = Vec<(Vec<u8>, Vec<u8>)>;

    fn fields(decoder: &mut Decoder, block: &[u8]) -> Result<Fields, Broken> {
        let mut fields = Vec::new();
        decoder.decode(block, |name, value| {
            fields.push((name.to_vec(), value.to_vec()));
        })?;
        Ok(fields)
    }

    fn hexadecimal(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pair = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair).expect("it is ASCII");
            u8::from_str_radix(pair, 16).expect("it is hexadecimal")
        };
        digits.chunks(2).map(pair).collect()
    }

    /// RFC 7541, appendix C.6: three responses on one connection, with Huffman coding, in a table of 256 bytes.
    #[test]
    fn the_responses_of_rfc_7541_c6_are_decoded() {
        let mut decoder = Decoder {
            capacity: 256,
            ..Decoder::default()
        };
        let first = hexadecimal(
            "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        );
        let told = fields(&mut decoder, &first).expect("it is the RFC's");
        assert_eq!(told[0], (b":status".to_vec(), b"302".to_vec()));
        assert_eq!(told[3].1, b"https://www.example.com");
        let told = fields(&mut decoder, &hexadecimal("4883 640e ffc1 c0bf")).expect("likewise");
        assert_eq!(told[0].1, b"307");
        assert_eq!(told[1], (b"cache-control".to_vec(), b"private".to_vec()));
        let third = hexadecimal(
            "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
        );
        let told = fields(&mut decoder, &third).expect("likewise");
        assert_eq!(told[4], (b"content-encoding".to_vec(), b"gzip".to_vec()));
        assert_eq!(
            told[5].1,
            b"foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
        );
        assert_eq!((decoder.size, decoder.entries.len()), (215, 3));
    }

    #[test]
    fn a_table_larger_than_allowed_and_indices_beyond_it_are_refused() {
        let mut decoder = Decoder::default();
        assert!(
            fields(&mut decoder, &[0x3f, 0xe2, 0x1f]).is_err(),
            "4097 bytes"
        );
        assert!(fields(&mut decoder, &[0x80]).is_err(), "index 0");
        assert!(
            fields(&mut decoder, &[0xbe]).is_err(),
            "index 62 of an empty table"
        );
        assert!(
            fields(&mut decoder, &[0x88, 0x20]).is_err(),
            "a size after a field"
        );
    }

    proptest! {
        #[test]
        fn what_is_encoded_decodes(
            sent in prop::collection::vec(("[a-z-]{1,20}", "[ -~]{0,60}"), 0..20),
        ) {
            let mut block = BytesMut::new();
            for (name, value) in &sent {
                put_field(name.as_bytes(), value.as_bytes(), &mut block);
            }
            let expected: Fields =
                sent.iter().map(|(name, value)| (name.clone().into(), value.clone().into())).collect();
            prop_assert_eq!(fields(&mut Decoder::default(), &block), Ok(expected));
        }

        #[test]
        fn any_bytes_are_safe_and_the_table_keeps_its_size(blocks: Vec<Vec<u8>>) {
            let mut decoder = Decoder::default();
            for block in blocks {
                if decoder.decode(&block, |_, _| {}).is_err() {
                    break;
                }
                prop_assert!(decoder.size <= decoder.capacity);
            }
        }
    }
}

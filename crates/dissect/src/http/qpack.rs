//! Field sections with a dynamic table (RFC 9204), read afterwards: the encoder's instructions are all known, so no entry
//! is ever evicted.

use bytes::BytesMut;
use pronghorn_http_wire::{huffman, integer};
use pronghorn_http3::qpack::static_entry;

/// What the table counts an entry beside its name and value (RFC 9204 §3.2.1).
const OVERHEAD: u64 = 32;

/// The most bytes that all entries together may have; what an encoder puts in beyond isn't read.
const MOST_BYTES: usize = 16 << 20;

type Entry = (Vec<u8>, Vec<u8>);

/// All that the encoder ever put into its table, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    /// Up to which byte of the encoder's stream each entry took.
    ends: Vec<u64>,
    /// The most entries that the server's bound on the capacity leaves room for (RFC 9204 §4.5.1.1).
    most_entries: u64,
    bytes: usize,
}

impl Table {
    /// Reads the encoder's stream (RFC 9204 §4.3) as far as it is whole; `capacity` is the server's bound in bytes.
    pub(crate) fn read(instructions: &[u8], capacity: u64) -> Table {
        let mut table = Table {
            most_entries: capacity / OVERHEAD,
            ..Table::default()
        };
        let mut rest = instructions;
        while !rest.is_empty() {
            if table.instruction(&mut rest).is_none() {
                break;
            }
            table.bytes += table.entries[table.ends.len()..]
                .iter()
                .map(|(name, value)| name.len() + value.len() + OVERHEAD as usize)
                .sum::<usize>();
            if table.bytes > MOST_BYTES {
                table.entries.truncate(table.ends.len());
                break;
            }
            let end = (instructions.len() - rest.len()) as u64;
            table.ends.resize(table.entries.len(), end);
        }
        table
    }

    fn instruction(&mut self, rest: &mut &[u8]) -> Option<()> {
        const STATIC: u8 = 0x40;
        let first = *rest.first()?;
        match first.leading_zeros() {
            0 => {
                let index = number(rest, 6)?;
                let name = match first & STATIC {
                    0 => self.newest(index)?.0.clone(),
                    _ => static_entry(index)?.0.as_bytes().to_vec(),
                };
                let value = string(rest, 7)?;
                self.entries.push((name, value));
            }
            1 => {
                let name = string(rest, 5)?;
                let value = string(rest, 7)?;
                self.entries.push((name, value));
            }
            2 => drop(number(rest, 5)?),
            _ => {
                let index = number(rest, 5)?;
                self.entries.push(self.newest(index)?.clone());
            }
        }
        Some(())
    }

    /// An entry by its distance from the newest one.
    fn newest(&self, index: u64) -> Option<&Entry> {
        let at = (self.entries.len() as u64)
            .checked_sub(index)?
            .checked_sub(1)?;
        self.at(at)
    }

    fn at(&self, absolute: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(absolute).ok()?)
    }

    /// How many entries there were when so many bytes of the encoder's stream had been sent.
    fn inserted_by(&self, sent: u64) -> u64 {
        self.ends.partition_point(|end| *end <= sent) as u64
    }

    /// The fields of a section (RFC 9204 §4.5), sent when so many bytes of the encoder's stream had been.
    pub(crate) fn section(&self, section: &[u8], sent: u64) -> Option<Vec<Entry>> {
        const SIGN: u8 = 0x80;
        let mut rest = section;
        let required = self.required(number(&mut rest, 8)?, self.inserted_by(sent))?;
        let negative = rest.first()? & SIGN != 0;
        let delta = number(&mut rest, 7)?;
        let base = if negative {
            required.checked_sub(delta)?.checked_sub(1)?
        } else {
            required.checked_add(delta)?
        };
        let mut fields = Vec::new();
        while !rest.is_empty() {
            fields.push(self.line(&mut rest, base)?);
        }
        Some(fields)
    }

    /// RFC 9204 §4.5.1.1.
    fn required(&self, encoded: u64, inserted: u64) -> Option<u64> {
        if encoded == 0 {
            return Some(0);
        }
        let range = 2 * self.most_entries;
        if encoded > range {
            return None;
        }
        let largest = inserted + self.most_entries;
        let wrapped = largest / range * range;
        let required = wrapped + encoded - 1;
        if required > largest {
            required.checked_sub(range)
        } else {
            Some(required)
        }
    }

    fn line(&self, rest: &mut &[u8], base: u64) -> Option<Entry> {
        let first = *rest.first()?;
        let before_base = |index: u64| self.at(base.checked_sub(index)?.checked_sub(1)?);
        let fixed = |index: u64| static_entry(index);
        let owned =
            |(name, value): (&str, &str)| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
        match first.leading_zeros() {
            0 => {
                let index = number(rest, 6)?;
                match first & 0x40 {
                    0 => before_base(index).cloned(),
                    _ => fixed(index).map(owned),
                }
            }
            1 => {
                let index = number(rest, 4)?;
                let name = match first & 0x10 {
                    0 => before_base(index)?.0.clone(),
                    _ => owned(fixed(index)?).0,
                };
                Some((name, string(rest, 7)?))
            }
            2 => Some((string(rest, 3)?, string(rest, 7)?)),
            3 => {
                let index = number(rest, 4)?;
                self.at(base.checked_add(index)?).cloned()
            }
            _ => {
                let index = number(rest, 3)?;
                let name = self.at(base.checked_add(index)?)?.0.clone();
                Some((name, string(rest, 7)?))
            }
        }
    }
}

fn number(rest: &mut &[u8], prefix: u8) -> Option<u64> {
    integer::decode(rest, prefix).ok()
}

/// A string whose length has a prefix of so many bits, below the Huffman bit.
fn string(rest: &mut &[u8], prefix: u8) -> Option<Vec<u8>> {
    let coded = rest.first()? & 1 << prefix != 0;
    let length = usize::try_from(number(rest, prefix)?).ok()?;
    let (text, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    if !coded {
        return Some(text.to_vec());
    }
    let mut out = BytesMut::new();
    huffman::decode(text, &mut out).ok()?;
    Some(out.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hexadecimal: &str) -> Vec<u8> {
        let digits: Vec<u8> = hexadecimal.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| {
            u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("hexadecimal")
        };
        digits.chunks(2).map(byte).collect()
    }

    /// RFC 9204, appendix B.2 to B.5: instructions and the sections that refer to them.
    #[test]
    fn the_examples_of_rfc_9204_b_are_read() {
        let stream = bytes(
            "3fbd01 c00f7777772e6578616d706c652e636f6d c10c2f73616d706c652f70617468 \
             4a637573746f6d2d6b65790c637573746f6d2d76616c7565 02 810d637573746f6d2d76616c756532",
        );
        let table = Table::read(&stream, 220);
        let text = |entry: &Entry| {
            (
                String::from_utf8_lossy(&entry.0).into_owned(),
                String::from_utf8_lossy(&entry.1).into_owned(),
            )
        };
        let told: Vec<_> = table.entries.iter().map(text).collect();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            told,
            [
                pair(":authority", "www.example.com"),
                pair(":path", "/sample/path"),
                pair("custom-key", "custom-value"),
                pair(":authority", "www.example.com"),
                pair("custom-key", "custom-value2"),
            ]
        );
        let section = table
            .section(&bytes("0381 10 11"), 34)
            .expect("B.2 is whole");
        assert_eq!(section.iter().map(text).collect::<Vec<_>>(), told[..2]);
        let section = table
            .section(&bytes("0500 80 c1 81"), 62)
            .expect("B.4 is whole");
        let expected = [told[3].clone(), pair(":path", "/"), told[2].clone()];
        assert_eq!(section.iter().map(text).collect::<Vec<_>>(), expected);
    }
}

//! Decoding of field sections that refer to the static table alone (RFC 9204 §4.5).

use bytes::{Bytes, BytesMut};
use pronghorn_http_wire::integer::IntegerError;
use pronghorn_http_wire::{huffman, integer};

use super::field::Field;
use super::static_table;
use crate::error::{Code, Error};

/// Decodes the field section that fills `section`.
///
/// Names and values are slices of `section`, of the static table or, where they were
/// Huffman-coded, of one buffer that all of them share.
///
/// # Errors
/// - `QPACK_DECOMPRESSION_FAILED` (connection) for a section that is broken or refers to the
///   dynamic table, whose capacity is 0.
/// - `H3_EXCESSIVE_LOAD` (stream) if the fields together are larger than
///   `max_field_section_size` bytes, counted as RFC 9114 §4.2.2 does.
pub fn decode(section: &Bytes, max_field_section_size: u64) -> Result<Vec<Field>, Error> {
    let mut decoder = Decoder {
        section,
        rest: section,
        text: BytesMut::new(),
    };
    decoder.prefix()?;
    let mut fields = Vec::with_capacity(8);
    let mut size = 0;
    while let Some(&first) = decoder.rest.first() {
        let field = decoder.field(first)?;
        size += field.size();
        if size > max_field_section_size {
            return Err(Error::stream(
                Code::ExcessiveLoad,
                "field section larger than allowed",
            ));
        }
        fields.push(field);
    }
    Ok(fields)
}

struct Decoder<'a> {
    section: &'a Bytes,
    rest: &'a [u8],
    /// Where Huffman-coded strings are decoded to.
    text: BytesMut,
}

impl Decoder<'_> {
    fn prefix(&mut self) -> Result<(), Error> {
        if self.integer(8)? != 0 {
            return Err(failed("a reference to the dynamic table"));
        }
        let sign = self.rest.first().is_some_and(|byte| byte & 0x80 != 0);
        self.integer(7)?;
        if sign {
            return Err(failed("a negative base"));
        }
        Ok(())
    }

    fn field(&mut self, first: u8) -> Result<Field, Error> {
        const STATIC_INDEXED: u8 = 0b0100_0000;
        const STATIC_NAMED: u8 = 0b0001_0000;
        match first.leading_zeros() {
            0 if first & STATIC_INDEXED != 0 => {
                let (name, value) = self.entry(6)?;
                Ok(Field::new(name, value))
            }
            1 if first & STATIC_NAMED != 0 => {
                let (name, _) = self.entry(4)?;
                let value = self.string(7)?;
                Ok(Field {
                    name: Bytes::from_static(name.as_bytes()),
                    value,
                    never_indexed: first & 0b0010_0000 != 0,
                })
            }
            2 => Ok(Field {
                name: self.string(3)?,
                value: self.string(7)?,
                never_indexed: first & 0b0001_0000 != 0,
            }),
            _ => Err(failed("a reference to the dynamic table")),
        }
    }

    fn entry(&mut self, prefix: u8) -> Result<static_table::Entry, Error> {
        let index = self.integer(prefix)?;
        usize::try_from(index)
            .ok()
            .and_then(|index| static_table::ENTRIES.get(index))
            .copied()
            .ok_or(failed("an index beyond the static table"))
    }

    /// A string whose length has a prefix of `prefix` bits, below the Huffman bit.
    fn string(&mut self, prefix: u8) -> Result<Bytes, Error> {
        let coded = self
            .rest
            .first()
            .is_some_and(|byte| byte & (1 << prefix) != 0);
        let length = self.integer(prefix)?;
        let (string, rest) = usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.split_at_checked(length))
            .ok_or(failed("a string longer than its field section"))?;
        self.rest = rest;
        if string.is_empty() {
            return Ok(Bytes::new());
        }
        if !coded {
            return Ok(self.section.slice_ref(string));
        }
        if self.text.capacity() == 0 {
            // Room for whatever the section still holds, so that its strings share one allocation.
            self.text.reserve((string.len() + rest.len()) * 8 / 5);
        }
        huffman::decode(string, &mut self.text).map_err(|error| match error {
            huffman::HuffmanError::Eos => failed("the EOS symbol in a Huffman-coded string"),
            huffman::HuffmanError::Padding => failed("wrong padding of a Huffman-coded string"),
        })?;
        Ok(self.text.split().freeze())
    }

    fn integer(&mut self, prefix: u8) -> Result<u64, Error> {
        integer::decode(&mut self.rest, prefix).map_err(|error| match error {
            IntegerError::Truncated => failed("a truncated field section"),
            IntegerError::TooLarge => failed("an integer above 62 bits"),
        })
    }
}

const fn failed(reason: &'static str) -> Error {
    Error::connection(Code::QpackDecompressionFailed, reason)
}

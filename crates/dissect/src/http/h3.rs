//! HTTP/3 (RFC 9114) in the first bytes of QUIC's streams.

use pronghorn_http3::frame::kind;

use super::qpack::Table;
use crate::reader::Reader;

/// Types of unidirectional streams (RFC 9114 §6.2, RFC 9204 §4.2).
const CONTROL: u64 = 0x00;
const ENCODER: u64 = 0x02;

const QPACK_MAX_TABLE_CAPACITY: u64 = 0x01;

/// What stands behind the type of a stream, where that is the control stream.
pub(crate) fn control(stream: &[u8]) -> Option<&[u8]> {
    behind(stream, CONTROL)
}

/// The instructions on a stream and the bytes before them, where it is QPACK's encoder's.
pub(crate) fn encoder(stream: &[u8]) -> Option<(&[u8], u64)> {
    let instructions = behind(stream, ENCODER)?;
    Some((instructions, (stream.len() - instructions.len()) as u64))
}

fn behind(stream: &[u8], kind: u64) -> Option<&[u8]> {
    let mut rest = Reader(stream);
    (rest.varint()? == kind).then_some(rest.0)
}

/// The dynamic table that the sender of a control stream allows, in bytes.
pub(crate) fn table_capacity(control: &[u8]) -> u64 {
    let found = frames(control).find(|frame| frame.kind == kind::SETTINGS);
    let mut settings = Reader(found.map_or(&[], |frame| frame.payload));
    while let (Some(identifier), Some(value)) = (settings.varint(), settings.varint()) {
        if identifier == QPACK_MAX_TABLE_CAPACITY {
            return value;
        }
    }
    0
}

/// A request's method and path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
}

/// What the first bytes of a request stream ask for. `sent_by` says how many bytes of the encoder's instructions had been
/// sent with the byte of the request stream. `Err`: the section can't be decoded; `None`: it isn't whole.
pub(crate) fn asked(
    stream: &[u8],
    table: &Table,
    sent_by: impl Fn(u64) -> u64,
) -> Option<Result<Asked, ()>> {
    let head = frames(stream).find(|frame| frame.kind == kind::HEADERS && frame.whole)?;
    let end = head.at + head.payload.len() as u64;
    let Some(fields) = table.section(head.payload, sent_by(end.saturating_sub(1))) else {
        return Some(Err(()));
    };
    let of = |wanted: &[u8]| {
        let field = fields.iter().find(|(name, _)| name == wanted);
        field.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    };
    Some(Ok(Asked {
        method: of(b":method"),
        path: of(b":path"),
    }))
}

/// Where the content begins in a response stream.
pub(crate) fn first_content(stream: &[u8]) -> Option<u64> {
    let content = frames(stream).find(|frame| frame.kind == kind::DATA && frame.length > 0)?;
    Some(content.at)
}

struct Frame<'a> {
    kind: u64,
    /// Where its payload begins.
    at: u64,
    length: u64,
    /// As much of it as is there.
    payload: &'a [u8],
    whole: bool,
}

fn frames(stream: &[u8]) -> impl Iterator<Item = Frame<'_>> {
    let mut rest = Reader(stream);
    std::iter::from_fn(move || {
        let (kind, length) = (rest.varint()?, rest.varint()?);
        let at = (stream.len() - rest.0.len()) as u64;
        let there = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(rest.0.len());
        let payload = rest.take(there)?;
        Some(Frame {
            kind,
            at,
            length,
            payload,
            whole: there as u64 == length,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_and_content_found() {
        let table = Table::default();
        let stream = [
            0x21, 0x01, 0xff, 0x01, 0x04, 0x00, 0x00, 0xd1, 0xc1, 0x00, 0x03,
        ];
        let asked = asked(&stream, &table, |_| 0)
            .expect("it is whole")
            .expect("it can be decoded");
        assert_eq!(
            (asked.method.as_deref(), asked.path.as_deref()),
            (Some("GET"), Some("/"))
        );
        assert_eq!(first_content(&stream), Some(11));
        assert_eq!(first_content(&[0x00, 0x00]), None);
    }

    #[test]
    fn the_control_stream_tells_the_tables_capacity() {
        let control =
            control(&[0x00, 0x04, 0x05, 0x06, 0x01, 0x01, 0x50, 0x00]).expect("it is one");
        assert_eq!(table_capacity(control), 0x1000);
        assert_eq!(table_capacity(&[]), 0);
    }
}

//! Headers of QUIC's packets before their protection is taken off (RFC 9000 §17, RFC 8999).

use crate::reader::Reader;

/// The version that is read.
const V1: u32 = 1;

/// The longest connection ID of version 1.
pub(super) const LONGEST_ID: usize = 20;

/// A packet as it stands in a datagram, from its first byte on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header<'a> {
    Long(Long<'a>),
    /// The server offers other versions.
    VersionNegotiation,
    /// Of a version that isn't read.
    Foreign(u32),
    /// A short header, whose connection ID's length isn't told.
    Short,
}

/// A long header of version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Long<'a> {
    pub(super) kind: LongKind,
    pub(super) destination: &'a [u8],
    pub(super) source: &'a [u8],
    /// Where the packet number begins.
    pub(super) number_at: usize,
    /// Bytes of the whole packet.
    pub(super) length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LongKind {
    Initial,
    ZeroRtt,
    Handshake,
    Retry,
}

impl LongKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            LongKind::Initial => "Initial",
            LongKind::ZeroRtt => "0-RTT",
            LongKind::Handshake => "Handshake",
            LongKind::Retry => "Retry",
        }
    }
}

/// Whether the fixed bit is set. RFC 9287 §3 lets ends clear it once they know each other, so it tells QUIC from other
/// datagrams only where no connection is known.
pub(super) fn is_fixed(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| first & 0x40 != 0)
}

/// The header with which `bytes` begin; `None` for what is no packet of QUIC, and for zeros, with which some stacks fill
/// datagrams up.
pub(super) fn read(bytes: &[u8]) -> Option<Header<'_>> {
    const LONG: u8 = 0x80;
    let mut rest = Reader(bytes);
    let first = rest.u8()?;
    if first & LONG == 0 {
        let filled_up = bytes.iter().all(|byte| *byte == 0);
        return (!filled_up).then_some(Header::Short);
    }
    let version = rest.u32()?;
    let (destination, source) = (rest.bytes_8()?, rest.bytes_8()?);
    if version == 0 {
        return Some(Header::VersionNegotiation);
    }
    if version != V1 {
        return Some(Header::Foreign(version));
    }
    if destination.len() > LONGEST_ID || source.len() > LONGEST_ID {
        return None;
    }
    let kind = match first >> 4 & 3 {
        0 => LongKind::Initial,
        1 => LongKind::ZeroRtt,
        2 => LongKind::Handshake,
        _ => LongKind::Retry,
    };
    let mut long = Long {
        kind,
        destination,
        source,
        number_at: 0,
        length: bytes.len(),
    };
    if kind == LongKind::Retry {
        return Some(Header::Long(long));
    }
    if kind == LongKind::Initial {
        rest.varint_bytes()?;
    }
    let length = usize::try_from(rest.varint()?).ok()?;
    long.number_at = bytes.len() - rest.0.len();
    long.length = long
        .number_at
        .checked_add(length)
        .filter(|end| *end <= bytes.len())?;
    Some(Header::Long(long))
}

/// A packet number from its last bytes (RFC 9000 §A.3); `largest` is the largest one sent before in its space.
pub(super) fn number(truncated: u64, bits: u32, largest: Option<u64>) -> u64 {
    let expected = largest.map_or(0, |largest| largest + 1);
    let window = 1_u64 << bits;
    let candidate = (expected & !(window - 1)) | truncated;
    if candidate + window / 2 <= expected && candidate + window < 1 << 62 {
        candidate + window
    } else if candidate > expected + window / 2 && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_9000_a3_holds() {
        assert_eq!(number(0x9b32, 16, Some(0xa82f_30ea)), 0xa82f_9b32);
        assert_eq!(number(0, 8, None), 0);
        assert_eq!(number(1, 8, Some(255)), 257);
    }

    #[test]
    fn a_length_beyond_the_datagram_is_no_packet() {
        let initial = [0xc0, 0, 0, 0, 1, 0, 0, 0, 0x44, 0xd0];
        assert_eq!(read(&initial), None);
        assert_eq!(
            read(&[0xc0, 0, 0, 0, 0, 0, 0]),
            Some(Header::VersionNegotiation)
        );
        assert_eq!(read(&[0x00; 30]), None);
    }
}

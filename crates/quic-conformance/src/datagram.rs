//! The packets of a datagram, as far as they can be seen without keys (RFC 9000, section 17).

use std::ops::Range;

/// What kind a packet is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Initial.
    Initial,
    /// 0-RTT.
    ZeroRtt,
    /// Handshake.
    Handshake,
    /// Retry or Version Negotiation.
    Other,
    /// 1-RTT, with a short header.
    OneRtt,
}

/// The kinds of a datagram's packets, in order. Bytes that are no packet end it.
#[must_use]
pub fn kinds(datagram: &[u8]) -> Vec<Kind> {
    packets(datagram)
        .into_iter()
        .map(|(kind, _)| kind)
        .collect()
}

/// A datagram without its packets of a kind; none where nothing is left.
pub(crate) fn without(datagram: &[u8], kind: Kind) -> Option<Vec<u8>> {
    let mut left = Vec::new();
    for (_, range) in packets(datagram).into_iter().filter(|(of, _)| *of != kind) {
        left.extend_from_slice(&datagram[range]);
    }
    (!left.is_empty()).then_some(left)
}

fn packets(datagram: &[u8]) -> Vec<(Kind, Range<usize>)> {
    let mut found = Vec::new();
    let mut begin = 0;
    while let Some((kind, length)) = packet(&datagram[begin..]) {
        found.push((kind, begin..begin + length));
        begin += length;
    }
    found
}

/// The kind and the length of the packet with which `bytes` begin.
fn packet(bytes: &[u8]) -> Option<(Kind, usize)> {
    let first = *bytes.first()?;
    if first & 0x80 == 0 {
        // The fixed bit may be greased (RFC 9287), so even a zero may begin a packet. Padding is all zeros.
        let is_padding = bytes.iter().all(|byte| *byte == 0);
        return (!is_padding).then_some((Kind::OneRtt, bytes.len()));
    }
    let kind = match (bytes.get(1..5)?, first >> 4 & 3) {
        ([0, 0, 0, 0], _) | (_, 3) => return Some((Kind::Other, bytes.len())),
        (_, 0) => Kind::Initial,
        (_, 1) => Kind::ZeroRtt,
        _ => Kind::Handshake,
    };
    let mut at = 5;
    for _ in 0..2 {
        at += 1 + usize::from(*bytes.get(at)?);
    }
    if kind == Kind::Initial {
        let (token, length) = integer(bytes, at)?;
        at += length + usize::try_from(token).ok()?;
    }
    let (rest, length) = integer(bytes, at)?;
    let end = at + length + usize::try_from(rest).ok()?;
    (end <= bytes.len()).then_some((kind, end))
}

/// A variable-length integer and its length (RFC 9000, section 16).
fn integer(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let length = 1 << (bytes.get(at)? >> 6);
    let of = bytes.get(at..at + length)?;
    let value = of
        .iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte));
    Some((value & ((1 << (8 * length - 2)) - 1), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long header of a kind, with a connection ID of one byte, and `rest` bytes behind it.
    fn long(kind: u8, rest: u8) -> Vec<u8> {
        let mut packet = vec![0xc0 | kind << 4, 0, 0, 0, 1, 1, 7, 0];
        if kind == 0 {
            packet.push(0);
        }
        packet.push(rest);
        packet.resize(packet.len() + usize::from(rest), 9);
        packet
    }

    #[test]
    fn coalesced_packets_are_told_apart() {
        let short = vec![0x40; 30];
        let datagram = [long(0, 20), long(2, 63), short.clone()].concat();
        let all = [Kind::Initial, Kind::Handshake, Kind::OneRtt];
        assert_eq!(kinds(&datagram), all);
        let left = without(&datagram, Kind::Handshake).expect("packets");
        assert_eq!(left, [long(0, 20), short].concat());
    }

    #[test]
    fn nothing_is_left_of_a_datagram_that_held_only_that() {
        assert_eq!(without(&long(2, 5), Kind::Handshake), None);
    }

    #[test]
    fn padding_behind_packets_is_no_packet() {
        let datagram = [long(0, 20), vec![0; 50]].concat();
        assert_eq!(kinds(&datagram), [Kind::Initial]);
    }

    #[test]
    fn what_is_cut_off_is_no_packet() {
        let initial = long(0, 20);
        for length in 0..initial.len() {
            assert!(kinds(&initial[..length]).is_empty(), "{length}");
        }
    }
}

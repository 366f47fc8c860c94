//! What one end of a TCP connection sent (RFC 9293 §3.4), as places in its stream; the first byte after the SYN is 0.

use std::collections::HashMap;
use std::ops::Range;

use crate::ledger::Way;
use crate::wire::{Segment, flag};

/// How far a segment may lie from the last one, either way: the largest window (RFC 7323 §2.3).
const FARTHEST: i64 = 1 << 30;

#[derive(Default)]
pub(super) struct End<'a> {
    /// Its SYN wasn't seen.
    pub(super) began_before: bool,
    pub(super) way: Way,
    /// The sequence number of the first byte.
    first: Option<u32>,
    /// Where the last segment with anything in it began.
    latest: u64,
    scale: Option<u8>,
    /// Its SYN was seen.
    pub(super) syn: bool,
    fin: bool,
    /// What each row carries, and from where on.
    payloads: HashMap<usize, (u64, &'a [u8])>,
}

impl<'a> End<'a> {
    /// Whether anything of it was taken.
    pub(super) fn has_begun(&self) -> bool {
        self.first.is_some()
    }

    /// Whether it began with another number than this SYN's.
    pub(super) fn began_otherwise(&self, sequence: u32) -> bool {
        self.first
            .is_some_and(|first| first != sequence.wrapping_add(1))
    }

    /// Takes a segment; tells the bytes it carries, and whether any of them, its SYN or its FIN is new.
    pub(super) fn take(
        &mut self,
        row: usize,
        arrived_ns: Option<u64>,
        segment: &Segment<'a>,
    ) -> (Range<u64>, bool) {
        let mut news = false;
        if segment.has(flag::SYN) {
            news = !self.syn;
            self.syn = true;
            self.scale = segment.window_scale;
            self.first.get_or_insert(segment.sequence.wrapping_add(1));
        }
        let first = *self.first.get_or_insert_with(|| {
            self.began_before = true;
            segment.sequence
        });
        let behind_syn = segment
            .sequence
            .wrapping_add(u32::from(segment.has(flag::SYN)));
        let place = place(first, self.latest, behind_syn);
        if segment.has(flag::FIN) {
            news |= !self.fin;
            self.fin = true;
        }
        let (Some(start), false) = (place, segment.payload.is_empty()) else {
            return (0..0, news);
        };
        let range = start..start + segment.payload.len() as u64;
        self.latest = self.latest.max(start);
        self.payloads.insert(row, (start, segment.payload));
        news |= !self.way.carry(range.clone(), row, arrived_ns).is_empty();
        (range, news)
    }

    /// All bytes up to the first that no segment carried.
    pub(super) fn content(&self) -> Vec<u8> {
        let mut content = Vec::new();
        for (range, row) in self.way.sent.iter() {
            let (start, payload) = self.payloads[&row];
            if range.start != content.len() as u64 {
                break;
            }
            content.extend_from_slice(
                &payload[(range.start - start) as usize..(range.end - start) as usize],
            );
        }
        content
    }

    /// Which place of this end's stream the other end's segment acknowledges.
    pub(super) fn place_acknowledged(&self, segment: &Segment<'_>) -> Option<u64> {
        let first = self.first.filter(|_| segment.has(flag::ACK))?;
        place(first, self.latest, segment.acknowledgement)
    }

    /// The window that a segment of this end tells, in bytes; it is scaled where both SYNs say by how much, and in neither of
    /// them (RFC 7323 §2.2).
    pub(super) fn window_of(&self, segment: &Segment<'_>, other: &End<'_>) -> Option<u64> {
        let scale = match (segment.has(flag::SYN), self.scale, other.scale) {
            (false, Some(own), Some(_)) => own,
            (false, ..) if self.began_before => return None,
            _ => 0,
        };
        Some(u64::from(segment.window) << scale)
    }
}

/// Where a sequence number stands, near to `latest`; `None` where that is before the first byte, or too far.
fn place(first: u32, latest: u64, sequence: u32) -> Option<u64> {
    let last = first.wrapping_add(latest as u32);
    let ahead = i64::from(sequence.wrapping_sub(last) as i32);
    if ahead.abs() > FARTHEST {
        return None;
    }
    u64::try_from(latest as i64 + ahead).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(sequence: u32, payload: &[u8]) -> Segment<'_> {
        Segment {
            sequence,
            acknowledgement: 0,
            flags: flag::ACK,
            window: 0,
            window_scale: None,
            payload,
        }
    }

    fn synchronised(sequence: u32) -> End<'static> {
        let mut end = End::default();
        let syn = Segment {
            flags: flag::SYN,
            ..segment(sequence, b"")
        };
        assert_eq!(end.take(0, Some(0), &syn), (0..0, true));
        end
    }

    #[test]
    fn sequence_numbers_wrap_around() {
        let mut end = synchronised(u32::MAX - 2);
        assert_eq!(
            end.take(1, Some(1), &segment(u32::MAX - 1, b"abcd")),
            (0..4, true)
        );
        assert_eq!(end.take(2, Some(2), &segment(2, b"ef")), (4..6, true));
        assert_eq!(
            end.take(3, Some(3), &segment(u32::MAX, b"bcdefg")),
            (1..7, true)
        );
        assert_eq!(end.take(4, Some(4), &segment(0, b"cd")), (2..4, false));
        assert_eq!(end.content(), b"abcdefg");
    }

    #[test]
    fn nothing_is_read_beyond_a_gap() {
        let mut end = synchronised(0);
        end.take(1, None, &segment(1, b"ab"));
        end.take(2, None, &segment(4, b"d"));
        assert_eq!(end.content(), b"ab");
        end.take(3, None, &segment(3, b"c"));
        assert_eq!(end.content(), b"abcd");
    }

    #[test]
    fn an_end_without_a_syn_began_before() {
        let mut end = End::default();
        assert_eq!(end.take(0, None, &segment(700, b"x")), (0..1, true));
        assert!(end.began_before);
    }
}

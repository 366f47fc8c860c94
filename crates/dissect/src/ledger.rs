//! Which packet brought each byte of a stream first, and when transport let the application have it.

use std::collections::BTreeMap;
use std::ops::Range;

/// The first to claim each byte of a stream has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstClaims(BTreeMap<u64, (u64, usize)>);

impl FirstClaims {
    /// Gives `row` those bytes of `range` that nobody has, and tells them.
    pub(crate) fn claim(&mut self, range: Range<u64>, row: usize) -> Vec<Range<u64>> {
        let mut won = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let before = self.0.range(..=at).next_back();
            if let Some(end) = before.map(|(_, (end, _))| *end).filter(|end| *end > at) {
                at = end;
                continue;
            }
            let next = self
                .0
                .range(at..)
                .next()
                .map_or(range.end, |(start, _)| *start);
            let end = next.min(range.end);
            won.push(at..end);
            self.0.insert(at, (end, row));
            at = end;
        }
        won
    }

    /// Every claim in the order of the bytes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Range<u64>, usize)> {
        self.0
            .iter()
            .map(|(start, (end, row))| (*start..*end, *row))
    }

    /// Who has a byte.
    pub(crate) fn of(&self, byte: u64) -> Option<usize> {
        let (_, (end, row)) = self.0.range(..=byte).next_back()?;
        (*end > byte).then_some(*row)
    }

    /// One past the last byte that anybody has.
    pub(crate) fn end(&self) -> u64 {
        self.0.last_key_value().map_or(0, |(_, (end, _))| *end)
    }

    /// How many bytes from the first on, without a gap, rows up to `row` have.
    pub(crate) fn had_by(&self, row: usize) -> u64 {
        let mut next = 0;
        for (range, owner) in self.iter() {
            if range.start != next || owner > row {
                break;
            }
            next = range.end;
        }
        next
    }

    /// The parts of `range` that somebody has.
    fn within(&self, range: Range<u64>) -> impl Iterator<Item = (Range<u64>, usize)> {
        let first = self
            .0
            .range(..=range.start)
            .next_back()
            .map_or(range.start, |(start, _)| *start);
        self.0
            .range(first..range.end)
            .filter_map(move |(start, (end, row))| {
                let part = range.start.max(*start)..range.end.min(*end);
                (!part.is_empty()).then_some((part, *row))
            })
    }
}

/// One stream's way over a link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    /// By the rows that carried the bytes first.
    pub(crate) sent: FirstClaims,
    /// Rows that carried bytes and arrived.
    deliveries: Vec<Delivery>,
}

#[derive(Clone, Debug)]
struct Delivery {
    at_ns: u64,
    row: usize,
    range: Range<u64>,
}

/// Bytes that came together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) range: Range<u64>,
    /// The row that carried them first.
    pub(crate) sent: usize,
    /// The row by which they arrived first.
    pub(crate) arrived: usize,
    /// When they had arrived, and all bytes of the stream before them; `None` where that never was.
    pub(crate) released_ns: Option<u64>,
}

impl Way {
    /// The row carries the bytes. Rows come in the order of their sending. Tells which bytes it is the first to carry.
    pub(crate) fn carry(
        &mut self,
        range: Range<u64>,
        row: usize,
        arrived_ns: Option<u64>,
    ) -> Vec<Range<u64>> {
        if let Some(at_ns) = arrived_ns {
            self.deliveries.push(Delivery {
                at_ns,
                row,
                range: range.clone(),
            });
        }
        self.sent.claim(range, row)
    }

    /// All that arrived, in the order of the bytes.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let mut deliveries = self.deliveries.clone();
        deliveries.sort_by_key(|delivery| (delivery.at_ns, delivery.row));
        let mut arrived = FirstClaims::default();
        let times: BTreeMap<usize, u64> =
            deliveries.iter().map(|one| (one.row, one.at_ns)).collect();
        for delivery in deliveries {
            arrived.claim(delivery.range, delivery.row);
        }
        let mut parts = Vec::new();
        let mut next = 0;
        let mut released_ns = Some(0);
        for (range, row) in arrived.iter() {
            released_ns = released_ns
                .filter(|_| range.start == next)
                .map(|before: u64| before.max(times[&row]));
            next = range.end;
            let part = |(range, sent)| Part {
                range,
                sent,
                arrived: row,
                released_ns,
            };
            parts.extend(self.sent.within(range).map(part));
        }
        parts
    }
}

/// When the bytes up to a place were released, of parts in order.
pub(crate) struct Releases<'a>(pub(crate) &'a [Part]);

impl Releases<'_> {
    /// When the byte was released; `None` where it never was.
    pub(crate) fn of(&self, byte: u64) -> Option<u64> {
        let at = self.0.partition_point(|part| part.range.end <= byte);
        let part = self.0.get(at).filter(|part| part.range.contains(&byte))?;
        part.released_ns
    }

    /// The row by which the byte arrived first.
    pub(crate) fn row(&self, byte: u64) -> Option<usize> {
        let at = self.0.partition_point(|part| part.range.end <= byte);
        let part = self.0.get(at).filter(|part| part.range.contains(&byte))?;
        Some(part.arrived)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_to_claim_a_byte_has_it() {
        let mut claims = FirstClaims::default();
        assert_eq!(claims.claim(10..15, 0), std::slice::from_ref(&(10..15)));
        assert_eq!(claims.claim(12..20, 0), std::slice::from_ref(&(15..20)));
        assert_eq!(claims.claim(5..25, 1), [5..10, 20..25]);
        assert_eq!(claims.claim(5..25, 2), []);
        assert_eq!(claims.of(4), None);
        assert_eq!(
            (claims.of(5), claims.of(10), claims.of(24)),
            (Some(1), Some(0), Some(1))
        );
        assert_eq!(claims.end(), 25);
    }

    #[test]
    fn what_comes_after_a_lost_packet_is_released_with_its_retransmission() {
        let mut way = Way::default();
        way.carry(0..100, 0, Some(10));
        way.carry(100..200, 1, None);
        way.carry(200..300, 2, Some(12));
        way.carry(100..200, 3, Some(50));
        let part = |range, sent, arrived, released_ns| Part {
            range,
            sent,
            arrived,
            released_ns: Some(released_ns),
        };
        assert_eq!(
            way.parts(),
            [
                part(0..100, 0, 0, 10),
                part(100..200, 1, 3, 50),
                part(200..300, 2, 2, 50)
            ]
        );
        let parts = way.parts();
        assert_eq!(
            (Releases(&parts).of(150), Releases(&parts).of(300)),
            (Some(50), None)
        );
    }

    #[test]
    fn nothing_behind_a_byte_that_never_came_is_released() {
        let mut way = Way::default();
        way.carry(0..10, 0, None);
        way.carry(10..20, 1, Some(5));
        assert_eq!(way.parts()[0].released_ns, None);
    }

    proptest! {
        #[test]
        fn every_byte_is_had_by_the_first_row_that_claimed_it(ranges in prop::collection::vec((0u64..60, 0u64..20), 0..12)) {
            let mut claims = FirstClaims::default();
            let mut first = [None; 80];
            for (row, (start, length)) in ranges.into_iter().enumerate() {
                let won: u64 = claims.claim(start..start + length, row).iter().map(|range| range.end - range.start).sum();
                let mut expected = 0;
                for byte in start..start + length {
                    let owner = &mut first[byte as usize];
                    expected += u64::from(owner.is_none());
                    owner.get_or_insert(row);
                }
                prop_assert_eq!(won, expected);
            }
            for (byte, owner) in first.iter().enumerate() {
                prop_assert_eq!(claims.of(byte as u64), *owner);
            }
        }
    }
}

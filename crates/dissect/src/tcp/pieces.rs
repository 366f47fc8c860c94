//! Bytes of a TCP stream as pieces of the streams within it.

use std::collections::HashMap;

use crate::arrivals::{Piece, Row};
use crate::http::Owned;
use crate::ledger::Part;
use crate::tls::Layer;

/// The stream of what belongs to none.
const NOBODY: i64 = -1;

/// What lies where in the application's bytes, as it lies on TCP's.
pub(super) fn below(owned: &[Owned], layer: &Layer) -> Vec<Owned> {
    let mut told = Vec::new();
    let mut spans = layer.spans.iter().peekable();
    for one in owned {
        let mut at = one.range.start;
        while at < one.range.end {
            let Some(span) = spans.peek() else {
                return told;
            };
            let span_end = span.above + span.length;
            if span_end <= at {
                spans.next();
                continue;
            }
            let end = one.range.end.min(span_end);
            let start = span.below + (at - span.above);
            told.push(Owned {
                range: start..start + (end - at),
                stream: one.stream,
                offset: one.offset + (at - one.range.start),
            });
            at = end;
        }
    }
    told
}

/// What arrived, divided by whose it is. The bytes of nobody count as a stream of their own.
pub(super) fn pieces(parts: &[Part], owned: &[Owned], rows: &[Row<'_>]) -> Vec<Piece> {
    let end = parts.last().map_or(0, |part| part.range.end);
    let covered = cover(owned, end);
    let mut pieces = Vec::<Piece>::new();
    let mut last = HashMap::<i64, usize>::new();
    let mut from = 0;
    for part in parts {
        from += covered[from..].partition_point(|one| one.range.end <= part.range.start);
        for one in covered[from..]
            .iter()
            .take_while(|one| one.range.start < part.range.end)
        {
            let start = one.range.start.max(part.range.start);
            let piece = Piece {
                stream: one.stream,
                offset: one.offset + (start - one.range.start),
                length: one.range.end.min(part.range.end) - start,
                sent: part.sent,
                arrived: part.arrived,
                released_ns: part.released_ns,
                own_released_ns: None,
            };
            let before = last.get(&piece.stream).copied();
            if let Some(place) = before.filter(|place| goes_on(&pieces[*place], &piece)) {
                pieces[place].length += piece.length;
                continue;
            }
            let own = match before.map(|place| &pieces[place]) {
                None => (piece.offset == 0).then_some(0),
                Some(before) => before
                    .own_released_ns
                    .filter(|_| before.offset + before.length == piece.offset),
            };
            let arrived_ns = rows[piece.arrived].packet.arrived_ns.unwrap_or(0);
            let own_released_ns = own.map(|own| own.max(arrived_ns));
            last.insert(piece.stream, pieces.len());
            pieces.push(Piece {
                own_released_ns,
                ..piece
            });
        }
    }
    pieces
}

/// Whether a piece is the next bytes of one that came by the same packet, and was sent first in the same one.
fn goes_on(before: &Piece, piece: &Piece) -> bool {
    before.offset + before.length == piece.offset
        && (before.sent, before.arrived, before.released_ns)
            == (piece.sent, piece.arrived, piece.released_ns)
}

/// All bytes up to `end` with whose they are.
fn cover(owned: &[Owned], end: u64) -> Vec<Owned> {
    let mut covered = Vec::with_capacity(2 * owned.len() + 1);
    let (mut at, mut of_nobody) = (0, 0);
    for one in owned.iter().take_while(|one| one.range.start < end) {
        if one.range.start > at {
            covered.push(Owned {
                range: at..one.range.start,
                stream: NOBODY,
                offset: of_nobody,
            });
            of_nobody += one.range.start - at;
        }
        covered.push(one.clone());
        at = one.range.end;
    }
    if at < end {
        covered.push(Owned {
            range: at..end,
            stream: NOBODY,
            offset: of_nobody,
        });
    }
    covered
}

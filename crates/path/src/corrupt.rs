//! Whether one random bit of a packet flips.

use crate::draws::{Draws, Passage, Probability, below};
use crate::packet::Packet;
use crate::spec::Direction;

/// The third stage: as netem, one bit, anywhere in the packet, its headers included.
#[derive(Debug)]
pub(crate) struct Corrupt {
    probability: Probability,
    draws: Draws,
}

impl Corrupt {
    pub(crate) fn new(probability: f64, seed: u64, direction: Direction) -> Option<Corrupt> {
        (probability > 0.0).then(|| Corrupt {
            probability: Probability::new(probability),
            draws: Draws::new(seed, direction, "corrupt"),
        })
    }

    /// Returns whether a bit flipped; a packet without bytes has none.
    pub(crate) fn apply<P: Packet>(&mut self, packet: &mut P, passage: Passage) -> bool {
        let hit = self.probability.hits(self.draws.next(passage));
        let place = self.draws.next(passage);
        let corrupts = hit && !packet.is_empty();
        if corrupts {
            packet.flip_bit(below(place, packet.len() as u64 * 8) as usize);
        }
        corrupts
    }

    /// Uses up the draws of a packet that doesn't come this far.
    pub(crate) fn skip(&mut self, passage: Passage) {
        self.draws.next(passage);
        self.draws.next(passage);
    }
}

//! Whether one random bit of a packet flips.

use crate::chance::Chance;
use crate::draws::{Draws, Each, Instance, below};
use crate::packet::Packet;
use crate::spec::{Direction, LinkSpec};

/// The stage after loss: as netem, one bit, anywhere in the packet, its headers included.
#[derive(Debug)]
pub(crate) struct Corrupt {
    chances: Each<Chance>,
    draws: Draws,
}

impl Corrupt {
    /// None where no bit ever flips; `varies`: the probability is set later.
    pub(crate) fn new(
        spec: &LinkSpec,
        varies: bool,
        seed: u64,
        direction: Direction,
    ) -> Option<Corrupt> {
        (varies || spec.corrupt > 0.0).then(|| Corrupt {
            chances: Each::new(Chance::new(spec.corrupt, spec.corrupt_correlation)),
            draws: Draws::new(seed, direction, "corrupt"),
        })
    }

    pub(crate) fn set(&mut self, probability: f64) {
        for chance in self.chances.both() {
            chance.set(probability);
        }
    }

    /// Returns whether a bit flipped; a packet without bytes has none.
    pub(crate) fn apply<P: Packet>(&mut self, packet: &mut P, instance: Instance) -> bool {
        let (hit, place) = self.decide(instance);
        let corrupts = hit && !packet.is_empty();
        if corrupts {
            packet.flip_bit(below(place, packet.len() as u64 * 8) as usize);
        }
        corrupts
    }

    /// Uses up the draws of a packet that doesn't come this far.
    pub(crate) fn skip(&mut self, instance: Instance) {
        self.decide(instance);
    }

    fn decide(&mut self, instance: Instance) -> (bool, u64) {
        let hit = self.chances.of(instance).decide(self.draws.next(instance));
        (hit, self.draws.next(instance))
    }
}

//! Loss by one probability, with a correlation and a bound to bursts where they are asked for.
//!
//! The bound turns hits into misses after so many in a row, and the chance that decides isn't told.
//! It lowers the share of lost packets: without correlation from p to `p (1 - p^n) / (1 - p^(n + 1))`
//! for a longest burst of n.

use crate::chance::Chance;
use crate::draws::{Draws, Each, Instance};

/// The chance, and how many it has hit in a row.
#[derive(Debug)]
pub(crate) struct Independent {
    streams: Each<Stream>,
    draws: Draws,
}

#[derive(Clone, Debug)]
struct Stream {
    chance: Chance,
    longest_burst: u64,
    burst: u64,
}

impl Independent {
    /// `longest_burst` is at least 1; none is no bound.
    pub(crate) fn new(
        probability: f64,
        correlation: f64,
        longest_burst: Option<u32>,
        draws: Draws,
    ) -> Independent {
        let stream = Stream {
            chance: Chance::new(probability, correlation),
            longest_burst: longest_burst.map_or(u64::MAX, u64::from),
            burst: 0,
        };
        Independent {
            streams: Each::new(stream),
            draws,
        }
    }

    pub(crate) fn set(&mut self, probability: f64) {
        for stream in self.streams.both() {
            stream.chance.set(probability);
        }
    }

    /// Call it also for a packet that doesn't come this far, whose decision counts as one's before.
    pub(crate) fn decide(&mut self, instance: Instance) -> bool {
        let stream = self.streams.of(instance);
        let hit = stream.chance.decide(self.draws.next(instance));
        let lost = hit && stream.burst < stream.longest_burst;
        stream.burst = if lost { stream.burst + 1 } else { 0 };
        lost
    }
}

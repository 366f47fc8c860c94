//! The path: what the script makes of each datagram, and what is seen of it.

use std::time::Duration;

use crate::datagram::{kinds, without};
use crate::scenario::{Fate, Script};
use crate::trace::{Direction, Observation, Sample, Sighting, Trace};

/// A path that carries datagrams as a script says, and keeps the trace.
pub struct Wire {
    one_way: Duration,
    script: Script,
    /// How many datagrams went up and down.
    sent: [usize; 2],
    known: [Observation; 2],
    /// What was seen so far.
    pub trace: Trace,
}

impl Wire {
    /// A path with this delay and script.
    #[must_use]
    pub fn new(one_way: Duration, script: Script) -> Wire {
        Wire {
            one_way,
            script,
            sent: [0; 2],
            known: [Observation::default(); 2],
            trace: Trace::default(),
        }
    }

    /// Takes a datagram that is sent; gives when it arrives and what arrives of it, if anything does.
    pub fn carry(
        &mut self,
        now: Duration,
        direction: Direction,
        datagram: Vec<u8>,
    ) -> Option<(Duration, Vec<u8>)> {
        let mut seen = Sighting {
            direction,
            index: self.sent[direction as usize],
            at: now,
            size: datagram.len(),
            packets: kinds(&datagram),
            fate: Fate::Pass,
        };
        let fate = (self.script)(&seen);
        seen.fate = fate;
        self.sent[direction as usize] += 1;
        self.trace.datagrams.push(seen);
        let arrives = now + self.one_way;
        match fate {
            Fate::Pass => Some((arrives, datagram)),
            Fate::Drop => None,
            Fate::Late(by) => Some((arrives + by, datagram)),
            Fate::Without(kind) => Some((arrives, without(&datagram, kind)?)),
        }
    }

    /// Takes what the end that sends in a direction reports.
    pub fn observe(&mut self, now: Duration, sender: Direction, seen: Observation) {
        if seen != self.known[sender as usize] {
            self.known[sender as usize] = seen;
            self.trace.samples.push(Sample {
                at: now,
                sender,
                seen,
            });
        }
    }
}

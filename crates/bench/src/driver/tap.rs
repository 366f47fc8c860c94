//! Where somebody may watch a link: every packet that enters it, leaves it or ends in it.

use std::fmt;

use pronghorn_path::{DropCause, Marks, Time};

/// Watches one link. The link's driver thread calls it, so it must never wait: while it works,
/// nothing moves.
///
/// Packets are single IP packets, never super-packets, with their checksums completed, and as they are
/// within the link, which a rebinding NAT stands before. Times count on
/// `CLOCK_MONOTONIC`, in nanoseconds. For each packet `entered` comes first, then `dropped` or
/// `left`; where the link duplicates it, the copy has a `left` or `dropped` of its own.
pub trait Tap: Send {
    /// A packet enters the link at `at`; `number` packets had entered before it.
    fn entered(&mut self, number: u64, at: Time, packet: &[u8]);

    /// Whether [`Tap::left`] is to be given the packet; else it gets no bytes, which saves the driver a copy.
    fn reads_departures(&self) -> bool {
        true
    }

    /// A packet has left the link and was offered to the far host, as it was then.
    fn left(&mut self, facts: &Leaving, packet: &[u8]);

    /// A packet has ended in the link, as it was then.
    fn dropped(&mut self, facts: &Dropping, packet: &[u8]);
}

/// What became of a packet that had left a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The far host's device has it.
    Taken,
    /// The device refused it.
    Refused,
    /// It is to an address that the NAT doesn't have any more, or not yet.
    Stale,
    /// It is damaged so that the device wouldn't take it, and would count it as its own drop, or that
    /// the kernel behind would drop it without counting it.
    Undeliverable,
}

/// How a packet left a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// The number with which it entered; for a copy, its original's.
    pub number: u64,
    /// When it left in fact; later than `due` by its lateness.
    pub at: Time,
    /// When it entered; for a copy, when its original did.
    pub arrived: Time,
    /// When its delay was over and it reached the bottleneck; `due` where there is none.
    pub reached: Time,
    /// When it was to leave.
    pub due: Time,
    /// What the link did to it.
    pub marks: Marks,
    /// Whether the far host has it.
    pub delivery: Delivery,
}

/// How a packet ended in a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropping {
    /// The number with which it entered; for a copy, its original's.
    pub number: u64,
    /// When it entered; for a copy, when its original did.
    pub arrived: Time,
    /// When it was dropped.
    pub at: Time,
    /// Why.
    pub cause: DropCause,
    /// What the link had done to it before.
    pub marks: Marks,
}

/// Both links' taps.
pub struct Taps {
    /// On the link from the server to the client.
    pub down: Box<dyn Tap>,
    /// On the link from the client to the server.
    pub up: Box<dyn Tap>,
}

impl Taps {
    /// Taps that tell all to these and to others.
    #[must_use]
    pub fn and(self, others: Taps) -> Taps {
        Taps {
            down: Box::new(Both(self.down, others.down)),
            up: Box::new(Both(self.up, others.up)),
        }
    }
}

/// Two taps of one link.
struct Both(Box<dyn Tap>, Box<dyn Tap>);

impl Tap for Both {
    fn entered(&mut self, number: u64, at: Time, packet: &[u8]) {
        self.0.entered(number, at, packet);
        self.1.entered(number, at, packet);
    }

    fn reads_departures(&self) -> bool {
        self.0.reads_departures() || self.1.reads_departures()
    }

    fn left(&mut self, facts: &Leaving, packet: &[u8]) {
        for tap in [&mut self.0, &mut self.1] {
            let read = if tap.reads_departures() { packet } else { &[] };
            tap.left(facts, read);
        }
    }

    fn dropped(&mut self, facts: &Dropping, packet: &[u8]) {
        self.0.dropped(facts, packet);
        self.1.dropped(facts, packet);
    }
}

impl fmt::Debug for Taps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Taps")
    }
}

//! What goes in: packets as a path saw them.

use pronghorn_path::{Direction, DropCause};

/// One IP packet's way over a link, or a copy's that the link made of it.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Whose way.
    pub direction: Direction,
    /// When it entered the link, in nanoseconds of `CLOCK_MONOTONIC`; for a copy, when its original did.
    pub sent_ns: u64,
    /// When it left the link and the far host took it whole; `None` where it never did.
    pub arrived_ns: Option<u64>,
    /// How long it waited at the bottleneck behind others, in nanoseconds.
    pub queued_ns: u64,
    /// What became of it, other than to arrive as it was sent.
    pub fate: Option<Fate>,
    /// As it entered.
    pub bytes: &'a [u8],
}

/// What becomes of a packet that doesn't simply arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It ended in the link.
    Dropped(DropCause),
    /// A bit of it flipped, so that the far kernel drops it.
    Corrupted,
    /// It left the link, and the far host didn't take it.
    NotDelivered,
    /// It was still in the link when the recording ended, or the record of its end is missing.
    InFlight,
    /// It is the second of two, which the link made.
    Duplicate,
}

impl Fate {
    /// Its name in what is told.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Fate::Dropped(DropCause::TooBig) => "mtu",
            Fate::Dropped(DropCause::Udp) => "udp",
            Fate::Dropped(DropCause::Outage) => "outage",
            Fate::Dropped(DropCause::Loss) => "loss",
            Fate::Dropped(DropCause::Policed) => "policed",
            Fate::Dropped(DropCause::QueueFull) => "queue",
            Fate::Dropped(DropCause::Aqm) => "aqm",
            Fate::Dropped(DropCause::LeftBehind) => "handover",
            Fate::Corrupted => "corrupted",
            Fate::NotDelivered => "not delivered",
            Fate::InFlight => "in flight",
            Fate::Duplicate => "duplicate",
        }
    }
}

//! What becomes of a packet: how it leaves a link, or why it doesn't.

use crate::time::Time;

/// A packet that leaves a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// How many packets had been pushed before it; a copy has its original's number.
    pub number: u64,
    /// When it was pushed; for a copy, when its original was.
    pub arrived: Time,
    /// When its delay was over and it reached the bottleneck; `due` where there is none.
    pub reached: Time,
    /// When it leaves, whenever it was popped.
    pub due: Time,
    /// What was done to it on the way.
    pub marks: Marks,
    /// The packet itself.
    pub packet: P,
}

/// What a link did to a packet that leaves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// It is the second one of a packet that the link duplicated.
    pub copy: bool,
    /// A bit of it flipped.
    pub corrupted: bool,
    /// It skipped the delay, to overtake others ([`crate::Reorder`]).
    pub hurried: bool,
    /// "Congestion experienced" was set by active queue management.
    pub congestion: bool,
}

/// A packet that ends in a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped<P> {
    /// How many packets had been pushed before it; a copy has its original's number.
    pub number: u64,
    /// When it was pushed.
    pub arrived: Time,
    /// When it was dropped.
    pub at: Time,
    /// Why.
    pub cause: DropCause,
    /// What had been done to it before.
    pub marks: Marks,
    /// The packet itself.
    pub packet: P,
}

/// Why a link dropped a packet; each has its counter in [`crate::Counters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropCause {
    /// Longer than the MTU.
    TooBig,
    /// UDP, by the link's rule for it.
    Udp,
    /// An outage.
    Outage,
    /// The loss model.
    Loss,
    /// Beyond the token bucket.
    Policed,
    /// No room before the bottleneck.
    QueueFull,
    /// Active queue management.
    Aqm,
    /// A handover: it was inside as the client left this network, or is from or to the address that it had here.
    LeftBehind,
}

impl DropCause {
    /// Each cause once.
    pub const ALL: [DropCause; 8] = [
        DropCause::TooBig,
        DropCause::Udp,
        DropCause::Outage,
        DropCause::Loss,
        DropCause::Policed,
        DropCause::QueueFull,
        DropCause::Aqm,
        DropCause::LeftBehind,
    ];
}

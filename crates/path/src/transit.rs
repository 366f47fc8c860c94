//! A packet on its way through a link.

use crate::fate::Marks;
use crate::time::Time;

/// A packet with what the link must remember of its entry.
#[derive(Debug)]
pub(crate) struct Transit<P> {
    /// How many packets had been pushed before it; a copy has its original's.
    pub(crate) number: u64,
    /// The order of entry into the delay stage, copies before their originals.
    pub(crate) sequence: u64,
    /// When it was pushed.
    pub(crate) arrived: Time,
    /// When its delay was over; set when it is.
    pub(crate) reached: Time,
    pub(crate) marks: Marks,
    pub(crate) packet: P,
}

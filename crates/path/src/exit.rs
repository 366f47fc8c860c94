//! What becomes of packets that a discipline drops.

use crate::fate::DropCause;
use crate::ledger::Ledger;
use crate::packet::Packet;
use crate::queue::Room;
use crate::time::Time;
use crate::transit::Transit;

/// The way out for packets that the bottleneck drops.
#[derive(Debug)]
pub(crate) struct Exit<'a, P> {
    pub(crate) room: &'a mut Room,
    pub(crate) ledger: &'a mut Ledger<P>,
}

impl<P: Packet> Exit<'_, P> {
    /// Ends a packet that was in the buffer.
    pub(crate) fn drop(&mut self, at: Time, cause: DropCause, transit: Transit<P>) {
        self.room.leave(transit.packet.len());
        self.ledger.drop_held(at, cause, transit);
    }

    /// The same one, for a while.
    pub(crate) fn again(&mut self) -> Exit<'_, P> {
        Exit {
            room: self.room,
            ledger: self.ledger,
        }
    }
}

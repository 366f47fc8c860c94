//! What is kept of a client that was offered h3.

use bytemuck::{Pod, Zeroable};

/// Bits of a client's state: how many it left unanswered in a row, …
pub(crate) const COUNT: u8 = 0b1111;
/// … how often it was silent before, …
pub(crate) const STRIKES: u8 = 0b111_0000;
pub(crate) const STRIKE: u8 = 0b1_0000;
/// … whether it is.
pub(crate) const SILENT: u8 = 0b1000_0000;

/// A client of a key that was offered h3.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Told {
    /// Since when an offer holds that it hasn't followed, seconds of the clock; of a silent one: until when an earlier one may hold.
    pub(crate) since_s: u32,
    /// Until when it does, as the last one has it, which takes the place of earlier ones in a browser; of a silent one: until when it is offered nothing.
    pub(crate) until_s: u32,
    /// Hashed.
    pub(crate) client: u16,
    /// The host of the offer, hashed.
    pub(crate) host: u8,
    /// How many it left unanswered in a row, how often it was silent before, whether it is.
    pub(crate) state: u8,
}

impl Told {
    pub(crate) fn count(&self) -> u32 {
        u32::from(self.state & COUNT)
    }

    pub(crate) fn strikes(&self) -> u8 {
        (self.state & STRIKES) / STRIKE
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.state & SILENT != 0
    }

    /// It is silent still, and came by QUIC meanwhile.
    pub(crate) fn has_answered(&self) -> bool {
        self.state == SILENT
    }

    /// The clock went back.
    pub(crate) fn move_back(&mut self, by_s: u32) {
        self.since_s = self.since_s.saturating_sub(by_s);
        self.until_s = self.until_s.saturating_sub(by_s);
    }
}

//! How a connection that is through waits for the session ticket of the one after it.
//!
//! A response to early data comes before the server has the client's Finished, and tickets come only after that (RFC 8446
//! §4.6.1): a connection that ended with its response would leave the next one without a session.

use std::time::{Duration, Instant};

use super::Worker;
use super::phases::Stage;
use crate::spec::{Connect, Session};

/// How long a ticket is awaited at most. It takes a round trip; retransmissions take longer.
const TICKET_WAIT: Duration = Duration::from_secs(1);
/// So often in a row a slot waits in vain, until it takes the server for one that gives no more tickets.
const IN_VAIN: u32 = 3;

impl Worker {
    /// Whether a slot's connection that is to be ended stays for a ticket, of which the next one has none.
    pub(super) fn lingers(&mut self, index: usize, now: Instant) -> bool {
        let asks = self.plan.session == Session::ZeroRtt && self.plan.connect == Connect::Each;
        if !asks || self.phase.stage != Stage::Running {
            return false;
        }
        let slot = &mut self.slots[index];
        let (Some(link), Some(sessions)) = (&mut slot.link, &slot.sessions) else {
            return false;
        };
        if !link.leaving || link.answered == 0 || link.established.is_none() {
            return false;
        }
        if sessions.has_ticket() {
            slot.in_vain = 0;
            return false;
        }
        if slot.in_vain >= IN_VAIN {
            return false;
        }
        let until = *link.lingers.get_or_insert(now + TICKET_WAIT);
        slot.in_vain += u32::from(now >= until);
        now < until
    }

    /// Ends a slot's connection that has no reason to linger any more, and goes on.
    pub(super) fn end_lingering(&mut self, index: usize, now: Instant) {
        let link = self.slots[index].link.as_ref();
        if link.is_some_and(|link| link.lingers.is_some()) {
            self.leave(index, now);
        }
    }
}

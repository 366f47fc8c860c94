//! When what is due, and what comes of it.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use super::Worker;
use crate::connection::Connection;
use crate::progress::Reporter;

impl Worker {
    /// When the loop has to look up, whatever its sockets do.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let slots = self.deadlines.first().map(|(deadline, _)| deadline);
        let request = self.oldest_timeout();
        let due = match &self.queue {
            Some(queue) if !self.short_of_room => queue.due(),
            _ => None,
        };
        let tick = self.reporter.as_ref().and_then(Reporter::deadline);
        [slots, request, due, tick, self.phase.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Notes a slot's deadline and its room.
    pub(super) fn rank(&mut self, index: usize) {
        let slot = &self.slots[index];
        let deadline = match &slot.link {
            Some(link) => {
                let made_by = link.established.is_none().then_some(link.made_by);
                let session = self.session_deadline(index);
                [made_by, session, link.lingers, link.connection.deadline()]
                    .into_iter()
                    .flatten()
                    .min()
            }
            None => slot.opens,
        };
        self.deadlines.set(index, deadline);
        if self.queue.is_some() {
            let room = self.room(index);
            self.rooms.set(
                index,
                (room > 0).then_some((Reverse(room), self.slots[index].asked)),
            );
            if room > 0 && self.short_of_room {
                self.short_of_room = false;
                self.free_from = Some(Instant::now());
            }
        }
    }

    /// What is due at slots, and requests that took too long.
    pub(super) fn expire(&mut self, now: Instant) {
        while let Some((deadline, index)) = self.deadlines.first() {
            if deadline > now {
                break;
            }
            match index.checked_sub(self.slots.len()) {
                Some(index) => self.attend_behind(index, now),
                None => self.expire_slot(index, now),
            }
            // Whatever it wants next is later than now, or it would have the loop to itself.
            if self.deadlines.first() == Some((deadline, index)) {
                self.deadlines
                    .set(index, Some(now + Duration::from_micros(1)));
            }
        }
        self.time_out(now);
    }
}

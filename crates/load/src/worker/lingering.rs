//! How connections that are through wait for the session tickets of later ones.
//!
//! A response to early data comes before the server has the client's Finished, and tickets come only after that (RFC 8446
//! §4.6.1): connections that ended with their responses would leave later ones without sessions. So each stays behind the next
//! one, which goes on meanwhile if there is a ticket for it.

use std::time::{Duration, Instant};

use super::phases::Stage;
use super::slot::Behind;
use super::{LONGEST_READ, Worker};
use crate::connection::{Connection, Event};
use crate::spec::{Connect, Session};

/// How long a ticket is awaited at most. It takes a round trip; retransmissions take longer.
const TICKET_WAIT: Duration = Duration::from_secs(1);
/// So often in a row a slot waits in vain, until it takes the server for one that gives no more tickets.
const IN_VAIN: u32 = 3;

impl Worker {
    /// Whether a slot's connection that is to be ended stays for a ticket: behind the next one, or where that place is taken
    /// in its own.
    pub(super) fn lingers(&mut self, index: usize, now: Instant) -> bool {
        let asks = self.plan.session == Session::ZeroRtt && self.plan.connect == Connect::Each;
        if !asks || self.phase.stage != Stage::Running {
            return false;
        }
        let slot = &mut self.slots[index];
        slot.credit_tickets();
        let Some(link) = &mut slot.link else {
            return false;
        };
        let is_through = link.leaving && link.answered > 0 && link.established.is_some();
        if !is_through || link.ticket || slot.in_vain >= IN_VAIN {
            return false;
        }
        let until = *link.lingers.get_or_insert(now + TICKET_WAIT);
        if now >= until {
            slot.in_vain += 1;
            return false;
        }
        if slot.behind.is_none() {
            let generation = slot.generation;
            let link = slot.link.take();
            slot.behind = link.map(|link| Box::new(Behind { link, generation }));
            // It has its handshake's end to send, and may have been read in part.
            self.unread.push((index, generation));
            self.rank_behind(index);
        }
        true
    }

    /// Whether this is the slot's connection that lingers behind the present one.
    pub(super) fn is_behind(&self, index: usize, generation: u32) -> bool {
        let behind = self.slots[index].behind.as_ref();
        behind.is_some_and(|behind| behind.generation == generation)
    }

    /// Takes what has come for a connection that lingers behind, and ends it once there is no reason for it any more.
    pub(super) fn attend_behind(&mut self, index: usize, now: Instant) {
        let slot = &mut self.slots[index];
        let Some(behind) = &mut slot.behind else {
            return;
        };
        let mut events = Vec::new();
        let generation = behind.generation;
        let connection = &mut behind.link.connection;
        connection.writable(now, &mut events);
        let begun = Instant::now();
        let mut now = now.max(begun);
        let mut short_reads = 0;
        let more = loop {
            let more = connection.readable(now, &mut events);
            if more && now.saturating_duration_since(begun) >= LONGEST_READ {
                break true;
            }
            // A short read doesn't see the end that came with it.
            short_reads += u32::from(!more);
            if short_reads == 2 {
                break false;
            }
            now = Instant::now();
        };
        if connection.deadline().is_some_and(|due| due <= now) {
            connection.expire(now, &mut events);
        }
        connection.flush(now, &mut events);
        let is_closed = events.iter().any(|event| matches!(event, Event::Closed(_)));
        slot.credit_tickets();
        let link = slot.behind.as_ref().map(|behind| &behind.link);
        let has_ticket = link.is_some_and(|link| link.ticket);
        let is_late = link.is_some_and(|link| link.lingers.is_none_or(|until| now >= until));
        if !is_closed && !has_ticket && !is_late {
            if more {
                self.unread.push((index, generation));
            }
            self.rank_behind(index);
            return;
        }
        slot.in_vain += u32::from(is_late && !has_ticket);
        self.part_behind(index, now);
        self.end_lingering(index, now);
        self.open_if_wanted(index, now);
        self.rank(index);
    }

    /// Ends a slot's connection that lingers in its own place, if there is no reason for it any more, and goes on.
    pub(super) fn end_lingering(&mut self, index: usize, now: Instant) {
        let link = self.slots[index].link.as_ref();
        if link.is_some_and(|link| link.lingers.is_some()) {
            self.leave(index, now);
        }
    }

    /// Ends a slot's connection that lingers behind.
    pub(super) fn part_behind(&mut self, index: usize, now: Instant) {
        if let Some(behind) = self.slots[index].behind.take() {
            self.end_link(index, behind.generation, behind.link, now);
            self.rank_behind(index);
        }
    }

    /// Notes the deadline of a slot's connection that lingers behind.
    fn rank_behind(&mut self, index: usize) {
        let behind = self.slots[index].behind.as_ref();
        let deadline = behind.and_then(|behind| {
            let link = &behind.link;
            let deadlines = [link.lingers, link.connection.deadline()];
            deadlines.into_iter().flatten().min()
        });
        self.deadlines.set(self.slots.len() + index, deadline);
    }
}

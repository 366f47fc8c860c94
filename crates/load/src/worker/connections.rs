//! What becomes of connections.

use std::time::{Duration, Instant};

use super::Worker;
use super::phases::Stage;
use super::slot::{FIRST_PAUSE, Link};
use crate::any_connection::AnyConnection;
use crate::connection::{
    Connection, ConnectionFailure, ConnectionFailureKind, Ending, FailureKind, Handshake,
};

/// From when on a server that closes a connection that it was asked nothing on has found it idle; sooner, it didn't want it.
const LEAST_KEEP_ALIVE: Duration = Duration::from_secs(1);

impl Worker {
    /// A handshake is done.
    pub(super) fn connected(&mut self, index: usize, handshake: Handshake, now: Instant) {
        let Some(link) = &mut self.slots[index].link else {
            return;
        };
        link.established = Some(now);
        self.connected += 1;
        self.tally.established += 1;
        self.tally.resumed += u64::from(handshake.resumed);
        self.tally.early_data_accepted += u64::from(link.early && handshake.early_data_accepted);
        let took = now.saturating_duration_since(link.begun);
        self.tally.connect.record(took);
        if self.facts.is_none() && self.phase.stage == Stage::Running {
            self.facts = Some(link.connection.facts());
            self.facts_of = Some((index, self.slots[index].generation));
        }
    }

    /// A connection has come to its end.
    pub(super) fn closed(&mut self, index: usize, ending: Ending, now: Instant) {
        let slot = &mut self.slots[index];
        let Some(link) = slot.link.take() else {
            return;
        };
        slot.traffic += link.connection.traffic();
        self.see_last(index, self.slots[index].generation, &link.connection);
        self.connected -= u64::from(link.established.is_some());
        // A closed loop's connection that took nothing in all that time never will.
        let was_used = link.taken > 0;
        let failure = match (ending, link.established) {
            (Ending::Failed(failure), _) => failure,
            (Ending::Local, _) => return self.after(index, link.answered, now),
            (Ending::Idle, _) if was_used || self.queue.is_some() => {
                self.tally.closed_by_peer += 1;
                self.slots[index].recover();
                return self.after(index, link.answered, now);
            }
            (Ending::Peer, Some(since)) => {
                self.tally.closed_by_peer += 1;
                let was_idle = now.saturating_duration_since(since) >= LEAST_KEEP_ALIVE
                    && (was_used || self.queue.is_some());
                if was_idle {
                    self.slots[index].recover();
                }
                if was_idle || was_used {
                    return self.after(index, link.answered, now);
                }
                ConnectionFailure::new(
                    ConnectionFailureKind::Refused,
                    "the server closed the connection before it took a request",
                )
            }
            (Ending::Idle, _) => ConnectionFailure::new(
                ConnectionFailureKind::Idle,
                "the connection idled out before it took a request",
            ),
            (Ending::Peer, None) => ConnectionFailure::new(
                ConnectionFailureKind::Refused,
                "the server closed the connection before its handshake was done",
            ),
        };
        if link.established.is_some() && was_used {
            self.tally.connection_failed(&failure);
            return self.after(index, link.answered, now);
        }
        self.connection_failed(index, &failure, now);
    }

    /// A connection is gone that was made: another one follows.
    fn after(&mut self, index: usize, answered: u64, now: Instant) {
        self.prime_over(index, Some("its connection was lost"));
        if answered == 0 {
            self.slots[index].opens = Some(now + FIRST_PAUSE);
        }
        self.open_if_wanted(index, now);
    }

    /// A connection couldn't be made.
    pub(super) fn connection_failed(
        &mut self,
        index: usize,
        failure: &ConnectionFailure,
        now: Instant,
    ) {
        self.tally.connection_failed(failure);
        if self.phase.stage == Stage::Priming {
            self.prime_over(index, None);
            return;
        }
        let slot = &mut self.slots[index];
        match slot.fail(failure.kind) {
            Some(pause) => slot.opens = Some(now + pause),
            None => self.give_up(index, now),
        }
    }

    /// A slot makes no further connections.
    fn give_up(&mut self, index: usize, now: Instant) {
        let slot = &mut self.slots[index];
        slot.opens = None;
        let again = std::mem::take(&mut slot.again);
        for ticket in again {
            let detail = "the server hadn't processed it, and no further connection could be made";
            self.fail(ticket, FailureKind::Refused, detail.into(), now);
        }
    }

    /// Ends a slot's connection in good order; nothing is in flight on it.
    pub(super) fn part(&mut self, index: usize, now: Instant) {
        if let Some(link) = self.slots[index].link.take() {
            self.end_link(index, self.slots[index].generation, link, now);
        }
    }

    /// Likewise a connection that isn't in its place any more.
    pub(super) fn end_link(&mut self, index: usize, generation: u32, mut link: Link, now: Instant) {
        link.connection.close(now);
        link.connection.flush(now, &mut Vec::new());
        self.slots[index].traffic += link.connection.traffic();
        self.see_last(index, generation, &link.connection);
        self.connected -= u64::from(link.established.is_some());
    }

    /// Notes what the server allowed, and reads once more how the first connection is set up: QUIC finds its largest payload on
    /// the way.
    fn see_last(&mut self, index: usize, generation: u32, connection: &AnyConnection) {
        self.tally.allowed(connection.allowed());
        if self.facts_of == Some((index, generation)) {
            self.facts = Some(connection.facts());
        }
    }

    /// A slot's deadline has passed.
    pub(super) fn expire_slot(&mut self, index: usize, now: Instant) {
        if self.slots[index].link.is_none() {
            self.open_if_wanted(index, now);
            if self.slots[index].opens.is_some_and(|opens| opens <= now) {
                self.slots[index].opens = None;
            }
            self.rank(index);
            return;
        }
        self.look_for_session(index, now);
        let Some(link) = &mut self.slots[index].link else {
            return;
        };
        if link.leaving {
            self.leave(index, now);
        }
        let Some(link) = &mut self.slots[index].link else {
            return;
        };
        if link.established.is_none() && now >= link.made_by {
            self.give_link_up(index, now);
            self.rank(index);
            return;
        }
        if link
            .connection
            .deadline()
            .is_some_and(|deadline| deadline <= now)
        {
            link.connection.expire(now, &mut self.scratch);
        }
        self.settle(index, now);
    }

    /// A connection takes too long to be made.
    fn give_link_up(&mut self, index: usize, now: Instant) {
        let limit = self.plan.connect_timeout.as_secs_f64();
        for ticket in self.flights.all() {
            // Sent as early data.
            if self.flights.get(ticket).slot == index && !self.slots[index].again.contains(&ticket)
            {
                let detail = "its connection took too long to be made";
                self.fail(ticket, FailureKind::Connection, detail.into(), now);
            }
        }
        self.part(index, now);
        let failure = ConnectionFailure::new(
            ConnectionFailureKind::Timeout,
            format!("the connection wasn't made within {limit} s"),
        );
        self.connection_failed(index, &failure, now);
    }

    /// Ends a slot's connection that is to be left, and goes on: after a pause where the server has sent it away without an
    /// answer to anything, or a server that is shutting down would have to bear a storm.
    pub(super) fn leave(&mut self, index: usize, now: Instant) {
        let Some(link) = &self.slots[index].link else {
            return;
        };
        let is_sent_away = link.going_away && link.in_flight == 0;
        if !link.leaving && !is_sent_away {
            return;
        }
        let is_barren = !link.leaving && link.answered == 0;
        if !self.lingers(index, now) {
            self.part(index, now);
        } else if self.slots[index].link.is_some() {
            return;
        }
        if is_barren {
            self.slots[index].opens = Some(now + FIRST_PAUSE);
        }
        self.open_if_wanted(index, now);
        self.rank(index);
    }
}

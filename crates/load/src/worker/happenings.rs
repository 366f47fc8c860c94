//! What becomes of requests and connections.

use std::time::{Duration, Instant};

use super::Worker;
use super::flights::Purpose;
use super::phases::Stage;
use super::slot::{FIRST_PAUSE, Primed};
use crate::connection::{
    Connection, ConnectionFailure, ConnectionFailureKind, Detail, Ending, Event, FailureKind,
    Handshake, Ticket,
};
use crate::plan::Bound;
use crate::spec::Connect;

/// How often a request is sent that the server doesn't process.
const MOST_ATTEMPTS: u32 = 6;
/// How long a session is awaited after the response.
const SESSION_WAIT: Duration = Duration::from_secs(1);
/// The status by which a server asks for a request once more, after the handshake (RFC 8470 §5.2).
const TOO_EARLY: u16 = 425;
/// The least status that is a failure.
const LEAST_FAILURE: u16 = 400;

impl Worker {
    /// Handles all events of a slot's connection.
    pub(super) fn heed(&mut self, index: usize, now: Instant) {
        if self.scratch.is_empty() {
            return;
        }
        let mut events = std::mem::take(&mut self.scratch);
        for event in events.drain(..) {
            self.handle(index, event, now);
        }
        events.append(&mut self.scratch);
        self.scratch = events;
        self.leave(index, now);
    }

    fn handle(&mut self, index: usize, event: Event, now: Instant) {
        match event {
            Event::Ready { early } => {
                if let Some(link) = &mut self.slots[index].link {
                    link.early = early;
                }
            }
            Event::Connected(handshake) => self.connected(index, handshake, now),
            Event::FirstByte(ticket) => self.flights.get(ticket).first_byte = Some(now),
            Event::Done {
                ticket,
                status,
                header_bytes,
                body_bytes,
            } => self.done(index, ticket, status, header_bytes, body_bytes, now),
            Event::Failed {
                ticket,
                kind,
                detail,
            } => {
                self.landed(index, true);
                self.fail(ticket, kind, detail, now);
            }
            Event::Refused(ticket) => self.refused(index, ticket, now),
            Event::GoingAway => {
                if let Some(link) = &mut self.slots[index].link {
                    link.going_away = true;
                }
            }
            Event::Closed(ending) => self.closed(index, ending, now),
        }
    }

    fn connected(&mut self, index: usize, handshake: Handshake, now: Instant) {
        let Some(link) = &mut self.slots[index].link else {
            return;
        };
        link.established = true;
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

    /// A request of this slot is no longer in flight; `over`: nor is it sent again.
    fn landed(&mut self, index: usize, over: bool) {
        let each = self.plan.connect == Connect::Each;
        if let Some(link) = &mut self.slots[index].link {
            link.in_flight -= 1;
            link.leaving |= each && over;
        }
    }

    fn done(
        &mut self,
        index: usize,
        ticket: Ticket,
        status: u16,
        header_bytes: u64,
        body_bytes: u64,
        now: Instant,
    ) {
        if status == TOO_EARLY && self.flights.get(ticket).early {
            return self.refused(index, ticket, now);
        }
        self.landed(index, true);
        let slot = &mut self.slots[index];
        slot.recover();
        if let Some(link) = &mut slot.link {
            link.answered += 1;
        }
        let flight = self.flights.get(ticket);
        let (purpose, begun) = (flight.purpose, flight.begun);
        let first_byte = flight.first_byte.unwrap_or(now);
        if purpose == Purpose::Prime {
            self.flights.end(ticket);
            self.slots[index].primed = Some(Primed::Answered(now));
            self.look_for_session(index, now);
            return;
        }
        let measured = purpose == Purpose::Measure;
        if measured {
            self.tally.answered(status, header_bytes, body_bytes);
        }
        if status >= LEAST_FAILURE {
            let detail = format!("the response has status {status}");
            self.fail(ticket, FailureKind::Status, detail.into(), now);
            return;
        }
        self.flights.end(ticket);
        let total = now.saturating_duration_since(begun);
        if measured {
            let first_byte = first_byte.saturating_duration_since(begun);
            self.tally.succeeded(first_byte, total);
            self.phase.last = Some(now);
        }
        let counts = match self.plan.stop {
            Bound::Requests(_) => measured,
            Bound::For(_) => self.phase.measures(now) && !self.phase.is_past(now),
        };
        if counts {
            self.tally.in_window += 1;
            self.tally.payload_in_window += body_bytes;
            self.slots[index].in_window += 1;
            self.slots[index].last = Some(now);
        }
        if let Some(reporter) = &mut self.reporter {
            reporter.succeeded(total);
        }
    }

    /// A request is over, and didn't succeed.
    pub(super) fn fail(&mut self, ticket: Ticket, kind: FailureKind, detail: Detail, now: Instant) {
        let flight = self.flights.get(ticket);
        let (purpose, slot) = (flight.purpose, flight.slot);
        self.flights.end(ticket);
        match purpose {
            Purpose::Prime => {
                self.prime_over(slot, Some(&detail));
                return;
            }
            Purpose::WarmUp => {}
            Purpose::Measure => {
                self.tally.failed(kind, detail);
                self.phase.last = Some(now);
            }
        }
        if let Some(reporter) = &mut self.reporter {
            reporter.failed += 1;
        }
    }

    fn refused(&mut self, index: usize, ticket: Ticket, now: Instant) {
        let flight = self.flights.get(ticket);
        let attempts = flight.attempts;
        let over = attempts >= MOST_ATTEMPTS || flight.purpose == Purpose::Prime;
        self.landed(index, over);
        if over {
            let detail =
                format!("the server processed it none of the {attempts} times it was sent");
            self.fail(ticket, FailureKind::Refused, detail.into(), now);
            return;
        }
        self.flights.wait(ticket);
        self.slots[index].again.push_back(ticket);
    }

    fn closed(&mut self, index: usize, ending: Ending, now: Instant) {
        let slot = &mut self.slots[index];
        let Some(link) = slot.link.take() else {
            return;
        };
        slot.traffic += link.connection.traffic();
        self.see_last(index, &link.connection);
        if link.established {
            self.connected -= 1;
        }
        let failure = match ending {
            Ending::Failed(failure) => failure,
            Ending::Peer if link.established => {
                self.tally.closed_by_peer += 1;
                if link.taken > 0 {
                    return self.after(index, link.answered, now);
                }
                ConnectionFailure::new(
                    ConnectionFailureKind::Refused,
                    "the server closed the connection before it took a request",
                )
            }
            Ending::Peer => ConnectionFailure::new(
                ConnectionFailureKind::Refused,
                "the server closed the connection before its handshake was done",
            ),
            Ending::Local => return self.after(index, link.answered, now),
        };
        if link.established && link.taken > 0 {
            self.tally.connection_failed(&failure);
            return self.after(index, link.answered, now);
        }
        self.connection_failed(index, &failure, now);
    }

    /// A connection is gone that had taken requests: another one follows.
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
        let slot = &mut self.slots[index];
        let Some(mut link) = slot.link.take() else {
            return;
        };
        link.connection.close(now);
        link.connection.flush(now, &mut Vec::new());
        slot.traffic += link.connection.traffic();
        self.see_last(index, &link.connection);
        if link.established {
            self.connected -= 1;
        }
    }

    /// Reads once more how the first connection is set up: QUIC finds its largest payload on the way.
    pub(super) fn see_last(&mut self, index: usize, connection: &crate::connection::AnyConnection) {
        if self.facts_of == Some((index, self.slots[index].generation)) {
            self.facts = Some(connection.facts());
        }
    }

    /// In the gaining of sessions: whether one has come.
    pub(super) fn look_for_session(&mut self, index: usize, now: Instant) {
        let slot = &self.slots[index];
        let Some(Primed::Answered(at)) = slot.primed else {
            return;
        };
        let sessions = slot.sessions.as_ref();
        if sessions.is_some_and(|sessions| sessions.has_gained()) {
            self.prime_over(index, None);
        } else if now >= at + SESSION_WAIT {
            self.prime_over(index, Some("the server gave no session ticket"));
        }
    }

    /// When a slot that gains a session gives up.
    pub(super) fn session_deadline(&self, index: usize) -> Option<Instant> {
        match self.slots[index].primed {
            Some(Primed::Answered(at)) => Some(at + SESSION_WAIT),
            _ => None,
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
            self.part(index, now);
            self.rank(index);
            return;
        }
        if !link.established && now >= link.made_by {
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

    /// When the request that was sent longest ago takes too long.
    pub(super) fn oldest_timeout(&self) -> Option<Instant> {
        let timeout = self.request_timeout()?;
        self.flights.oldest().map(|(_, sent)| sent + timeout)
    }

    /// Where none is asked for, the requests that gain sessions have one all the same: they come before the load, which
    /// may have a limit.
    fn request_timeout(&self) -> Option<Duration> {
        let gains = self.phase.stage == Stage::Priming;
        let timeout = self.plan.request_timeout;
        timeout.or(gains.then_some(self.plan.connect_timeout))
    }

    /// Gives up requests that take too long.
    pub(super) fn time_out(&mut self, now: Instant) {
        while self.oldest_timeout().is_some_and(|timeout| timeout <= now) {
            let Some((ticket, _)) = self.flights.oldest() else {
                return;
            };
            let index = self.flights.get(ticket).slot;
            if let Some(link) = &mut self.slots[index].link {
                link.connection.cancel(ticket);
            }
            self.landed(index, true);
            let limit = self.request_timeout().unwrap_or_default().as_secs_f64();
            let detail = format!("no whole response within {limit} s");
            self.fail(ticket, FailureKind::Timeout, detail.into(), now);
            self.settle(index, now);
            self.leave(index, now);
        }
    }

    /// Ends a slot's connection that is to be left, and goes on: after a pause where the server has sent it away without an
    /// answer to anything, or a server that is shutting down would have to bear a storm.
    fn leave(&mut self, index: usize, now: Instant) {
        let Some(link) = &self.slots[index].link else {
            return;
        };
        let is_sent_away = link.going_away && link.in_flight == 0;
        if !link.leaving && !is_sent_away {
            return;
        }
        let is_barren = !link.leaving && link.answered == 0;
        self.part(index, now);
        if is_barren {
            self.slots[index].opens = Some(now + FIRST_PAUSE);
        }
        self.open_if_wanted(index, now);
        self.rank(index);
    }
}

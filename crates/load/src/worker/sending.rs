//! Opening connections and handing requests to them.

use std::time::Instant;

use mio::Interest;
use mio::unix::SourceFd;

use super::flights::Purpose;
use super::phases::Stage;
use super::slot::{Link, Pending};
use super::{Worker, token};
use crate::connection::{Connection, ConnectionFailure, ConnectionFailureKind};
use crate::local;
use crate::plan::Bound;
use crate::shared::lock;
use crate::spec::Connect;

impl Worker {
    /// Begins a slot's connection now, which is not before `now`: what the turn did meanwhile is no part of its handshake.
    pub(super) fn open(&mut self, index: usize, now: Instant) {
        let now = now.max(Instant::now());
        let slot = &mut self.slots[index];
        slot.opens = None;
        slot.generation = slot.generation.wrapping_add(1);
        self.tally.attempted += 1;
        let dialled = slot.dialer.dial(now).and_then(|connection| {
            let registered = self.poll.registry().register(
                &mut SourceFd(&connection.descriptor()),
                token(index, slot.generation),
                Interest::READABLE | Interest::WRITABLE,
            );
            match registered {
                Ok(()) => Ok(connection),
                // epoll_ctl(2): memory, or /proc/sys/fs/epoll/max_user_watches.
                Err(error) => Err(local::refusal(&error).unwrap_or_else(|| {
                    let detail = format!("its socket can't be watched: {error}");
                    ConnectionFailure::new(ConnectionFailureKind::Local, detail)
                })),
            }
        });
        match dialled {
            Ok(connection) => {
                slot.link = Some(Link {
                    connection,
                    begun: now,
                    made_by: now + self.plan.connect_timeout,
                    established: None,
                    early: false,
                    going_away: false,
                    given_up: false,
                    leaving: false,
                    lingers: None,
                    ticket: false,
                    unread: false,
                    taken: 0,
                    answered: 0,
                    in_flight: 0,
                });
                self.settle(index, now);
            }
            Err(failure) => {
                self.connection_failed(index, &failure, now);
                self.rank(index);
            }
        }
    }

    /// Begins a slot's connection where there is something for it to do, now or when its time comes.
    pub(super) fn open_if_wanted(&mut self, index: usize, now: Instant) {
        if self.phase.stage != Stage::Running || !self.wants_connection(index, now) {
            return;
        }
        let slot = &mut self.slots[index];
        if slot.link.is_some() || slot.has_given_up() || slot.awaits_ticket() {
            return;
        }
        if slot.opens.is_none_or(|opens| opens <= now) {
            self.open(index, now);
        }
    }

    fn wants_connection(&self, index: usize, now: Instant) -> bool {
        let slot = &self.slots[index];
        if !slot.again.is_empty() || slot.pending.is_some() {
            return true;
        }
        if self.phase.is_past(now) {
            return false;
        }
        match (&self.queue, self.plan.connect) {
            (Some(_), Connect::Each) => false,
            (Some(queue), Connect::Keep) => queue.due().is_some(),
            (None, Connect::Each) => self.next_purpose(index, now).is_some(),
            (None, Connect::Keep) => {
                self.phase.window_end.is_some()
                    || self.phase.window.is_none()
                    || matches!(self.plan.stop, Bound::For(_))
                    || slot.left > 0
            }
        }
    }

    /// What the next request of a closed loop's slot is for; none where it has none to send now.
    fn next_purpose(&self, index: usize, now: Instant) -> Option<Purpose> {
        let slot = &self.slots[index];
        if !self.phase.measures(now) {
            let warms_up = match self.plan.warm_up {
                Some(Bound::Requests(_)) => slot.warm_up_left > 0,
                Some(Bound::For(_)) => true,
                None => false,
            };
            return warms_up.then_some(Purpose::WarmUp);
        }
        let sends = match self.plan.stop {
            Bound::Requests(_) => slot.left > 0,
            Bound::For(_) => !self.phase.is_past(now),
        };
        sends.then_some(Purpose::Measure)
    }

    /// Sends what there is to send on a slot's connection, as much as it takes.
    pub(super) fn refill(&mut self, index: usize) {
        let mut room = self.slots[index].room();
        if room == 0 {
            return;
        }
        let now = Instant::now();
        match self.phase.stage {
            Stage::Running => {}
            Stage::Priming => {
                let slot = &self.slots[index];
                let is_new = slot.link.as_ref().is_some_and(|link| link.taken == 0);
                if slot.primed.is_none() && is_new {
                    self.send(index, Purpose::Prime, 0, now, now);
                }
                return;
            }
            Stage::Waiting | Stage::Over => return,
        }
        let each = self.plan.connect == Connect::Each;
        while room > 0 {
            let slot = &mut self.slots[index];
            let Some(link) = &slot.link else {
                return;
            };
            if each && link.taken > 0 && slot.again.is_empty() {
                return;
            }
            if let Some(ticket) = slot.again.pop_front() {
                self.send_again(index, ticket, now);
            } else if let Some(pending) = slot.pending.take() {
                self.send_pending(index, pending, now);
            } else if self.queue.is_some() {
                return;
            } else if let Some(purpose) = self.next_purpose(index, now) {
                let slot = &mut self.slots[index];
                match (purpose, self.plan.stop) {
                    (Purpose::WarmUp, _) => {
                        slot.warm_up_left = slot.warm_up_left.saturating_sub(1);
                    }
                    (_, Bound::Requests(_)) => slot.left -= 1,
                    _ => {}
                }
                let target = self.shared.next_target(self.plan.targets.cycle());
                let begun = match (&slot.link, each) {
                    (Some(link), true) => link.begun,
                    _ => now,
                };
                self.send(index, purpose, target, begun, now);
            } else {
                return;
            }
            room -= 1;
        }
    }

    fn send_pending(&mut self, index: usize, pending: Pending, now: Instant) {
        let purpose = if pending.measured {
            Purpose::Measure
        } else {
            Purpose::WarmUp
        };
        let target = (pending.number % self.plan.targets.cycle() as u64) as usize;
        self.send(index, purpose, target, pending.due, now);
    }

    fn send(
        &mut self,
        index: usize,
        purpose: Purpose,
        target: usize,
        begun: Instant,
        now: Instant,
    ) {
        let request = match self.plan.targets.get(target) {
            Ok(request) => request,
            Err(error) => return self.break_off(error),
        };
        let slot = &mut self.slots[index];
        let Some(link) = &mut slot.link else {
            return;
        };
        let ticket = self.flights.begin(index, target, purpose, begun, now);
        let flight = self.flights.get(ticket);
        flight.content = request.content.len();
        flight.head_bytes = request.head_bytes;
        flight.early = link.early && link.established.is_none();
        flight.stream = link.connection.send(ticket, &request, now);
        link.taken += 1;
        link.in_flight += 1;
        // Before the first answer the server's bound may not have come, and what is beyond it isn't under way there.
        if link.answered > 0 {
            self.tally.under_way = self.tally.under_way.max(link.in_flight);
        }
        slot.asked += 1;
        match purpose {
            Purpose::Measure => self.tally.sent += 1,
            Purpose::WarmUp => self.tally.warm_up += 1,
            Purpose::Prime => return,
        }
        if let Some(reporter) = &mut self.reporter {
            reporter.sent += 1;
        }
    }

    fn send_again(&mut self, index: usize, ticket: crate::connection::Ticket, now: Instant) {
        let target = self.flights.get(ticket).target;
        let request = match self.plan.targets.get(target) {
            Ok(request) => request,
            Err(error) => return self.break_off(error),
        };
        let Some(link) = &mut self.slots[index].link else {
            return;
        };
        self.flights.resend(ticket, index, now);
        let flight = self.flights.get(ticket);
        flight.early = link.early && link.established.is_none();
        flight.stream = link.connection.send(ticket, &request, now);
        if flight.purpose == Purpose::Measure {
            self.tally.retried += 1;
        }
        link.taken += 1;
        link.in_flight += 1;
    }

    /// The list of targets can't be read any more: all of the load ends.
    fn break_off(&mut self, error: std::io::Error) {
        lock(&self.shared.broken).get_or_insert(error);
        self.shared.end();
    }

    /// How many requests of an open loop a slot takes now.
    pub(super) fn room(&self, index: usize) -> usize {
        let slot = &self.slots[index];
        match self.plan.connect {
            Connect::Keep => slot.room().saturating_sub(slot.again.len()),
            Connect::Each => {
                let is_idle = slot.link.is_none()
                    && slot.opens.is_none()
                    && slot.pending.is_none()
                    && slot.again.is_empty()
                    && !slot.awaits_ticket()
                    && !slot.has_given_up();
                usize::from(is_idle)
            }
        }
    }

    /// Hands out what is due in an open loop, to the connections with most room.
    pub(super) fn hand_out(&mut self, now: Instant) {
        let is_over = self.phase.has_handed_out;
        if self.queue.is_none() || self.phase.stage != Stage::Running || is_over {
            return;
        }
        // When the duration is over, what was due within it is handed out once more, as far as there is room.
        self.phase.has_handed_out = self.phase.is_past(now);
        let mut dirty = std::mem::take(&mut self.dirty);
        while let Some(queue) = &mut self.queue {
            if queue.due().is_none_or(|due| due > now) {
                break;
            }
            let Some((_, index)) = self.rooms.first() else {
                self.short_of_room = true;
                break;
            };
            let Some(pending) = queue.take() else {
                break;
            };
            let handed = Instant::now();
            let waited_for_room = self.free_from.is_some_and(|free| pending.due < free);
            if pending.measured {
                self.due += 1;
                if !waited_for_room {
                    let late = handed.saturating_duration_since(pending.due);
                    self.tally.lag.record(late);
                }
            }
            match self.plan.connect {
                Connect::Each => {
                    self.slots[index].pending = Some(pending);
                    self.open_if_wanted(index, handed);
                }
                Connect::Keep => {
                    self.send_pending(index, pending, handed);
                    dirty.push(index);
                }
            }
            self.rank(index);
        }
        dirty.sort_unstable();
        dirty.dedup();
        for index in dirty.drain(..) {
            self.settle(index, now);
        }
        self.dirty = dirty;
    }
}

//! The requests that were sent and aren't over.

use std::time::{Duration, Instant};

use crate::connection::{Stream, Ticket};

const NONE: Ticket = Ticket::MAX;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To gain a session.
    Prime,
    /// To warm up.
    WarmUp,
    /// To be measured.
    Measure,
}

/// A request in flight.
#[derive(Debug, Clone)]
pub(super) struct Flight {
    pub(super) slot: usize,
    pub(super) target: usize,
    pub(super) purpose: Purpose,
    /// Bytes of its content, and of its head as HTTP/1.1 writes it.
    pub(super) content: u64,
    pub(super) head_bytes: usize,
    /// From when its latency counts.
    pub(super) begun: Instant,
    pub(super) first_byte: Option<Instant>,
    /// How often it was sent and not processed, while nothing else was answered.
    pub(super) in_vain: u32,
    /// What its slot had been answered when it was not processed last.
    pub(super) answered: u64,
    /// It was sent as early data.
    pub(super) early: bool,
    /// Where its connection has it.
    pub(super) stream: Stream,
    handed: Instant,
    state: State,
    previous: Ticket,
    next: Ticket,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    /// It waits to be sent again.
    Waiting,
    Sent,
}

/// Requests by ticket, and those that were sent in the order of their sending. It grows to the most that were ever in
/// flight at a time.
#[derive(Debug)]
pub(super) struct Flights {
    table: Vec<Flight>,
    free: Vec<Ticket>,
    oldest: Ticket,
    newest: Ticket,
    count: usize,
}

impl Default for Flights {
    fn default() -> Self {
        Flights {
            table: Vec::new(),
            free: Vec::new(),
            oldest: NONE,
            newest: NONE,
            count: 0,
        }
    }
}

impl Flights {
    /// Requests that aren't over.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn get(&mut self, ticket: Ticket) -> &mut Flight {
        &mut self.table[ticket as usize]
    }

    /// A request that is sent now.
    pub(super) fn begin(
        &mut self,
        slot: usize,
        target: usize,
        purpose: Purpose,
        begun: Instant,
        now: Instant,
    ) -> Ticket {
        let flight = Flight {
            slot,
            target,
            purpose,
            content: 0,
            head_bytes: 0,
            begun,
            first_byte: None,
            in_vain: 0,
            answered: 0,
            early: false,
            stream: 0,
            handed: now,
            state: State::Sent,
            previous: NONE,
            next: NONE,
        };
        let ticket = match self.free.pop() {
            Some(ticket) => {
                self.table[ticket as usize] = flight;
                ticket
            }
            None => {
                self.table.push(flight);
                (self.table.len() - 1) as Ticket
            }
        };
        self.count += 1;
        self.append(ticket);
        ticket
    }

    /// Its request is to be sent again.
    pub(super) fn wait(&mut self, ticket: Ticket) {
        self.unlink(ticket);
        let flight = self.get(ticket);
        flight.state = State::Waiting;
        flight.first_byte = None;
    }

    /// It is sent again now, by a slot.
    pub(super) fn resend(&mut self, ticket: Ticket, slot: usize, now: Instant) {
        let flight = self.get(ticket);
        flight.slot = slot;
        flight.early = false;
        flight.handed = now;
        flight.state = State::Sent;
        self.append(ticket);
    }

    /// It is over.
    pub(super) fn end(&mut self, ticket: Ticket) {
        if self.get(ticket).state == State::Sent {
            self.unlink(ticket);
        }
        self.get(ticket).state = State::Free;
        self.free.push(ticket);
        self.count -= 1;
    }

    /// The request that was sent longest ago, and when.
    pub(super) fn oldest(&self) -> Option<(Ticket, Instant)> {
        let flight = self.table.get(self.oldest as usize)?;
        Some((self.oldest, flight.handed))
    }

    /// All were sent so much later, but none later than now.
    pub(super) fn postpone(&mut self, late: Duration, now: Instant) {
        for flight in &mut self.table {
            flight.handed = flight.handed.max(now.min(flight.handed + late));
        }
    }

    /// Any request that isn't over.
    pub(super) fn all(&self) -> Vec<Ticket> {
        let alive = |(_, flight): &(Ticket, &Flight)| flight.state != State::Free;
        let numbered = (0..).zip(&self.table);
        numbered.filter(alive).map(|(ticket, _)| ticket).collect()
    }

    fn append(&mut self, ticket: Ticket) {
        let before = self.newest;
        let flight = self.get(ticket);
        flight.previous = before;
        flight.next = NONE;
        match before {
            NONE => self.oldest = ticket,
            before => self.get(before).next = ticket,
        }
        self.newest = ticket;
    }

    fn unlink(&mut self, ticket: Ticket) {
        let (previous, next) = {
            let flight = self.get(ticket);
            (flight.previous, flight.next)
        };
        match previous {
            NONE => self.oldest = next,
            previous => self.get(previous).next = next,
        }
        match next {
            NONE => self.newest = previous,
            next => self.get(next).previous = previous,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_the_one_that_was_sent_longest_ago() {
        let mut flights = Flights::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let send = |flights: &mut Flights, seconds| {
            flights.begin(0, 0, Purpose::Measure, at(seconds), at(seconds))
        };
        let (one, two, three) = (
            send(&mut flights, 1),
            send(&mut flights, 2),
            send(&mut flights, 3),
        );
        flights.end(two);
        flights.wait(one);
        assert_eq!(flights.oldest(), Some((three, at(3))));
        flights.resend(one, 4, at(5));
        flights.end(three);
        assert_eq!(flights.oldest(), Some((one, at(5))));
        assert_eq!((flights.count(), flights.all()), (1, vec![one]));
        let four = send(&mut flights, 6);
        assert!([two, three].contains(&four), "numbers are used again");
        flights.wait(one);
        flights.end(one);
        flights.end(four);
        assert_eq!((flights.count(), flights.oldest()), (0, None));
    }
}

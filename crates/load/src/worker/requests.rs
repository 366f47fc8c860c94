//! What becomes of requests.

use std::time::{Duration, Instant};

use super::Worker;
use super::flights::Purpose;
use super::phases::Stage;
use super::slot::Primed;
use crate::connection::{Connection, Detail, Event, FailureKind, Ticket};
use crate::grpc;
use crate::plan::Bound;
use crate::spec::Connect;

/// How often a request is sent in vain to a server that processes nothing meanwhile.
const MOST_IN_VAIN: u32 = 6;
/// The status by which a server asks for a request once more, after the handshake (RFC 8470 §5.2).
const TOO_EARLY: u16 = 425;
/// A head of more bytes than this may be the reason why a server refuses a request: the least that servers take is some 8 KiB,
/// of a field or of the head (nginx, Apache), and they answer as they like.
const LARGE_HEAD: usize = 8000;
/// The statuses with which they do (RFC 9110 §15.5.15, RFC 6585 §5; 494 is nginx's).
const TOO_LARGE: [u16; 4] = [400, 414, 431, 494];
/// The least status that is a failure.
const LEAST_FAILURE: u16 = 400;

/// A whole response, as [`Event::Done`] has it.
struct Answer {
    status: u16,
    header_bytes: u64,
    grpc: u32,
    early: bool,
}

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
                grpc,
                early,
            } => {
                let answer = Answer {
                    status,
                    header_bytes,
                    grpc,
                    early,
                };
                self.done(index, ticket, answer, now);
            }
            Event::Failed {
                ticket,
                kind,
                detail,
            } => {
                self.landed(index, true);
                self.fail_unanswered(index, ticket, kind, detail, now);
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

    /// A request of this slot is no longer in flight; `over`: nor is it sent again.
    fn landed(&mut self, index: usize, over: bool) {
        let each = self.plan.connect == Connect::Each;
        if let Some(link) = &mut self.slots[index].link {
            link.in_flight -= 1;
            link.leaving |= each && over;
        }
    }

    fn done(&mut self, index: usize, ticket: Ticket, answer: Answer, now: Instant) {
        let Answer {
            status,
            header_bytes,
            grpc,
            early,
        } = answer;
        if status == TOO_EARLY && self.flights.get(ticket).early {
            return self.refused(index, ticket, now);
        }
        self.landed(index, true);
        let slot = &mut self.slots[index];
        slot.recover();
        slot.answered += 1;
        if let Some(link) = &mut slot.link {
            link.answered += 1;
        }
        let flight = self.flights.get(ticket);
        let (purpose, begun, content) = (flight.purpose, flight.begun, flight.content);
        let head_bytes = flight.head_bytes;
        let first_byte = flight.first_byte.unwrap_or(now);
        let is_large = self.may_be_too_large(head_bytes);
        if purpose == Purpose::Prime {
            self.flights.end(ticket);
            self.slots[index].primed = Some(Primed::Answered(now));
            self.look_for_session(index, now);
            return;
        }
        let measured = purpose == Purpose::Measure;
        if measured {
            self.tally.answered(status, header_bytes);
        }
        if status >= LEAST_FAILURE {
            let detail = format!("the response has status {status}");
            let kind = if is_large && TOO_LARGE.contains(&status) {
                FailureKind::Head
            } else {
                FailureKind::Status
            };
            self.fail(ticket, kind, detail.into(), now);
            return;
        }
        self.taken_head_bytes = self.taken_head_bytes.max(head_bytes);
        if grpc != 0 {
            let detail = format!("the response has grpc-status {}", grpc::name(grpc));
            self.fail(ticket, FailureKind::Grpc, detail.into(), now);
            return;
        }
        if early {
            let detail = format!(
                "the response came before the request's {content} bytes of content were sent"
            );
            self.fail(ticket, FailureKind::Early, detail.into(), now);
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
            self.tally.uploaded += content;
            self.slots[index].in_window += 1;
            self.slots[index].last = Some(now);
        }
        if let Some(reporter) = &mut self.reporter {
            reporter.succeeded(total);
        }
    }

    /// A request came to its end without a response. Whether its head was too large for the server shows in how large it is:
    /// over HTTP/1.1, 2 and 3 alike a server may end the stream or the connection for it, with any code or none.
    fn fail_unanswered(
        &mut self,
        index: usize,
        ticket: Ticket,
        kind: FailureKind,
        detail: Detail,
        now: Instant,
    ) {
        let is_ours = self.slots[index]
            .link
            .as_ref()
            .is_some_and(|link| link.given_up);
        let flight = self.flights.get(ticket);
        let (bytes, is_answered) = (flight.head_bytes, flight.first_byte.is_some());
        let is_head = matches!(kind, FailureKind::Reset | FailureKind::Connection)
            && self.may_be_too_large(bytes)
            && !is_answered
            && !is_ours;
        if is_head {
            let detail = format!("the request's head has {bytes} bytes, and {detail}");
            return self.fail(ticket, FailureKind::Head, detail.into(), now);
        }
        self.fail(ticket, kind, detail, now);
    }

    /// Whether a server may find a request's head too large: it is, and none as large was taken before.
    fn may_be_too_large(&self, head_bytes: usize) -> bool {
        head_bytes > LARGE_HEAD.max(self.taken_head_bytes)
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
                if self.plan.failure_times {
                    self.tally.failed_at(kind, now);
                }
                self.phase.last = Some(now);
            }
        }
        if let Some(reporter) = &mut self.reporter {
            reporter.failed += 1;
        }
    }

    fn refused(&mut self, index: usize, ticket: Ticket, now: Instant) {
        let answered = self.slots[index].answered;
        let flight = self.flights.get(ticket);
        if flight.answered != answered {
            (flight.answered, flight.in_vain) = (answered, 0);
        }
        flight.in_vain += 1;
        let in_vain = flight.in_vain;
        let over = in_vain >= MOST_IN_VAIN || flight.purpose == Purpose::Prime;
        self.landed(index, over);
        if over {
            let detail = format!(
                "the server processed it none of the {in_vain} times it was sent, and answered nothing else"
            );
            self.fail(ticket, FailureKind::Refused, detail.into(), now);
            return;
        }
        self.flights.wait(ticket);
        self.slots[index].again.push_back(ticket);
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
            let flight = self.flights.get(ticket);
            let (index, stream) = (flight.slot, flight.stream);
            if let Some(link) = &mut self.slots[index].link {
                link.given_up = true;
                link.connection.cancel(ticket, stream);
            }
            self.landed(index, true);
            let limit = self.request_timeout().unwrap_or_default().as_secs_f64();
            let detail = format!("no whole response within {limit} s");
            self.fail(ticket, FailureKind::Timeout, detail.into(), now);
            self.settle(index, now);
            self.leave(index, now);
        }
    }
}

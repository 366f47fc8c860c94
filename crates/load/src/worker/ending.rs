//! How a worker's load ends, and what it hands back.

use std::time::Instant;

use super::phases::Stage;
use super::{Outcome, Part, Worker};
use crate::connection::{ConnectionFailure, ConnectionFailureKind, FailureKind};
use crate::plan::Bound;

impl Worker {
    /// Ends at once; what is in flight is cut.
    pub(super) fn cut(&mut self, now: Instant) {
        self.phase.cut = true;
        for ticket in self.flights.all() {
            let detail = "the load ended before the response did";
            self.fail(ticket, FailureKind::Cut, detail.into(), now);
        }
        self.phase.stage = Stage::Over;
    }

    /// Ends all connections and counts together.
    pub(super) fn finish(mut self) -> Outcome {
        let now = Instant::now();
        let cpu = self.cpu_in_window();
        let waits = self.waits_in_window.take().or_else(|| self.waits());
        let window = self.window(now);
        self.tally.planned = self.planned(now);
        let unsent = self.tally.planned > self.tally.sent;
        let closed = self.is_window_closed();
        for index in 0..self.slots.len() {
            let link = &self.slots[index].link;
            if link.as_ref().is_some_and(|link| link.established.is_none()) {
                let detail = "the load ended before the connection was made";
                let failure = ConnectionFailure::new(ConnectionFailureKind::Cut, detail);
                self.tally.connection_failed(&failure);
            }
            self.part(index, now);
            self.part_behind(index, now);
        }
        self.tally.traffic = self.traffic_since_window();
        if !closed {
            self.tally.traffic_in_window = self.tally.traffic;
        }
        let early = match (self.plan.stop, &self.queue) {
            (Bound::For(_), _) => !self.phase.is_past(now),
            (Bound::Requests(_), _) => unsent,
        };
        let standing = self.standing();
        if let Some(reporter) = self.reporter.take() {
            reporter.finish(now, standing);
        }
        Outcome {
            cut: self.phase.cut || early,
            window,
            per_slot: self.parts(window.map(|(begin, _)| begin)),
            facts: self.facts,
            tally: self.tally,
            waits,
            cpu,
        }
    }

    /// What each slot did. Of so many requests each has its part, and may be through with it earlier than others.
    fn parts(&self, begin: Option<Instant>) -> Vec<Part> {
        let has_part = matches!(self.plan.stop, Bound::Requests(_)) && self.queue.is_none();
        let part = |slot: &super::slot::Slot| {
            let begin = begin.max(slot.begins);
            let took = begin.zip(slot.last).filter(|_| has_part);
            Part {
                succeeded: slot.in_window,
                took: took.map(|(begin, last)| last.saturating_duration_since(begin)),
            }
        };
        self.slots.iter().map(part).collect()
    }

    /// The window of measurement, unless it never began.
    fn window(&self, now: Instant) -> Option<(Instant, Instant)> {
        let begin = self.phase.window.filter(|begin| *begin <= now)?;
        let end = match self.phase.window_end {
            Some(end) => end.min(now),
            None if self.phase.cut => now,
            None => self.phase.last.unwrap_or(now),
        };
        Some((begin, end.max(begin)))
    }

    /// Requests that were to be sent in the window: those asked for, or due by now.
    fn planned(&mut self, now: Instant) -> u64 {
        let Some(queue) = &mut self.queue else {
            let left: u64 = self.slots.iter().map(|slot| slot.left).sum();
            return self.tally.sent + left;
        };
        self.due + queue.missed(now)
    }
}

//! One worker's part of an open loop.

use std::time::{Duration, Instant};

use super::slot::Pending;
use crate::due_times::DueTimes;
use crate::plan::{Bound, Plan};

/// The requests that are due at one worker: of all workers' the first one, the one after as many as there are workers, and
/// so on. What is due and wasn't taken waits here without taking any room.
#[derive(Debug)]
pub(super) struct Queue {
    times: DueTimes,
    start: Instant,
    worker: u64,
    workers: u64,
    /// Requests before this number are the warm-up's.
    first_measured: u64,
    end: End,
    /// When the window begins, from the start.
    window: Duration,
}

#[derive(Debug, Clone, Copy)]
enum End {
    Number(u64),
    At(Duration),
}

impl Queue {
    pub(super) fn new(plan: &Plan, worker: u32, start: Instant) -> Option<Queue> {
        let times = plan.due_times()?;
        let window = match plan.warm_up {
            None => Duration::ZERO,
            Some(Bound::For(warm_up)) => warm_up,
            Some(Bound::Requests(requests)) => {
                let mut times = times.clone();
                for _ in 0..requests {
                    times.advance();
                }
                times.peek().1
            }
        };
        let first_measured = match plan.warm_up {
            Some(Bound::Requests(requests)) => requests,
            Some(Bound::For(warm_up)) => {
                let mut times = times.clone();
                while times.peek().1 < warm_up {
                    times.advance();
                }
                times.peek().0
            }
            None => 0,
        };
        let mut queue = Queue {
            times,
            start,
            worker: worker.into(),
            workers: plan.threads.into(),
            first_measured,
            end: match plan.stop {
                Bound::Requests(requests) => End::Number(first_measured + requests),
                Bound::For(duration) => End::At(window + duration),
            },
            window,
        };
        queue.skip();
        Some(queue)
    }

    /// When the window begins, from the start.
    pub(super) fn window(&self) -> Duration {
        self.window
    }

    /// When the next one is due; none after the last.
    pub(super) fn due(&self) -> Option<Instant> {
        let (number, due) = self.times.peek();
        let is_over = match self.end {
            End::Number(end) => number >= end,
            End::At(end) => due >= end,
        };
        (!is_over).then(|| self.start + due)
    }

    /// Takes it.
    pub(super) fn take(&mut self) -> Option<Pending> {
        let due = self.due()?;
        let (number, _) = self.times.peek();
        self.times.advance();
        self.skip();
        Some(Pending {
            number,
            due,
            measured: number >= self.first_measured,
        })
    }

    /// Requests that were due by then, or are due at all where so many were asked for, and weren't taken; those of the
    /// warm-up aren't counted.
    pub(super) fn missed(&mut self, now: Instant) -> u64 {
        let mut missed = 0;
        if let End::Number(end) = self.end {
            let first = self.first_measured.max(self.times.peek().0);
            let ours = |before: u64| (before + self.workers - 1 - self.worker) / self.workers;
            return ours(end).saturating_sub(ours(first));
        }
        while self.due().is_some_and(|due| due <= now) {
            missed += u64::from(self.take().is_some_and(|pending| pending.measured));
        }
        missed
    }

    /// Passes over other workers' requests.
    fn skip(&mut self) {
        while self.times.peek().0 % self.workers != self.worker {
            self.times.advance();
        }
    }
}

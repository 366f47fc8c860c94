//! From the load's start over the warm-up to the window of measurement and its end.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::Worker;
use super::queue::Queue;
use crate::connection::Traffic;
use crate::plan::Bound;
use crate::report::CpuTime;
use crate::spec::Session;
use crate::thread_cpu::ThreadCpu;

/// Where a worker stands.
#[derive(Debug, Default)]
pub(super) struct Phase {
    pub(super) stage: Stage,
    pub(super) start: Option<Instant>,
    /// When the window begins, as soon as it is known.
    pub(super) window: Option<Instant>,
    /// When it ends, where a duration was asked for.
    pub(super) window_end: Option<Instant>,
    /// When all ends.
    pub(super) limit: Option<Instant>,
    /// When the last measured request was over.
    pub(super) last: Option<Instant>,
    pub(super) cut: bool,
    pub(super) account: ThreadCpu,
    /// The window's beginning has been noted: traffic and CPU time until then.
    opened: Option<(Traffic, CpuTime)>,
    /// Its end has been: CPU time within it.
    closed: Option<CpuTime>,
    /// What was due in an open loop's duration has been handed out.
    pub(super) has_handed_out: bool,
    /// This worker's warm-up is over, and perhaps not yet the others'.
    warmed: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Each slot gains a session.
    #[default]
    Priming,
    /// Others still do.
    Waiting,
    Running,
    Over,
}

impl Phase {
    pub(super) fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// When the loop has to look here again.
    pub(super) fn deadline(&self) -> Option<Instant> {
        if self.stage != Stage::Running {
            return None;
        }
        let opens = self.window.filter(|_| self.opened.is_none());
        let closes = self.window_end.filter(|_| self.closed.is_none());
        [opens, closes, self.limit].into_iter().flatten().min()
    }

    /// Whether a request that begins now is measured, in a closed loop.
    pub(super) fn measures(&self, now: Instant) -> bool {
        self.window.is_some_and(|window| now >= window)
    }

    /// Whether a duration was asked for and is over.
    pub(super) fn is_past(&self, now: Instant) -> bool {
        self.window_end.is_some_and(|end| now >= end)
    }
}

impl Worker {
    pub(super) fn begin(&mut self, now: Instant) {
        if self.plan.session == Session::Cold {
            self.wait_for_others();
            return;
        }
        for index in 0..self.slots.len() {
            self.open(index, now);
        }
    }

    /// Waits until every worker has gained its sessions.
    pub(super) fn wait_for_others(&mut self) {
        self.phase.stage = Stage::Waiting;
        self.shared.arrive(&self.shared.start);
    }

    /// Goes on to the next phase where it is time.
    pub(super) fn proceed(&mut self, now: Instant) {
        if self.shared.is_over() {
            self.cut(now);
            return;
        }
        match self.phase.stage {
            Stage::Priming => self.end_priming(),
            Stage::Waiting => {
                if let Some(start) = self.shared.start.opened() {
                    self.start(start, now);
                }
            }
            Stage::Running => self.run_on(now),
            Stage::Over => {}
        }
    }

    /// All have come together: the load begins.
    fn start(&mut self, start: Instant, now: Instant) {
        if self.plan.session != Session::Cold && self.shared.gained.load(Ordering::Relaxed) == 0 {
            self.phase.stage = Stage::Over;
            return;
        }
        let plan = self.plan.clone();
        self.queue = Queue::new(&plan, self.index, start);
        self.phase.stage = Stage::Running;
        self.phase.start = Some(start);
        self.phase.window = match (&self.queue, plan.warm_up) {
            (Some(queue), _) => Some(start + queue.window()),
            (None, None) => Some(start),
            (None, Some(Bound::For(warm_up))) => Some(start + warm_up),
            (None, Some(Bound::Requests(_))) => None,
        };
        if self.phase.window == Some(start) {
            // Before its first connection.
            self.phase.opened = Some((Traffic::default(), self.phase.account.read()));
            self.forget_waits();
        }
        self.know_window();
        if let Some(reporter) = &mut self.reporter {
            reporter.start(start);
        }
        for index in 0..self.slots.len() {
            let number = self.index + index as u32 * plan.threads;
            let slot = &mut self.slots[index];
            if self.queue.is_none() {
                slot.share(&plan, number);
            }
            let share = f64::from(number) / f64::from(plan.connections);
            slot.begins = Some(start + plan.ramp.mul_f64(share));
            slot.opens = slot.begins;
            self.open_if_wanted(index, now);
            self.rank(index);
        }
    }

    /// What follows from when the window begins.
    fn know_window(&mut self) {
        let (Some(start), window) = (self.phase.start, self.phase.window) else {
            return;
        };
        if let (Some(window), Bound::For(duration)) = (window, self.plan.stop) {
            self.phase.window_end = Some(window + duration);
        }
        let window = window.map(|window| window.saturating_duration_since(start));
        self.phase.limit = self.plan.end(window).map(|end| start + end);
    }

    fn run_on(&mut self, now: Instant) {
        if self.phase.limit.is_some_and(|limit| now >= limit) {
            self.cut(now);
            return;
        }
        if self.phase.window.is_none() {
            self.end_warm_up(now);
        }
        self.open_window(now);
        self.close_window(now);
        if self.is_done(now) {
            self.phase.stage = Stage::Over;
        }
    }

    /// In a closed loop that warms up with so many requests the window begins when all of them are over, everywhere.
    fn end_warm_up(&mut self, now: Instant) {
        if !self.phase.warmed {
            let sent = |slot: &super::slot::Slot| slot.warm_up_left == 0 || slot.has_given_up();
            if self.flights.count() > 0 || !self.slots.iter().all(sent) {
                return;
            }
            self.phase.warmed = true;
            self.shared.arrive(&self.shared.warm);
        }
        let Some(opened) = self.shared.warm.opened() else {
            return;
        };
        self.phase.window = Some(opened);
        self.know_window();
        // Whoever came last has looked at the clock after this turn did.
        let now = now.max(opened);
        self.open_window(now);
        for index in 0..self.slots.len() {
            self.open_if_wanted(index, now);
            self.settle(index, now);
        }
    }

    /// Notes what was before the window, once it has begun and before anything is sent in it.
    pub(super) fn open_window(&mut self, now: Instant) {
        if self.phase.opened.is_none() && self.phase.measures(now) {
            self.phase.opened = Some((self.traffic(), self.phase.account.read()));
            self.forget_waits();
        }
    }

    /// Notes what came of the window, once it is over: between two connections that are read.
    pub(super) fn close_window(&mut self, now: Instant) {
        if self.phase.closed.is_none() && self.phase.is_past(now) {
            self.phase.closed = Some(self.cpu_since_window());
            self.waits_in_window = self.waits();
            self.tally.traffic_in_window = self.traffic_since_window();
        }
    }

    /// Whether nothing is left to do.
    fn is_done(&self, now: Instant) -> bool {
        if self.flights.count() > 0 {
            return false;
        }
        if self.slots.iter().all(super::slot::Slot::has_given_up) {
            return true;
        }
        let waits = |slot: &super::slot::Slot| slot.pending.is_some() && !slot.has_given_up();
        if self.slots.iter().any(waits) {
            return false;
        }
        if self.phase.window_end.is_some() {
            return self.phase.is_past(now);
        }
        match &self.queue {
            Some(queue) => queue.due().is_none(),
            None => {
                self.phase.window.is_some()
                    && self
                        .slots
                        .iter()
                        .all(|slot| slot.left == 0 || slot.has_given_up())
            }
        }
    }

    fn traffic(&self) -> Traffic {
        let mut traffic = Traffic::default();
        for slot in &self.slots {
            traffic += slot.all_traffic();
        }
        traffic
    }

    /// None before the window.
    pub(super) fn traffic_since_window(&self) -> Traffic {
        match &self.phase.opened {
            Some((before, _)) => self.traffic() - *before,
            None => Traffic::default(),
        }
    }

    /// Of this thread in the window, which goes on till now unless it has ended.
    pub(super) fn cpu_in_window(&self) -> CpuTime {
        self.phase.closed.unwrap_or_else(|| self.cpu_since_window())
    }

    fn cpu_since_window(&self) -> CpuTime {
        match &self.phase.opened {
            Some((_, before)) => {
                let now = self.phase.account.read();
                CpuTime {
                    user: now.user - before.user,
                    system: now.system - before.system,
                    waited: now.waited - before.waited,
                    critical: None,
                }
            }
            None => CpuTime::default(),
        }
    }

    /// Whether the window's traffic was noted at its end.
    pub(super) fn is_window_closed(&self) -> bool {
        self.phase.closed.is_some()
    }
}

//! The waits for a CPU of a worker's thread, one by one, where somebody wants to know of them.

use std::time::Instant;

use super::{Waits, Worker};

impl Worker {
    /// It is about to wait for something to do.
    pub(super) fn sleeps(&mut self) {
        if let Some((log, epoch)) = &mut self.log {
            log.sleeps(since(*epoch), || self.phase.account.waited_ns());
        }
    }

    /// It has waited.
    pub(super) fn woke(&mut self) {
        if let Some((log, epoch)) = &mut self.log {
            log.woke(since(*epoch), || self.phase.account.waited_ns());
        }
    }

    /// What was before doesn't count.
    pub(super) fn forget_waits(&mut self) {
        if let Some((log, _)) = &mut self.log {
            drop(log.drain());
        }
    }

    /// All since then.
    pub(super) fn waits(&mut self) -> Option<Waits> {
        self.sleeps();
        self.log.as_mut().map(|(log, _)| log.drain())
    }
}

fn since(epoch: Instant) -> u64 {
    u64::try_from(epoch.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

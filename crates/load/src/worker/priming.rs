//! The gaining of TLS sessions, before the load begins.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Worker;
use super::phases::Stage;
use super::slot::{Primed, Slot};
use crate::connection::FailureKind;
use crate::shared::lock;
use crate::tally::Tally;

/// How long a session is awaited after the response.
const SESSION_WAIT: Duration = Duration::from_secs(1);

impl Worker {
    /// In the gaining of sessions: whether one has come.
    pub(super) fn look_for_session(&mut self, index: usize, now: Instant) {
        let slot = &self.slots[index];
        let Some(Primed::Answered(at)) = slot.primed else {
            return;
        };
        let sessions = slot.sessions.as_ref();
        if sessions.is_some_and(|sessions| sessions.gained() > 0) {
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

    /// Asks for a session's gaining to be over, well or not.
    pub(super) fn prime_over(&mut self, index: usize, why: Option<&str>) {
        let slot = &mut self.slots[index];
        if self.phase.stage != Stage::Priming {
            return;
        }
        slot.primed = Some(Primed::Over);
        if let Some(link) = &mut slot.link {
            link.leaving = true;
        }
        if let Some(why) = why {
            self.tally.failed(FailureKind::Connection, why);
        }
    }

    /// Goes on to the load once every slot has tried.
    pub(super) fn end_priming(&mut self) {
        let over = |primed: &Option<Primed>| matches!(primed, Some(Primed::Over));
        if !self.slots.iter().all(|slot| over(&slot.primed)) {
            return;
        }
        let gained = |slot: &&Slot| {
            let sessions = slot.sessions.as_ref();
            sessions.is_some_and(|sessions| sessions.gained() > 0)
        };
        let gained = self.slots.iter().filter(gained).count();
        self.shared
            .gained
            .fetch_add(gained as u32, Ordering::Relaxed);
        if let Some(failure) = self.tally.failures.first() {
            lock(&self.shared.not_gained).get_or_insert_with(|| failure.detail.clone());
        }
        self.tally = Tally::default();
        for slot in &mut self.slots {
            slot.begin_anew();
        }
        self.wait_for_others();
    }
}

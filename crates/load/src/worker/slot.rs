//! One of the connections that a worker keeps at a time, with those that replace it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pronghorn_http::SessionStore;

use crate::any_connection::AnyConnection;
use crate::connection::{Connection, ConnectionFailureKind, Ticket, Traffic};
use crate::dialer::Dialer;
use crate::plan::{Bound, Plan};

/// Connections that can't be made, in a row, until a slot gives up.
const ATTEMPTS: u32 = 10;
/// How long a slot waits after the first of them; twice as long after each further one, up to [`LONGEST_PAUSE`].
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A place for a connection.
pub(super) struct Slot {
    pub(super) dialer: Dialer,
    /// None for a load whose connections share no sessions.
    pub(super) sessions: Option<Arc<SessionStore>>,
    pub(super) link: Option<Link>,
    /// When the next connection is begun.
    pub(super) opens: Option<Instant>,
    failures: u32,
    /// Requests of the warm-up and of the window that it still has to send, in a closed loop of so many requests.
    pub(super) warm_up_left: u64,
    pub(super) left: u64,
    /// Requests that it sent.
    pub(super) asked: u64,
    /// Requests to be sent again.
    pub(super) again: VecDeque<Ticket>,
    /// An open loop's request that waits for this slot's next connection.
    pub(super) pending: Option<Pending>,
    /// Requests that were answered.
    pub(super) answered: u64,
    /// Successes within the window.
    pub(super) in_window: u64,
    /// When the last of them had come.
    pub(super) last: Option<Instant>,
    /// When its first connection was due.
    pub(super) begins: Option<Instant>,
    /// Of its earlier connections.
    pub(super) traffic: Traffic,
    /// Distinguishes its connections.
    pub(super) generation: u32,
    /// A connection that is through and waits for a session ticket, while the next one goes on.
    pub(super) behind: Option<Box<Behind>>,
    /// Session tickets that were put down to a connection.
    credited: u64,
    /// How often in a row a connection has waited for one in vain.
    pub(super) in_vain: u32,
    /// In the gaining of a session: it has come to an end, well or not.
    pub(super) primed: Option<Primed>,
}

/// A connection and what became of it.
pub(super) struct Link {
    pub(super) connection: AnyConnection,
    pub(super) begun: Instant,
    /// When it has to be made, or is given up.
    pub(super) made_by: Instant,
    /// When its handshake was done.
    pub(super) established: Option<Instant>,
    /// Its first requests were early data.
    pub(super) early: bool,
    /// It takes no further requests.
    pub(super) going_away: bool,
    /// A request on it took too long, for which it may have to end.
    pub(super) given_up: bool,
    /// It is to be ended.
    pub(super) leaving: bool,
    /// Until when it waits with that for a session ticket.
    pub(super) lingers: Option<Instant>,
    /// One has come of it.
    pub(super) ticket: bool,
    /// It is among those that are read from in the next turn.
    pub(super) unread: bool,
    /// Requests that were handed to it, those of them that were answered, and those that aren't over.
    pub(super) taken: u64,
    pub(super) answered: u64,
    pub(super) in_flight: usize,
}

/// A connection that is through.
pub(super) struct Behind {
    pub(super) link: Link,
    /// Which of its slot's it is.
    pub(super) generation: u32,
}

/// An open loop's request before it is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    pub(super) number: u64,
    pub(super) due: Instant,
    pub(super) measured: bool,
}

/// How the gaining of a session went.
pub(super) enum Primed {
    /// The response has come; a session may still.
    Answered(Instant),
    Over,
}

impl Slot {
    pub(super) fn new(dialer: Dialer, sessions: Option<Arc<SessionStore>>) -> Slot {
        Slot {
            dialer,
            sessions,
            link: None,
            opens: None,
            failures: 0,
            warm_up_left: 0,
            left: 0,
            asked: 0,
            again: VecDeque::new(),
            pending: None,
            answered: 0,
            in_window: 0,
            last: None,
            begins: None,
            traffic: Traffic::default(),
            generation: 0,
            behind: None,
            credited: 0,
            in_vain: 0,
            primed: None,
        }
    }

    /// Its share of a closed loop's requests, by its number among all slots.
    pub(super) fn share(&mut self, plan: &Plan, number: u32) {
        if let Bound::Requests(requests) = plan.stop {
            self.left = plan.share(requests, number);
        }
        if let Some(Bound::Requests(requests)) = plan.warm_up {
            self.warm_up_left = plan.share(requests, number);
        }
    }

    /// Forgets how the gaining of a session went.
    pub(super) fn begin_anew(&mut self) {
        self.primed = None;
        self.failures = 0;
        self.asked = 0;
        self.traffic = Traffic::default();
        self.credited = self.gained();
    }

    fn gained(&self) -> u64 {
        let sessions = self.sessions.as_ref();
        sessions.map_or(0, |sessions| sessions.gained())
    }

    /// Puts tickets that have come down to the connections that wait for them, the older one first.
    pub(super) fn credit_tickets(&mut self) {
        let gained = self.gained();
        while self.credited < gained {
            self.credited += 1;
            let behind = self.behind.as_mut().map(|behind| &mut behind.link);
            let waits = behind.filter(|link| !link.ticket);
            if let Some(link) = waits.or(self.link.as_mut()) {
                link.ticket = true;
                if link.lingers.is_some() {
                    self.in_vain = 0;
                }
            }
        }
    }

    /// Whether the next connection has no ticket yet, and will have one as soon as it has come.
    pub(super) fn awaits_ticket(&self) -> bool {
        let sessions = self.sessions.as_ref();
        self.behind.is_some() && sessions.is_some_and(|sessions| !sessions.has_ticket())
    }

    /// Further requests that its connection takes now.
    pub(super) fn room(&self) -> usize {
        match &self.link {
            Some(link) if !link.going_away && !link.leaving => link.connection.room(),
            _ => 0,
        }
    }

    /// It won't make any more connections.
    pub(super) fn has_given_up(&self) -> bool {
        self.failures >= ATTEMPTS
    }

    /// A connection couldn't be made; how long to wait for the next, unless it gives up.
    pub(super) fn fail(&mut self, kind: ConnectionFailureKind) -> Option<Duration> {
        self.failures = if kind.is_final() {
            ATTEMPTS
        } else {
            self.failures + 1
        };
        if self.has_given_up() {
            return None;
        }
        let doubled = FIRST_PAUSE * 2_u32.saturating_pow(self.failures - 1);
        Some(doubled.min(LONGEST_PAUSE))
    }

    /// A connection was made and did something.
    pub(super) fn recover(&mut self) {
        self.failures = 0;
    }

    /// Bytes of responses' content that have come.
    pub(super) fn payload(&self) -> u64 {
        let payload = |link: &Link| link.connection.payload();
        let behind = self.behind.as_ref().map(|behind| &behind.link);
        self.traffic.payload + self.link.as_ref().map_or(0, payload) + behind.map_or(0, payload)
    }

    /// All that it sent and received.
    pub(super) fn all_traffic(&self) -> Traffic {
        let mut traffic = self.traffic;
        let behind = self.behind.as_ref().map(|behind| &behind.link);
        for link in self.link.iter().chain(behind) {
            traffic += link.connection.traffic();
        }
        traffic
    }
}

//! A server's session tickets: each is good for one handshake, and who offers one again is counted.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::server::{ServerSessionMemoryCache, StoresServerSessions};
use schemars::JsonSchema;
use serde::Serialize;

/// Sessions that are kept at a time, the oldest making room; rustls's own default.
const SESSIONS: usize = 256;

/// Used tickets that are known as such: 32 bytes each, twice.
const USED: usize = 1024;

/// A server's sessions, in memory. A ticket is a random name for one of them, which is deleted as it is
/// handed out (RFC 8446 §8.1): early data that comes a second time finds no session, so the
/// handshake is a full one and the early data can't even be read.
///
/// Memory is bounded by 256 sessions (some hundred bytes each) and the names of the last 1024 that were
/// used. Neither bound weakens that: a session that made room is gone, and a used name that was
/// forgotten counts as `unknown` in place of `replayed`.
#[derive(Debug)]
pub struct Tickets {
    sessions: Arc<ServerSessionMemoryCache>,
    record: Mutex<Record>,
}

/// What became of the session tickets of TLS 1.3 that clients offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct TicketUses {
    /// Tickets whose session was there: the handshake resumed it.
    pub redeemed: u64,
    /// Tickets that had been redeemed before: refused, and their early data with them.
    pub replayed: u64,
    /// Tickets that the origin never gave or has forgotten: refused alike.
    pub unknown: u64,
}

#[derive(Debug, Default)]
struct Record {
    uses: TicketUses,
    used: HashSet<Vec<u8>>,
    /// Oldest first.
    order: VecDeque<Vec<u8>>,
}

impl Tickets {
    /// No sessions yet.
    pub fn new() -> Arc<Tickets> {
        Arc::new(Tickets {
            sessions: ServerSessionMemoryCache::new(SESSIONS),
            record: Mutex::default(),
        })
    }

    /// What became of those that were offered so far.
    pub fn uses(&self) -> TicketUses {
        self.lock().uses
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    fn redeem(&mut self, name: &[u8]) {
        self.uses.redeemed += 1;
        if self.order.len() == USED {
            if let Some(oldest) = self.order.pop_front() {
                self.used.remove(&oldest);
            }
        }
        if self.used.insert(name.to_vec()) {
            self.order.push_back(name.to_vec());
        }
    }

    fn refuse(&mut self, name: &[u8]) {
        if self.used.contains(name) {
            self.uses.replayed += 1;
        } else {
            self.uses.unknown += 1;
        }
    }
}

impl StoresServerSessions for Tickets {
    fn put(&self, name: Vec<u8>, session: Vec<u8>) -> bool {
        self.sessions.put(name, session)
    }

    /// TLS 1.2's way, which has no early data.
    fn get(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.sessions.get(name)
    }

    /// TLS 1.3's way.
    fn take(&self, name: &[u8]) -> Option<Vec<u8>> {
        let session = self.sessions.take(name);
        let mut record = self.lock();
        match session {
            Some(_) => record.redeem(name),
            None => record.refuse(name),
        }
        session
    }

    fn can_cache(&self) -> bool {
        self.sessions.can_cache()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(redeemed: u64, replayed: u64, unknown: u64) -> TicketUses {
        TicketUses {
            redeemed,
            replayed,
            unknown,
        }
    }

    #[test]
    fn a_ticket_is_good_once_and_its_replay_is_told_from_an_unknown_one() {
        let tickets = Tickets::new();
        assert!(tickets.put(b"a".to_vec(), b"session".to_vec()));
        assert_eq!(tickets.take(b"b"), None);
        assert_eq!(tickets.take(b"a"), Some(b"session".to_vec()));
        assert_eq!(tickets.take(b"a"), None);
        assert_eq!(tickets.take(b"a"), None);
        assert_eq!(tickets.uses(), uses(1, 2, 1));
    }

    #[test]
    fn tickets_that_nobody_remembers_are_refused_as_well() {
        let tickets = Tickets::new();
        let names: Vec<Vec<u8>> = (0..=USED).map(|n| n.to_be_bytes().to_vec()).collect();
        for name in &names {
            assert!(tickets.put(name.clone(), Vec::new()));
            assert!(tickets.take(name).is_some());
        }
        let redeemed = names.len() as u64;
        assert_eq!(tickets.take(&names[0]), None);
        assert_eq!(tickets.uses(), uses(redeemed, 0, 1), "forgotten, not good");
        assert_eq!(tickets.take(&names[1]), None);
        assert_eq!(tickets.uses(), uses(redeemed, 1, 1));
        assert_eq!(tickets.lock().used.len(), USED);
    }
}

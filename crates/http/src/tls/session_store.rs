//! TLS sessions that a client's connections gain, counted, for later ones to resume.

use std::sync::atomic::{AtomicU64, Ordering};

use rustls::NamedGroup;
use rustls::client::{
    ClientSessionMemoryCache, ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue,
};
use rustls::pki_types::ServerName;
use tokio::sync::watch;

/// Tickets of a server that rustls's cache keeps at most.
const TICKETS: u64 = 8;

/// rustls's cache, counting what comes in. A ticket of TLS 1.3 is taken once.
#[derive(Debug)]
pub struct SessionStore {
    sessions: ClientSessionMemoryCache,
    gained: watch::Sender<u64>,
    /// Tickets of TLS 1.3 that are left, where all are of one server.
    tickets: AtomicU64,
}

impl SessionStore {
    /// An empty one, which keeps the sessions of so many servers. (rustls counts tickets, eight a server.)
    pub fn new(servers: usize) -> SessionStore {
        SessionStore {
            sessions: ClientSessionMemoryCache::new(servers * TICKETS as usize),
            gained: watch::Sender::new(0),
            tickets: AtomicU64::new(0),
        }
    }

    /// How many sessions there ever were.
    pub fn gained(&self) -> u64 {
        *self.gained.borrow()
    }

    /// The same, as they come.
    pub fn watch_gained(&self) -> watch::Receiver<u64> {
        self.gained.subscribe()
    }

    /// Whether a ticket of TLS 1.3 is left for the next connection, in a store of one server's sessions.
    pub fn has_ticket(&self) -> bool {
        self.tickets.load(Ordering::Relaxed) > 0
    }
}

impl ClientSessionStore for SessionStore {
    fn set_kx_hint(&self, server: ServerName<'static>, group: NamedGroup) {
        self.sessions.set_kx_hint(server, group);
    }

    fn kx_hint(&self, server: &ServerName<'_>) -> Option<NamedGroup> {
        self.sessions.kx_hint(server)
    }

    fn set_tls12_session(&self, server: ServerName<'static>, session: Tls12ClientSessionValue) {
        self.sessions.set_tls12_session(server, session);
        self.gained.send_modify(|gained| *gained += 1);
    }

    fn tls12_session(&self, server: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.sessions.tls12_session(server)
    }

    fn remove_tls12_session(&self, server: &ServerName<'static>) {
        self.sessions.remove_tls12_session(server);
    }

    fn insert_tls13_ticket(&self, server: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        self.sessions.insert_tls13_ticket(server, ticket);
        self.gained.send_modify(|gained| *gained += 1);
        let tickets = self.tickets.load(Ordering::Relaxed) + 1;
        self.tickets.store(tickets.min(TICKETS), Ordering::Relaxed);
    }

    fn take_tls13_ticket(&self, server: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        let ticket = self.sessions.take_tls13_ticket(server)?;
        let tickets = self.tickets.load(Ordering::Relaxed).saturating_sub(1);
        self.tickets.store(tickets, Ordering::Relaxed);
        Some(ticket)
    }
}

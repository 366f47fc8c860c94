//! TLS sessions of one slot's connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustls::NamedGroup;
use rustls::client::{
    ClientSessionMemoryCache, ClientSessionStore, Resumption, Tls12ClientSessionValue,
    Tls13ClientSessionValue,
};
use rustls::pki_types::ServerName;

/// Servers whose sessions rustls keeps; a load has one.
const SERVERS: usize = 1;
/// Tickets of a server that it keeps at most.
const TICKETS: u64 = 8;

/// What connections gain and later ones take; a ticket of TLS 1.3 is taken once.
#[derive(Debug)]
pub(crate) struct SlotSessions {
    kept: ClientSessionMemoryCache,
    gained: AtomicU64,
    /// Tickets of TLS 1.3 that are left.
    tickets: AtomicU64,
}

impl SlotSessions {
    /// `config` with sessions of its own, and these; `early`: early data is sent where a session allows it.
    pub(crate) fn within(
        mut config: rustls::ClientConfig,
        early: bool,
    ) -> (rustls::ClientConfig, Arc<SlotSessions>) {
        let sessions = Arc::new(SlotSessions {
            kept: ClientSessionMemoryCache::new(SERVERS),
            gained: AtomicU64::new(0),
            tickets: AtomicU64::new(0),
        });
        config.resumption = Resumption::store(sessions.clone());
        config.enable_early_data = early;
        (config, sessions)
    }

    /// Whether there ever was one.
    pub(crate) fn has_gained(&self) -> bool {
        self.gained() > 0
    }

    /// How many there ever were.
    pub(crate) fn gained(&self) -> u64 {
        self.gained.load(Ordering::Relaxed)
    }

    /// Whether a ticket of TLS 1.3 is left for the next connection.
    pub(crate) fn has_ticket(&self) -> bool {
        self.tickets.load(Ordering::Relaxed) > 0
    }
}

impl ClientSessionStore for SlotSessions {
    fn set_kx_hint(&self, server: ServerName<'static>, group: NamedGroup) {
        self.kept.set_kx_hint(server, group);
    }

    fn kx_hint(&self, server: &ServerName<'_>) -> Option<NamedGroup> {
        self.kept.kx_hint(server)
    }

    fn set_tls12_session(&self, server: ServerName<'static>, session: Tls12ClientSessionValue) {
        self.kept.set_tls12_session(server, session);
        self.gained.fetch_add(1, Ordering::Relaxed);
    }

    fn tls12_session(&self, server: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.kept.tls12_session(server)
    }

    fn remove_tls12_session(&self, server: &ServerName<'static>) {
        self.kept.remove_tls12_session(server);
    }

    fn insert_tls13_ticket(&self, server: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        self.kept.insert_tls13_ticket(server, ticket);
        self.gained.fetch_add(1, Ordering::Relaxed);
        let tickets = self.tickets.load(Ordering::Relaxed) + 1;
        self.tickets.store(tickets.min(TICKETS), Ordering::Relaxed);
    }

    fn take_tls13_ticket(&self, server: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        let ticket = self.kept.take_tls13_ticket(server)?;
        let tickets = self.tickets.load(Ordering::Relaxed).saturating_sub(1);
        self.tickets.store(tickets, Ordering::Relaxed);
        Some(ticket)
    }
}

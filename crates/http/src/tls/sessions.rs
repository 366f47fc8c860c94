//! Sessions that a client keeps from one load for the next ones.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::client::Trust;
use super::session_store::SessionStore;
use super::{TlsOffer, TlsVersion};
use crate::Protocol;

/// What a page load does with TLS sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionUse {
    /// Resumes and keeps none.
    #[default]
    Cold,
    /// Resumes none, and keeps what the server gives until the bench is closed. Fails with reason `session` where nothing
    /// comes within 3 s of the page.
    Gain,
    /// Resumes a kept one, and sends nothing before the handshake is done. Without a kept one an `input` error.
    Resumed,
    /// Resumes a kept one and sends its first requests as early data (0-RTT); makes them again over the same connection
    /// where the server rejects it. Without a kept one, and over TLS 1.2, an `input` error.
    #[serde(rename = "0rtt")]
    ZeroRtt,
}

/// The kept sessions of a client. Protocols share none (an early request would speak the ticket's),
/// and each belongs to those whom it was kept by trusting, as rustls demands.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<HashMap<Key, Kept>>);

/// What sessions are kept by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) protocol: Protocol,
    pub(super) version: TlsVersion,
    pub(super) offer: TlsOffer,
    /// None: the system's.
    pub(super) ca: Option<PathBuf>,
    pub(super) insecure: bool,
}

/// The sessions of one key.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) trust: Trust,
    pub(super) store: Arc<SessionStore>,
}

impl Sessions {
    /// What is kept by this key; none where nothing ever was.
    pub(super) fn get(&self, key: &Key) -> Option<Kept> {
        self.lock().get(key).cloned()
    }

    pub(super) fn insert(&self, key: Key, kept: Kept) {
        self.lock().insert(key, kept);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Servers whose sessions are kept.
pub(super) const SERVERS: usize = 256;

/// A store into which everything goes and from which nothing comes.
#[derive(Debug)]
pub(super) struct Gaining(pub(super) Arc<SessionStore>);

impl ClientSessionStore for Gaining {
    fn set_kx_hint(&self, server: ServerName<'static>, group: NamedGroup) {
        self.0.set_kx_hint(server, group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, server: ServerName<'static>, session: Tls12ClientSessionValue) {
        self.0.set_tls12_session(server, session);
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        None
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {}

    fn insert_tls13_ticket(&self, server: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        self.0.insert_tls13_ticket(server, ticket);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        None
    }
}

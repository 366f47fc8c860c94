//! Which group a client's handshakes agreed on, where QUIC's library doesn't tell.

use std::sync::{Arc, Mutex, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

use super::facts::group_name;

/// The group of the last finished handshake of TLS 1.3; none before the first.
#[derive(Debug, Clone, Default)]
pub(super) struct AgreedGroup(Arc<Mutex<Option<NamedGroup>>>);

impl AgreedGroup {
    pub(super) fn name(&self) -> Option<String> {
        self.lock().map(group_name)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<NamedGroup>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A store of sessions that notes what rustls tells it at the end of each handshake: the group to
/// begin with next time is the one that was agreed on.
#[derive(Debug)]
pub(super) struct Noting {
    store: Arc<dyn ClientSessionStore>,
    agreed: AgreedGroup,
}

impl Noting {
    pub(super) fn new(store: Arc<dyn ClientSessionStore>, agreed: AgreedGroup) -> Noting {
        Noting { store, agreed }
    }
}

impl ClientSessionStore for Noting {
    fn set_kx_hint(&self, server: ServerName<'static>, group: NamedGroup) {
        *self.agreed.lock() = Some(group);
        self.store.set_kx_hint(server, group);
    }

    fn kx_hint(&self, server: &ServerName<'_>) -> Option<NamedGroup> {
        self.store.kx_hint(server)
    }

    fn set_tls12_session(&self, server: ServerName<'static>, session: Tls12ClientSessionValue) {
        self.store.set_tls12_session(server, session);
    }

    fn tls12_session(&self, server: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.store.tls12_session(server)
    }

    fn remove_tls12_session(&self, server: &ServerName<'static>) {
        self.store.remove_tls12_session(server);
    }

    fn insert_tls13_ticket(&self, server: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        self.store.insert_tls13_ticket(server, ticket);
    }

    fn take_tls13_ticket(&self, server: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.store.take_tls13_ticket(server)
    }
}

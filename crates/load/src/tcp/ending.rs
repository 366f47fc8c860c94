//! A connection's end, and that of the requests on it.

use std::fmt::Write;

use super::connection::TcpConnection;
use super::tls::Tls;
use crate::connection::{
    ConnectionFailure, ConnectionFailureKind, Detail, Ending, Event, FailureKind,
};

impl TcpConnection {
    /// The peer sends nothing more.
    pub(super) fn ended(&mut self, events: &mut Vec<Event>) {
        let handshaking = self.tls.as_ref().is_some_and(Tls::is_handshaking);
        if handshaking {
            let failure = ConnectionFailure::new(
                ConnectionFailureKind::Refused,
                "the server closed the connection in TLS's handshake",
            );
            return self.lost(failure, events);
        }
        let clean = self.tls.as_ref().is_none_or(Tls::has_ended);
        self.spoken.end(clean, events);
        let mut detail = "the server closed the connection before the response's end".to_owned();
        let mut ending = Ending::Peer;
        if let Some(farewell) = self.spoken.farewell() {
            let _ = write!(detail, " ({})", farewell.words);
            if farewell.is_error {
                let detail = format!("the server closed the connection with {}", farewell.words);
                let kind = ConnectionFailureKind::Reset;
                ending = Ending::Failed(ConnectionFailure::new(kind, detail));
            }
        }
        self.fail_all(FailureKind::Connection, detail, events);
        self.closed = true;
        events.push(Event::Closed(ending));
    }

    /// The connection is lost, and with it every request on it.
    pub(super) fn lost(&mut self, mut failure: ConnectionFailure, events: &mut Vec<Event>) {
        if let Some(farewell) = self.spoken.farewell() {
            failure.detail = format!("{} ({})", failure.detail, farewell.words).into();
        }
        let detail = format!("its connection was lost: {}", failure.detail);
        self.fail_all(FailureKind::Connection, detail, events);
        self.closed = true;
        events.push(Event::Closed(Ending::Failed(failure)));
    }

    /// The server broke its protocol's rules.
    pub(super) fn broken(&mut self, detail: Detail, events: &mut Vec<Event>) {
        self.fail_all(FailureKind::Protocol, detail.clone(), events);
        self.closed = true;
        let failure = ConnectionFailure::new(ConnectionFailureKind::Protocol, detail);
        events.push(Event::Closed(Ending::Failed(failure)));
    }

    /// Tells of every request that is in flight that it failed.
    pub(super) fn fail_all(
        &mut self,
        kind: FailureKind,
        detail: impl Into<Detail>,
        events: &mut Vec<Event>,
    ) {
        let detail = detail.into();
        let tickets = self.spoken.abandon();
        events.extend(tickets.into_iter().map(|ticket| Event::Failed {
            ticket,
            kind,
            detail: detail.clone(),
        }));
    }
}

//! A connection's beginning: the kernel's handshake, TLS's, and what they settled.

use pronghorn_http::{
    ConnectError, Protocol, Settings, TcpSettings, congestion_control_of, connection_facts,
};
use socket2::Socket;

use super::connection::{Broken, TcpConnection, TcpSocket};
use super::dialer::failure;
use super::protocol::Spoken;
use crate::connection::{ConnectionFailure, ConnectionFailureKind, Event, Facts, Handshake};
use crate::h2;

impl TcpConnection {
    /// The kernel's handshake is over, well or not.
    pub(super) fn connected(&mut self, events: &mut Vec<Event>) {
        let TcpSocket::Connecting(pending) = &mut self.socket else {
            return;
        };
        let Some(pending) = pending.take() else {
            return;
        };
        match pending.finish(self.endpoint.tcp.as_ref()) {
            Ok(socket) => {
                self.facts = self.facts_of(&socket);
                self.socket = TcpSocket::Connected(socket);
            }
            Err(error) => {
                let failure = match error {
                    ConnectError::Io(error) => failure(&error),
                    ConnectError::CongestionControl(error) => ConnectionFailure::new(
                        ConnectionFailureKind::CongestionControl,
                        error.to_string(),
                    ),
                };
                self.lost(failure, events);
                return;
            }
        }
        match &self.tls {
            None => self.greet(Handshake::default(), events),
            Some(tls) if tls.is_early() => {
                self.ready = true;
                events.push(Event::Ready { early: true });
            }
            Some(_) => {}
        }
    }

    fn facts_of(&self, socket: &Socket) -> Facts {
        let mut settings = TcpSettings::of(socket);
        if self.endpoint.protocol == Protocol::H2 {
            let (stream, connection) = h2::windows(&self.endpoint.knobs);
            settings = settings.with_windows(stream, connection);
        }
        Facts {
            settings: Settings::Tcp(settings),
            tcp_congestion_control: congestion_control_of(socket).ok(),
            ..Facts::default()
        }
    }

    /// The handshake is done; requests can be sent from now on at the latest.
    fn greet(&mut self, handshake: Handshake, events: &mut Vec<Event>) {
        events.push(Event::Connected(handshake));
        if !self.ready {
            self.ready = true;
            events.push(Event::Ready { early: false });
        }
    }

    /// Looks at what TLS's handshake settled.
    pub(super) fn secured(&mut self, events: &mut Vec<Event>) -> Result<(), Broken> {
        let Some(tls) = &mut self.tls else {
            return Ok(());
        };
        let facts = connection_facts(tls.state());
        let chosen = facts.alpn.as_deref().map(str::as_bytes);
        let wanted = self.endpoint.protocol.alpn();
        // A server without ALPN speaks HTTP/1.1 (RFC 7301, section 3.2, leaves it to the application).
        let silent = chosen.is_none() && self.endpoint.protocol == Protocol::H1;
        if chosen != Some(wanted) && !silent {
            let detail = match &facts.alpn {
                Some(chosen) => format!("the server chose `{chosen}`"),
                None => "the server chose no protocol".to_owned(),
            };
            return Err(ConnectionFailure::new(ConnectionFailureKind::Alpn, detail).into());
        }
        self.facts.tls = Some(facts);
        let offered = tls.is_early();
        let handshake = tls.settle();
        if offered && !handshake.early_data_accepted {
            let tickets = self.spoken.abandon();
            events.extend(tickets.into_iter().map(Event::Refused));
            self.out.clear();
            self.spoken = Spoken::begin(&self.endpoint, &mut self.out);
        }
        self.greet(handshake, events);
        Ok(())
    }
}

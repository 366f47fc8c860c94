//! One connection: a socket, TLS or none, and a protocol.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::Instant;

use pronghorn_http::{
    ConnectError, PendingTcp, Protocol, Settings, TcpSettings, congestion_control_of,
    connection_facts,
};
use socket2::Socket;

use super::dialer::failure;
use super::protocol::Spoken;
use super::tls::Tls;
use super::traffic::traffic;
use crate::connection::{
    Connection, ConnectionFailure, ConnectionFailureKind, Detail, Ending, Event, Facts,
    FailureKind, Handshake, Ticket, Traffic,
};
use crate::dialer::Endpoint;
use crate::h2;
use crate::prepared::Prepared;

/// How much is read at once: some of the largest TLS records.
const READ_BUFFER: usize = 128 * 1024;

thread_local! {
    /// What is read into; nothing stays in it between two reads.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BUFFER]);
}

/// HTTP/1.1 or HTTP/2 over TCP.
pub(crate) struct TcpConnection {
    endpoint: Arc<Endpoint>,
    socket: Stage,
    tls: Option<Tls>,
    spoken: Spoken,
    /// Plaintext that waits for TLS or, in the clear, for the socket.
    out: Vec<u8>,
    /// Requests can be sent.
    ready: bool,
    /// The socket took less than there was.
    blocked: bool,
    /// It is to end with the next flush.
    ending: bool,
    closed: bool,
    facts: Facts,
}

enum Stage {
    Connecting(Option<PendingTcp>),
    Connected(Socket),
}

/// Why nothing more is read.
enum Broken {
    Connection(ConnectionFailure),
    Protocol(Detail),
}

impl From<ConnectionFailure> for Broken {
    fn from(failure: ConnectionFailure) -> Self {
        Broken::Connection(failure)
    }
}

impl TcpConnection {
    pub(super) fn new(
        endpoint: Arc<Endpoint>,
        tls: Option<Arc<rustls::ClientConfig>>,
        pending: PendingTcp,
    ) -> Result<TcpConnection, ConnectionFailure> {
        let tls = tls
            .map(|config| Tls::new(config, endpoint.server_name.clone()))
            .transpose()?;
        let mut out = Vec::new();
        Ok(TcpConnection {
            spoken: Spoken::begin(&endpoint, &mut out),
            endpoint,
            socket: Stage::Connecting(Some(pending)),
            tls,
            out,
            ready: false,
            blocked: false,
            ending: false,
            closed: false,
            facts: Facts::default(),
        })
    }

    /// The kernel's handshake is over, well or not.
    fn connected(&mut self, events: &mut Vec<Event>) {
        let Stage::Connecting(pending) = &mut self.socket else {
            return;
        };
        let Some(pending) = pending.take() else {
            return;
        };
        match pending.finish(self.endpoint.tcp.as_ref()) {
            Ok(socket) => {
                self.facts = self.facts_of(&socket);
                self.socket = Stage::Connected(socket);
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
    fn secured(&mut self, events: &mut Vec<Event>) -> Result<(), Broken> {
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

    /// Takes bytes from the socket.
    fn take(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) -> Result<(), Broken> {
        if self.tls.is_none() {
            return self
                .spoken
                .receive(bytes, &mut self.out, events)
                .map_err(Broken::Protocol);
        }
        while !bytes.is_empty() {
            let Some(tls) = &mut self.tls else {
                return Ok(());
            };
            let was_handshaking = tls.is_handshaking();
            let (spoken, out) = (&mut self.spoken, &mut self.out);
            tls.read(&mut bytes, |plain| {
                spoken.receive(plain, out, events).map_err(Broken::Protocol)
            })?;
            if was_handshaking && !tls.is_handshaking() {
                self.secured(events)?;
                self.take_decrypted(events)?;
            }
        }
        Ok(())
    }

    /// Takes what came with the handshake's end.
    fn take_decrypted(&mut self, events: &mut Vec<Event>) -> Result<(), Broken> {
        let Some(tls) = &mut self.tls else {
            return Ok(());
        };
        let (spoken, out) = (&mut self.spoken, &mut self.out);
        tls.take(|plain| spoken.receive(plain, out, events).map_err(Broken::Protocol))
    }

    /// Reads once; whether there may be more.
    fn read(&mut self, scratch: &mut [u8], events: &mut Vec<Event>) -> bool {
        let Stage::Connected(socket) = &mut self.socket else {
            return false;
        };
        let length = match socket.read(scratch) {
            Ok(0) => {
                self.ended(events);
                return false;
            }
            Ok(length) => length,
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock => return false,
                io::ErrorKind::Interrupted => return true,
                _ => {
                    self.lost(failure(&error), events);
                    return false;
                }
            },
        };
        match self.take(&scratch[..length], events) {
            // Less than there was room for: all that was there. What comes later is told of anew.
            Ok(()) => length == scratch.len(),
            Err(Broken::Connection(failure)) => {
                self.lost(failure, events);
                false
            }
            Err(Broken::Protocol(detail)) => {
                self.broken(detail, events);
                false
            }
        }
    }

    /// The peer sends nothing more.
    fn ended(&mut self, events: &mut Vec<Event>) {
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
        self.fail_all(
            FailureKind::Connection,
            "the server closed the connection before the response's end",
            events,
        );
        self.closed = true;
        events.push(Event::Closed(Ending::Peer));
    }

    fn lost(&mut self, failure: ConnectionFailure, events: &mut Vec<Event>) {
        let detail = format!("its connection was lost: {}", failure.detail);
        self.fail_all(FailureKind::Connection, detail, events);
        self.closed = true;
        events.push(Event::Closed(Ending::Failed(failure)));
    }

    fn broken(&mut self, detail: Detail, events: &mut Vec<Event>) {
        self.fail_all(FailureKind::Protocol, detail.clone(), events);
        self.closed = true;
        let failure = ConnectionFailure::new(ConnectionFailureKind::Protocol, detail);
        events.push(Event::Closed(Ending::Failed(failure)));
    }

    fn fail_all(&mut self, kind: FailureKind, detail: impl Into<Detail>, events: &mut Vec<Event>) {
        let detail = detail.into();
        let tickets = self.spoken.abandon();
        events.extend(tickets.into_iter().map(|ticket| Event::Failed {
            ticket,
            kind,
            detail: detail.clone(),
        }));
    }

    /// Hands to the socket what it takes.
    fn write(&mut self) -> io::Result<()> {
        let Stage::Connected(socket) = &mut self.socket else {
            return Ok(());
        };
        if let Some(tls) = &mut self.tls {
            tls.write(&mut self.out);
        }
        loop {
            let written = match &mut self.tls {
                Some(tls) if tls.wants_write() => tls.write_to(socket),
                None if !self.out.is_empty() => socket.write(&self.out).inspect(|&written| {
                    self.out.drain(..written);
                }),
                _ => return Ok(()),
            };
            match written {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.blocked = true;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Connection for TcpConnection {
    fn descriptor(&self) -> RawFd {
        match &self.socket {
            Stage::Connecting(Some(pending)) => pending.as_raw_fd(),
            Stage::Connecting(None) => -1,
            Stage::Connected(socket) => socket.as_raw_fd(),
        }
    }

    fn readable(&mut self, _: Instant, events: &mut Vec<Event>) -> bool {
        !self.closed && SCRATCH.with_borrow_mut(|scratch| self.read(scratch, events))
    }

    fn writable(&mut self, now: Instant, events: &mut Vec<Event>) {
        if self.closed {
            return;
        }
        self.connected(events);
        if std::mem::take(&mut self.blocked) {
            self.flush(now, events);
        }
    }

    fn room(&self) -> usize {
        if self.ready && !self.closed && !self.ending {
            self.spoken.room(self.endpoint.streams as usize)
        } else {
            0
        }
    }

    fn send(&mut self, ticket: Ticket, request: &Prepared, _: Instant) {
        self.spoken.send(ticket, request, &mut self.out);
    }

    fn cancel(&mut self, ticket: Ticket) {
        self.ending |= !self.spoken.cancel(ticket, &mut self.out);
    }

    fn flush(&mut self, now: Instant, events: &mut Vec<Event>) {
        if self.closed {
            return;
        }
        if self.ending {
            let why = "its connection was closed, since another request on it was given up";
            self.fail_all(FailureKind::Connection, why, events);
            self.closed = true;
            events.push(Event::Closed(Ending::Local));
            return;
        }
        if self.blocked {
            return;
        }
        if let Err(error) = self.write() {
            // What came before the peer's reset can still be read.
            while self.readable(now, events) {}
            if !self.closed {
                self.lost(failure(&error), events);
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn expire(&mut self, _: Instant, _: &mut Vec<Event>) {}

    fn close(&mut self, _: Instant) {
        if let Some(tls) = &mut self.tls {
            tls.say_end();
        }
    }

    fn traffic(&self) -> Traffic {
        let ip_header = if self.endpoint.address.is_ipv4() {
            20
        } else {
            40
        };
        match &self.socket {
            Stage::Connected(socket) => traffic(socket, ip_header),
            Stage::Connecting(_) => Traffic::default(),
        }
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

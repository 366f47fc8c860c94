//! One connection: a socket, TLS or none, and a protocol.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::Instant;

use pronghorn_http::PendingTcp;
use socket2::Socket;

use super::dialer::failure;
use super::protocol::Spoken;
use super::tls::Tls;
use super::traffic::traffic;
use crate::connection::{
    Connection, ConnectionFailure, Detail, Ending, Event, Facts, FailureKind, Stream, Ticket,
    Traffic,
};
use crate::endpoint::{Endpoint, Place};
use crate::local;
use crate::prepared::Prepared;

/// How much is read at once: some of the largest TLS records.
const READ_BUFFER: usize = 128 * 1024;

thread_local! {
    /// What is read into; nothing stays in it between two reads.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BUFFER]);
}

/// HTTP/1.1 or HTTP/2 over TCP.
pub(crate) struct TcpConnection {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) socket: TcpSocket,
    pub(super) tls: Option<Tls>,
    pub(super) spoken: Spoken,
    /// Plaintext that waits for TLS or, in the clear, for the socket.
    pub(super) out: Vec<u8>,
    /// Requests can be sent.
    pub(super) ready: bool,
    /// The socket took less than there was.
    blocked: bool,
    /// It is to end with the next flush.
    ending: bool,
    pub(super) closed: bool,
    pub(super) facts: Facts,
}

/// How far the kernel is with it.
pub(super) enum TcpSocket {
    Connecting(Option<PendingTcp>),
    Connected(Socket),
}

/// Why nothing more is read.
pub(super) enum Broken {
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
            socket: TcpSocket::Connecting(Some(pending)),
            tls,
            out,
            ready: false,
            blocked: false,
            ending: false,
            closed: false,
            facts: Facts::default(),
        })
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
        let TcpSocket::Connected(socket) = &mut self.socket else {
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
            // TLS's close_notify ends the stream as a FIN does, which may come much later (RFC 8446 §6.1).
            Ok(()) if self.tls.as_ref().is_some_and(Tls::has_ended) => {
                self.ended(events);
                false
            }
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

    /// Hands to the socket what it takes, and no more content of requests to memory than a piece at a time.
    fn write(&mut self) -> Result<(), ConnectionFailure> {
        let TcpSocket::Connected(socket) = &mut self.socket else {
            return Ok(());
        };
        loop {
            if let Some(tls) = &mut self.tls {
                tls.write(&mut self.out);
            }
            let written = match &mut self.tls {
                Some(tls) if tls.wants_write() => tls.write_to(socket),
                None if !self.out.is_empty() => socket.write(&self.out).inspect(|&written| {
                    self.out.drain(..written);
                }),
                _ if self.ready && self.out.is_empty() => {
                    let more = self.spoken.put_more(&mut self.out);
                    if more.map_err(|error| local::unreadable(&error))? {
                        continue;
                    }
                    return Ok(());
                }
                _ => return Ok(()),
            };
            match written {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.blocked = true;
                    return Ok(());
                }
                Err(error) => return Err(failure(&error)),
            }
        }
    }
}

impl Connection for TcpConnection {
    fn descriptor(&self) -> RawFd {
        match &self.socket {
            TcpSocket::Connecting(Some(pending)) => pending.as_raw_fd(),
            TcpSocket::Connecting(None) => -1,
            TcpSocket::Connected(socket) => socket.as_raw_fd(),
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

    fn send(&mut self, ticket: Ticket, request: &Prepared, _: Instant) -> Stream {
        self.spoken.send(ticket, request, &mut self.out)
    }

    fn cancel(&mut self, ticket: Ticket, stream: Stream) {
        self.ending |= !self.spoken.cancel(ticket, stream, &mut self.out);
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
        if let Err(failure) = self.write() {
            // What came before the peer's reset can still be read.
            while self.readable(now, events) {}
            if !self.closed {
                self.lost(failure, events);
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
        let ip_header = match self.endpoint.place {
            Place::Internet(address) if address.is_ipv4() => 20,
            Place::Internet(_) => 40,
            Place::Unix(_) => 0,
        };
        match &self.socket {
            TcpSocket::Connected(socket) => Traffic {
                payload: self.payload(),
                ..traffic(socket, ip_header)
            },
            TcpSocket::Connecting(_) => Traffic::default(),
        }
    }

    fn allowed(&self) -> Option<u64> {
        self.spoken.allowed()
    }

    fn payload(&self) -> u64 {
        self.spoken.payload()
    }

    fn facts(&self) -> Facts {
        self.facts.clone()
    }
}

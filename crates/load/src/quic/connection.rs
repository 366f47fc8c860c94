//! One connection: QUIC's state machine, its socket, and the requests on it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use pronghorn_http::{
    Protocol, QuicCongestionControl, QuicSettings, Settings, TlsFacts, TlsVersion,
};
use pronghorn_http3::message::KnownHeads;
use pronghorn_http3::{Code, Error};
use quinn_proto::{ConnectionHandle, Endpoint, StreamId, VarInt};

use super::client::QuicClient;
use super::control::Control;
use super::exchanges::Exchanges;
use super::socket::Socket;
use super::transfer::Blocked;
use super::{code, failure};
use crate::connection::{
    Connection, ConnectionFailure, ConnectionFailureKind, Ending, Event, Facts, FailureKind,
    Stream, Ticket, Traffic,
};
use crate::local;
use crate::prepared::Prepared;

/// A connection over HTTP/3.
pub(crate) struct QuicConnection {
    pub(super) client: Arc<QuicClient>,
    pub(super) socket: Socket,
    pub(super) endpoint: Endpoint,
    pub(super) handle: ConnectionHandle,
    pub(super) quic: quinn_proto::Connection,
    pub(super) control: Control,
    pub(super) exchanges: Exchanges,
    pub(super) known: Arc<KnownHeads>,
    /// The most streams that the server ever allowed at a time, as far as they are asked for.
    pub(super) allowed: usize,
    /// Streams that were opened for the next requests, in order.
    pub(super) spare: VecDeque<StreamId>,
    pub(super) phase: Phase,
    pub(super) early: Early,
    /// No certificate has come.
    pub(super) resumed: bool,
    /// The cipher suite by its IANA name, once there are keys of it.
    pub(super) cipher: Option<String>,
    pub(super) going_away: bool,
    /// A request was given up, and nothing has come since.
    pub(super) is_forgotten: bool,
    /// Turns of [`QuicConnection::attend`] so far.
    pub(super) turn: u64,
    pub(super) blocked: Option<Blocked>,
    /// Bytes of responses' content that have come.
    pub(super) payload: u64,
    /// Requests that were handed over without room.
    pub(super) turned_away: Vec<Ticket>,
    /// Why a request's content can't be read.
    pub(super) unreadable: Option<io::Error>,
    due: Option<Instant>,
}

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Handshaking,
    Connected,
    /// It was asked to end, and has yet to say so to the server.
    Closing,
    /// [`Event::Closed`] was told.
    Over,
}

/// Where it is with early data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Early {
    /// It has none.
    None,
    /// It can be sent, which has yet to be told.
    Untold,
    Told,
}

impl QuicConnection {
    /// Begins a connection; its first datagrams go with the first flush.
    ///
    /// # Errors
    /// No socket can be had, or the server's name or address is none.
    pub(crate) fn open(
        client: &Arc<QuicClient>,
        now: Instant,
    ) -> Result<QuicConnection, ConnectionFailure> {
        let socket = Socket::open(client.server, &client.knobs)
            .map_err(|error| failure::of_opening(&error))?;
        let mut endpoint = Endpoint::new(client.endpoint.clone(), None, true, None);
        let (handle, mut quic) = endpoint
            .connect(now, client.config.clone(), client.server, &client.name)
            .map_err(|error| {
                ConnectionFailure::new(ConnectionFailureKind::Tls, error.to_string())
            })?;
        let mut control = Control::new();
        let early = if quic.has_0rtt() {
            control.open(&mut quic);
            Early::Untold
        } else {
            Early::None
        };
        let mut connection = QuicConnection {
            client: client.clone(),
            socket,
            endpoint,
            handle,
            quic,
            control,
            exchanges: Exchanges::default(),
            known: client.known.clone(),
            allowed: 0,
            spare: VecDeque::new(),
            phase: Phase::Handshaking,
            early,
            resumed: true,
            cipher: None,
            going_away: false,
            is_forgotten: false,
            turn: 0,
            blocked: None,
            payload: 0,
            turned_away: Vec::new(),
            unreadable: None,
            due: None,
        };
        connection.settle();
        Ok(connection)
    }

    /// Does what follows from whatever happened: streams for the next requests, and the next deadline.
    pub(super) fn settle(&mut self) {
        self.open_spare();
        self.due = match self.phase {
            Phase::Over => None,
            _ => self.quic.poll_timeout(),
        };
    }

    /// Ends the connection for the server's breach of a rule, and tells it which.
    pub(super) fn refuse(&mut self, error: &Error, now: Instant, events: &mut Vec<Event>) {
        let reason = Bytes::from_static(error.reason.as_bytes());
        self.quic.close(now, code(error.code), reason);
        // What the socket thinks of it is of no matter any more.
        let _ = self.try_transmit(now);
        let failure = ConnectionFailure::new(ConnectionFailureKind::Protocol, error.to_string());
        self.end(Ending::Failed(failure), events);
    }

    /// Tells of the end, and first of every request that was in flight.
    pub(super) fn end(&mut self, ending: Ending, events: &mut Vec<Event>) {
        if self.phase == Phase::Over {
            return;
        }
        let detail = match &ending {
            Ending::Failed(failure) => failure.detail.clone(),
            Ending::Local | Ending::Peer | Ending::Idle => "the connection was closed".into(),
        };
        for (_, exchange) in self.exchanges.drain() {
            events.push(Event::Failed {
                ticket: exchange.ticket,
                kind: FailureKind::Connection,
                detail: detail.clone(),
            });
        }
        self.spare.clear();
        self.phase = Phase::Over;
        self.due = None;
        events.push(Event::Closed(ending));
    }

    /// What the handshake settled, but for the key exchange, which nobody tells.
    fn tls_facts(&self) -> TlsFacts {
        TlsFacts {
            alpn: Some(Protocol::H3.to_string()),
            // QUIC version 1 has no other (RFC 9001 §4.2).
            tls_version: Some(TlsVersion::Tls13.to_string()),
            cipher: self.cipher.clone(),
            key_exchange: None,
            resumed: Some(self.resumed),
        }
    }

    fn quic_settings(&self) -> QuicSettings {
        let several = self.socket.segments() > 1;
        QuicSettings::of(&self.quic, &self.client.knobs, self.socket.udp(), several)
    }
}

impl Connection for QuicConnection {
    fn descriptor(&self) -> RawFd {
        self.socket.descriptor()
    }

    fn readable(&mut self, now: Instant, events: &mut Vec<Event>) -> bool {
        let more = self.receive(now, events);
        self.settle();
        more
    }

    fn writable(&mut self, now: Instant, events: &mut Vec<Event>) {
        if self.blocked.is_some() {
            self.flush(now, events);
        }
    }

    fn room(&self) -> usize {
        let ready = match self.phase {
            Phase::Handshaking => self.early == Early::Told,
            Phase::Connected => !self.going_away,
            Phase::Closing | Phase::Over => false,
        };
        if ready { self.spare.len() } else { 0 }
    }

    fn send(&mut self, ticket: Ticket, request: &Prepared, _: Instant) -> Stream {
        self.begin(ticket, request).map_or(Stream::MAX, u64::from)
    }

    fn cancel(&mut self, ticket: Ticket, stream: Stream) {
        match VarInt::from_u64(stream) {
            Ok(id) => self.forget(id.into()),
            Err(_) => self.turned_away.retain(|other| *other != ticket),
        }
    }

    fn flush(&mut self, now: Instant, events: &mut Vec<Event>) {
        if self.phase == Phase::Over {
            return;
        }
        if self.early == Early::Untold && self.phase == Phase::Handshaking {
            self.early = Early::Told;
            events.push(Event::Ready { early: true });
        }
        events.extend(self.turned_away.drain(..).map(Event::Refused));
        if let Some(error) = self.unreadable.take() {
            self.quic
                .close(now, code(Code::RequestCancelled), Bytes::new());
            let _ = self.try_transmit(now);
            return self.end(Ending::Failed(local::unreadable(&error)), events);
        }
        self.transmit(now, events);
        if self.phase == Phase::Closing && self.blocked.is_none() {
            self.end(Ending::Local, events);
        }
        self.settle();
    }

    fn deadline(&self) -> Option<Instant> {
        self.due
    }

    fn expire(&mut self, now: Instant, events: &mut Vec<Event>) {
        if self.phase == Phase::Over {
            return;
        }
        self.quic.handle_timeout(now);
        self.attend(now, events);
        self.settle();
    }

    fn close(&mut self, now: Instant) {
        if matches!(self.phase, Phase::Handshaking | Phase::Connected) {
            self.quic
                .close(now, code(Code::NoError), Bytes::from_static(b""));
            self.phase = Phase::Closing;
        }
    }

    fn traffic(&self) -> Traffic {
        Traffic {
            payload: self.payload,
            ..self.socket.traffic()
        }
    }

    fn allowed(&self) -> Option<u64> {
        // Whether it allows more than are asked for shows nowhere.
        let is_bound = self.phase != Phase::Handshaking && self.allowed < self.client.streams;
        is_bound.then_some(self.allowed as u64)
    }

    fn payload(&self) -> u64 {
        self.payload
    }

    fn facts(&self) -> Facts {
        let congestion_control = QuicCongestionControl::of_controller(self.quic.congestion_state());
        Facts {
            settings: Settings::Quic(self.quic_settings()),
            tcp_congestion_control: None,
            quic_congestion_control: congestion_control,
            tls: Some(self.tls_facts()),
        }
    }
}

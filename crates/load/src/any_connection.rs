//! A connection over whichever transport.

use std::os::fd::RawFd;
use std::time::Instant;

use crate::connection::{Connection, Event, Facts, Stream, Ticket, Traffic};
use crate::prepared::Prepared;
use crate::quic::QuicConnection;
use crate::tcp::TcpConnection;

/// A connection of either transport.
pub(crate) enum AnyConnection {
    Tcp(Box<TcpConnection>),
    Quic(Box<QuicConnection>),
}

macro_rules! either {
    ($self:ident, $connection:ident => $call:expr) => {
        match $self {
            AnyConnection::Tcp($connection) => $call,
            AnyConnection::Quic($connection) => $call,
        }
    };
}

impl Connection for AnyConnection {
    fn descriptor(&self) -> RawFd {
        either!(self, connection => connection.descriptor())
    }

    fn readable(&mut self, now: Instant, events: &mut Vec<Event>) -> bool {
        either!(self, connection => connection.readable(now, events))
    }

    fn writable(&mut self, now: Instant, events: &mut Vec<Event>) {
        either!(self, connection => connection.writable(now, events));
    }

    fn room(&self) -> usize {
        either!(self, connection => connection.room())
    }

    fn send(&mut self, ticket: Ticket, request: &Prepared, now: Instant) -> Stream {
        either!(self, connection => connection.send(ticket, request, now))
    }

    fn cancel(&mut self, ticket: Ticket, stream: Stream) {
        either!(self, connection => connection.cancel(ticket, stream));
    }

    fn flush(&mut self, now: Instant, events: &mut Vec<Event>) {
        either!(self, connection => connection.flush(now, events));
    }

    fn deadline(&self) -> Option<Instant> {
        either!(self, connection => connection.deadline())
    }

    fn expire(&mut self, now: Instant, events: &mut Vec<Event>) {
        either!(self, connection => connection.expire(now, events));
    }

    fn close(&mut self, now: Instant) {
        either!(self, connection => connection.close(now));
    }

    fn traffic(&self) -> Traffic {
        either!(self, connection => connection.traffic())
    }

    fn allowed(&self) -> Option<u64> {
        either!(self, connection => connection.allowed())
    }

    fn payload(&self) -> u64 {
        either!(self, connection => connection.payload())
    }

    fn facts(&self) -> Facts {
        either!(self, connection => connection.facts())
    }
}

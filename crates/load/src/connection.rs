//! What a worker knows of a connection, whatever protocol it speaks.

use std::borrow::Cow;
use std::ops::{AddAssign, Sub};
use std::os::fd::RawFd;
use std::time::Instant;

use pronghorn_http::{QuicCongestionControl, Settings, TlsFacts};
use schemars::JsonSchema;
use serde::Serialize;

use crate::prepared::Prepared;

/// A request in flight: its index at its worker. A connection tells of each ticket that it was given exactly once how it
/// ended (`Done`, `Failed` or `Refused`), unless it was cancelled; afterwards the worker may use the number again.
pub(crate) type Ticket = u32;

/// What a connection calls the stream of a request, so that it is found however many are in flight; HTTP/1.1 has none.
pub(crate) type Stream = u64;

/// What happened on a connection.
#[derive(Debug)]
pub(crate) enum Event {
    /// Requests can be sent; `early`: as early data, before the handshake's end.
    Ready { early: bool },
    /// The handshake is done, and ALPN chose the protocol.
    Connected(Handshake),
    /// A response's head has come. It may be left out where the response's end came with it.
    FirstByte(Ticket),
    /// A response has come whole.
    Done {
        ticket: Ticket,
        status: u16,
        header_bytes: u64,
        /// `grpc-status`; 0 where it succeeded or isn't gRPC's.
        grpc: u32,
        /// Some of the request's content wasn't sent by then.
        early: bool,
    },
    Failed {
        ticket: Ticket,
        kind: FailureKind,
        detail: Detail,
    },
    /// The server hasn't processed the request, so that it may be sent again.
    Refused(Ticket),
    /// The connection takes no further requests; those in flight go on.
    GoingAway,
    /// The connection's last event, after every ticket's.
    Closed(Ending),
}

/// A failure in words.
pub(crate) type Detail = Cow<'static, str>;

/// What a handshake settled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Handshake {
    /// The session of an earlier connection went on.
    pub(crate) resumed: bool,
    /// Early data was sent and the server took it.
    pub(crate) early_data_accepted: bool,
}

/// Why a request that was sent didn't succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize)]
#[schemars(rename = "RequestFailureKind")]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// Its response has a status of 400 or more.
    Status,
    /// Its response has a `grpc-status` other than 0.
    Grpc,
    /// Its head has over 8000 bytes, and the server answered with 400, 414, 431 or 494, or with the end of the stream or of
    /// the connection, before any response.
    Head,
    /// It was answered before its content was sent.
    Early,
    /// Its stream was reset.
    Reset,
    /// The server said six times in a row that it hasn't processed it, and answered nothing else meanwhile.
    Refused,
    /// Its connection was lost.
    Connection,
    /// Its response took longer than `request_timeout_s`.
    Timeout,
    /// Its response ended before all that it announced had come.
    Short,
    /// The server broke the protocol's rules.
    Protocol,
    /// The load ended before its response did.
    Cut,
}

/// Why a connection couldn't be made, or was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionFailureKind {
    /// Nobody listens, or the server closed it unasked within a second of its handshake.
    Refused,
    /// There is no route to the server.
    Unreachable,
    /// The host that loads has no further file, port or memory for it, or doesn't allow it.
    Local,
    /// Its making took too long.
    Timeout,
    /// TLS failed.
    Tls,
    /// The server chose another protocol.
    Alpn,
    /// The peer reset it.
    Reset,
    /// Nothing came for too long.
    Idle,
    /// The server broke the protocol's rules.
    Protocol,
    /// It runs another congestion control than it was asked to.
    CongestionControl,
    /// The load ended before it was made.
    Cut,
}

impl ConnectionFailureKind {
    /// Whether another attempt can only fail likewise: what the two ends are set up with doesn't fit.
    pub(crate) fn is_final(self) -> bool {
        matches!(
            self,
            ConnectionFailureKind::Tls
                | ConnectionFailureKind::Alpn
                | ConnectionFailureKind::CongestionControl
        )
    }
}

/// How a connection came to its end.
#[derive(Debug)]
pub(crate) enum Ending {
    /// By this end, such as to be rid of a request that was cancelled.
    Local,
    /// The peer closed it in good order.
    Peer,
    /// With nothing in flight on it, nothing came for as long as the two ends had agreed on (RFC 9000 §10.1).
    Idle,
    Failed(ConnectionFailure),
}

/// Such a reason, and a sentence.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionFailure {
    pub(crate) kind: ConnectionFailureKind,
    pub(crate) detail: Detail,
}

impl ConnectionFailure {
    pub(crate) fn new(kind: ConnectionFailureKind, detail: impl Into<Detail>) -> Self {
        ConnectionFailure {
            kind,
            detail: detail.into(),
        }
    }
}

/// Bytes since the connection was begun.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    /// Of IP packets, as far as they can be read.
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// As of [`Connection::payload`].
    pub(crate) payload: u64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        self.sent += other.sent;
        self.received += other.received;
        self.payload += other.payload;
    }
}

impl Sub for Traffic {
    type Output = Traffic;

    fn sub(self, earlier: Traffic) -> Traffic {
        Traffic {
            sent: self.sent.saturating_sub(earlier.sent),
            received: self.received.saturating_sub(earlier.received),
            payload: self.payload.saturating_sub(earlier.payload),
        }
    }
}

/// How a connection is set up, read back from it once its handshake is done.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    pub(crate) settings: Settings,
    /// TCP's congestion control by the kernel's name.
    pub(crate) tcp_congestion_control: Option<String>,
    pub(crate) quic_congestion_control: Option<QuicCongestionControl>,
    /// None in the clear.
    pub(crate) tls: Option<TlsFacts>,
}

/// A client's connection over one non-blocking socket. Nothing here waits, and none of it reads a clock.
pub(crate) trait Connection {
    /// The socket, which the worker watches edge-triggered for reading and writing.
    fn descriptor(&self) -> RawFd;
    /// Takes a piece of what has come, at this time. Whether there may be more, of which the kernel doesn't tell again.
    fn readable(&mut self, now: Instant, events: &mut Vec<Event>) -> bool;
    /// Goes on with what the socket didn't take.
    fn writable(&mut self, now: Instant, events: &mut Vec<Event>);
    /// How many further requests it takes now; none before [`Event::Ready`] and after [`Event::GoingAway`].
    fn room(&self) -> usize;
    /// Takes a request, if there is room, for the next [`Connection::flush`]. Its stream, for [`Connection::cancel`].
    fn send(&mut self, ticket: Ticket, request: &Prepared, now: Instant) -> Stream;
    /// Forgets the request on this stream and tells the peer.
    fn cancel(&mut self, ticket: Ticket, stream: Stream);
    /// Hands what waits to the socket.
    fn flush(&mut self, now: Instant, events: &mut Vec<Event>);
    /// When it wants [`Connection::expire`].
    fn deadline(&self) -> Option<Instant>;
    /// A deadline has passed.
    fn expire(&mut self, now: Instant, events: &mut Vec<Event>);
    /// Ends it in good order with the next flush; afterwards it is dropped.
    fn close(&mut self, now: Instant);
    fn traffic(&self) -> Traffic;
    /// How many requests the server allows at a time, as far as it has said so.
    fn allowed(&self) -> Option<u64>;
    /// Bytes of responses' content that have come, of whole responses as of others.
    fn payload(&self) -> u64;
    fn facts(&self) -> Facts;
}

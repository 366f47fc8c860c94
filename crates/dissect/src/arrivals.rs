//! What comes out; its meaning, field by field, is `docs/arrivals.md`'s.

use std::collections::BTreeMap;

use pronghorn_path::Direction;
use serde::Serialize;

use crate::packet::{Fate, Packet};

/// The version of the form.
pub(crate) const VERSION: u32 = 1;

/// What a path saw of a trial, decrypted. Times are seconds since `clock_base_monotonic_s`, in whole microseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrivals {
    /// Of this form.
    pub version: u32,
    /// Seconds of `CLOCK_MONOTONIC` at which all times are 0.
    pub clock_base_monotonic_s: f64,
    /// What the recording lacks; above 0 nothing below is complete.
    pub missing_records: u64,
    /// In the order of their first packets.
    pub connections: Vec<Connection>,
}

/// A connection between two sockets.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Connection {
    /// Its place among all.
    pub index: usize,
    /// `tcp` or `quic`.
    pub transport: &'static str,
    /// The client's first address and port.
    pub client: String,
    /// The server's.
    pub server: String,
    /// `h1`, `h2` or `h3`, where it was found out.
    pub protocol: Option<&'static str>,
    /// Packets (QUIC) or records (TLS) that no secret opened.
    pub undecrypted: u64,
    /// Why streams and pieces are missing or incomplete.
    pub why_not: Option<String>,
    /// Every packet, in the order of sending.
    pub packets: Packets,
    /// What the first packets say.
    pub handshake: Vec<Step>,
    /// Requests in the order of their sending.
    pub streams: Vec<Stream>,
    /// Bytes towards the client as they came, in the order of their arrival.
    pub pieces: Pieces,
    /// What flow control allowed the server, in the order in which it came to know.
    pub limits: Limits,
}

/// Columns of equal lengths.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Packets {
    /// 0 towards the client, 1 from it.
    pub direction: Vec<u8>,
    /// When each entered the link.
    pub sent_s: Vec<f64>,
    /// When it left it delivered.
    pub arrived_s: Vec<Option<f64>>,
    /// Of the IP packet.
    pub bytes: Vec<u32>,
    /// Behind others before the bottleneck.
    pub queued_s: Vec<f64>,
    /// A name of [`Fate`].
    pub fate: Vec<Option<&'static str>>,
    /// What it is to its transport.
    pub kind: Vec<String>,
    /// Whether all that it carries had been sent before.
    pub again: Vec<bool>,
}

/// A packet of the beginning, and what it says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Its place in [`Packets`].
    pub packet: usize,
    /// Messages, or what else it is for.
    pub says: Vec<String>,
}

/// A request and its response.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stream {
    /// The protocol's; of HTTP/1.1 the request's place.
    pub id: i64,
    /// Where it could be decoded.
    pub method: Option<String>,
    /// Likewise.
    pub path: Option<String>,
    /// When its first byte first entered the link.
    pub request_sent_s: Option<f64>,
}

/// Columns of equal lengths.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pieces {
    /// An identifier of [`Stream`], or -1.
    pub stream: Vec<i64>,
    /// In the stream.
    pub offset: Vec<u64>,
    /// In bytes.
    pub length: Vec<u64>,
    /// By which it first arrived.
    pub packet: Vec<usize>,
    /// When.
    pub arrived_s: Vec<f64>,
    /// When transport's order let the application have it; `None`: never.
    pub released_s: Vec<Option<f64>>,
    /// When its own stream's order would have.
    pub own_released_s: Vec<Option<f64>>,
    /// When it first entered the link.
    pub first_sent_s: Vec<f64>,
    /// What became of it then, unless it arrived.
    pub first_fate: Vec<Option<&'static str>>,
}

/// Columns of equal lengths.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Limits {
    /// When the server came to know.
    pub at_s: Vec<f64>,
    /// `connection`, `tcp` or a stream's identifier.
    pub scope: Vec<String>,
    /// Up to which byte it may send.
    pub offset: Vec<u64>,
}

/// A piece before it is told.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) stream: i64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) sent: usize,
    pub(crate) arrived: usize,
    pub(crate) released_ns: Option<u64>,
    pub(crate) own_released_ns: Option<u64>,
}

/// A packet of a connection.
pub(crate) struct Row<'a> {
    pub(crate) packet: Packet<'a>,
    pub(crate) kind: String,
    pub(crate) again: bool,
    /// What it says; empty: nothing that has a name.
    pub(crate) says: Vec<String>,
}

impl<'a> Row<'a> {
    pub(crate) fn new(packet: Packet<'a>, kind: impl Into<String>) -> Row<'a> {
        Row {
            packet,
            kind: kind.into(),
            again: false,
            says: Vec::new(),
        }
    }

    /// Whether it is a copy that the link made.
    pub(crate) fn is_copy(&self) -> bool {
        self.packet.fate == Some(Fate::Duplicate)
    }
}

/// Nanoseconds of `CLOCK_MONOTONIC` as seconds since a base.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis(pub(crate) u64);

impl Axis {
    pub(crate) fn at(self, ns: u64) -> f64 {
        (ns as i64 - self.0 as i64).div_euclid(1000) as f64 / 1e6
    }
}

fn seconds(ns: u64) -> f64 {
    (ns / 1000) as f64 / 1e6
}

/// The most packets of a beginning that are told.
pub(crate) const MOST_STEPS: usize = 200;

/// What a connection's dissection has found.
pub(crate) struct Findings<'a> {
    pub(crate) transport: &'static str,
    pub(crate) client: String,
    pub(crate) server: String,
    pub(crate) protocol: Option<&'static str>,
    pub(crate) undecrypted: u64,
    pub(crate) why_not: Vec<String>,
    pub(crate) rows: Vec<Row<'a>>,
    /// The row that brought the first response's content.
    pub(crate) answered: Option<usize>,
    pub(crate) streams: Vec<Request>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) limits: Vec<Limit>,
}

/// A request before it is told.
pub(crate) struct Request {
    pub(crate) id: i64,
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) sent_ns: Option<u64>,
}

/// What flow control allows from a time on.
pub(crate) struct Limit {
    pub(crate) at_ns: u64,
    pub(crate) scope: Scope,
    pub(crate) offset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Connection,
    Tcp,
    Stream(i64),
}

impl Findings<'_> {
    /// In the form of what is told.
    pub(crate) fn told(mut self, index: usize, axis: Axis) -> Connection {
        let why_not = (!self.why_not.is_empty()).then(|| {
            let mut said = BTreeMap::new();
            for (place, reason) in self.why_not.iter().enumerate() {
                said.entry(reason.as_str()).or_insert(place);
            }
            let mut reasons: Vec<_> = said.into_iter().collect();
            reasons.sort_by_key(|(_, place)| *place);
            reasons
                .into_iter()
                .map(|(reason, _)| reason)
                .collect::<Vec<_>>()
                .join("; ")
        });
        let handshake = self.handshake();
        self.streams
            .sort_by_key(|stream| (stream.sent_ns.unwrap_or(u64::MAX), stream.id));
        let stream = |request: Request| Stream {
            id: request.id,
            method: request.method,
            path: request.path,
            request_sent_s: request.sent_ns.map(|ns| axis.at(ns)),
        };
        Connection {
            index,
            transport: self.transport,
            client: self.client,
            server: self.server,
            protocol: self.protocol,
            undecrypted: self.undecrypted,
            why_not,
            handshake,
            pieces: pieces(self.pieces, &self.rows, axis),
            limits: limits(self.limits, axis),
            streams: self.streams.into_iter().map(stream).collect(),
            packets: packets(&self.rows, axis),
        }
    }

    fn handshake(&self) -> Vec<Step> {
        let last = self.answered.unwrap_or(self.rows.len());
        let beginning = self
            .rows
            .iter()
            .enumerate()
            .take(MOST_STEPS)
            .take_while(|(at, _)| *at <= last);
        let step = |(packet, row): (usize, &Row<'_>)| Step {
            packet,
            says: row.says.clone(),
        };
        beginning.map(step).collect()
    }
}

fn packets(rows: &[Row<'_>], axis: Axis) -> Packets {
    let mut told = Packets::default();
    for row in rows {
        let packet = &row.packet;
        told.direction
            .push(u8::from(packet.direction == Direction::Up));
        told.sent_s.push(axis.at(packet.sent_ns));
        told.arrived_s.push(packet.arrived_ns.map(|ns| axis.at(ns)));
        told.bytes.push(packet.bytes.len() as u32);
        told.queued_s.push(seconds(packet.queued_ns));
        told.fate.push(packet.fate.map(Fate::name));
        told.kind.push(row.kind.clone());
        told.again.push(row.again);
    }
    told
}

fn pieces(mut pieces: Vec<Piece>, rows: &[Row<'_>], axis: Axis) -> Pieces {
    let arrived_ns = |piece: &Piece| rows[piece.arrived].packet.arrived_ns.unwrap_or(0);
    pieces.sort_by_key(|piece| (arrived_ns(piece), piece.arrived));
    let mut told = Pieces::default();
    for piece in pieces {
        let first = &rows[piece.sent].packet;
        told.arrived_s.push(axis.at(arrived_ns(&piece)));
        told.stream.push(piece.stream);
        told.offset.push(piece.offset);
        told.length.push(piece.length);
        told.packet.push(piece.arrived);
        told.released_s
            .push(piece.released_ns.map(|ns| axis.at(ns)));
        told.own_released_s
            .push(piece.own_released_ns.map(|ns| axis.at(ns)));
        told.first_sent_s.push(axis.at(first.sent_ns));
        let came = &rows[piece.arrived];
        // The link's copy of a packet is the same transmission.
        let arrived =
            first.arrived_ns.is_some() || came.is_copy() && came.packet.bytes == first.bytes;
        let fate = first.fate.unwrap_or(Fate::NotDelivered).name();
        told.first_fate.push((!arrived).then_some(fate));
    }
    told
}

/// Each scope's only where they rise.
fn limits(mut limits: Vec<Limit>, axis: Axis) -> Limits {
    limits.sort_by_key(|limit| limit.at_ns);
    let mut highest = BTreeMap::new();
    let mut told = Limits::default();
    for limit in limits {
        let known = highest.entry(limit.scope).or_insert(None);
        if known.is_some_and(|known| known >= limit.offset) {
            continue;
        }
        *known = Some(limit.offset);
        told.at_s.push(axis.at(limit.at_ns));
        told.scope.push(match limit.scope {
            Scope::Connection => "connection".into(),
            Scope::Tcp => "tcp".into(),
            Scope::Stream(id) => id.to_string(),
        });
        told.offset.push(limit.offset);
    }
    told
}

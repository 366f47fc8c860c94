//! One TCP connection: its segments in order, what TLS and HTTP make of their bytes.
//!
//! | question | file |
//! |---|---|
//! | which bytes did a segment carry, and for the first time? | `end.rs` |
//! | whose are the bytes that arrived, and when were they released? | `pieces.rs` |

mod end;
mod pieces;

use std::net::SocketAddr;
use std::ops::Range;

use pronghorn_path::Direction;

use crate::arrivals::{Findings, Limit, MOST_STEPS, Request, Row, Scope};
use crate::http::{self, Exchanges};
use crate::key_log::KeyLog;
use crate::ledger::Releases;
use crate::packet::Packet;
use crate::tls::{self, Layer};
use crate::wire::{Segment, flag};
use end::End;

/// A connection so far.
pub(crate) struct Tcp<'a> {
    client: SocketAddr,
    server: SocketAddr,
    rows: Vec<Row<'a>>,
    /// Of each row, which bytes of its direction's stream it carries.
    carried: Vec<Range<u64>>,
    up: End<'a>,
    down: End<'a>,
    limits: Vec<Limit>,
}

impl<'a> Tcp<'a> {
    pub(crate) fn new(client: SocketAddr, server: SocketAddr) -> Tcp<'a> {
        Tcp {
            client,
            server,
            rows: Vec::new(),
            carried: Vec::new(),
            up: End::default(),
            down: End::default(),
            limits: Vec::new(),
        }
    }

    /// Whether a segment from the client begins another connection between the same sockets: of this one there is
    /// something that can't be the new one's.
    pub(crate) fn is_over_with(&self, segment: &Segment<'_>) -> bool {
        segment.has(flag::SYN)
            && (self.up.began_otherwise(segment.sequence) || self.down.began_before)
    }

    /// Takes a segment, in the order of sending.
    pub(crate) fn take(&mut self, packet: Packet<'a>, segment: &Segment<'a>) {
        let row_at = self.rows.len();
        let mut row = Row::new(packet, kind(segment));
        let (end, other) = match packet.direction {
            Direction::Up => (&mut self.up, &self.down),
            Direction::Down => (&mut self.down, &self.up),
        };
        // Until it has answered the SYN, all that comes of the other end is of before, or a refusal.
        let is_of_it = end.has_begun() || segment.has(flag::SYN) || !other.syn;
        let (range, news) = if is_of_it {
            end.take(row_at, packet.arrived_ns, segment)
        } else {
            (0..0, false)
        };
        let said_something = !range.is_empty() || segment.flags & (flag::SYN | flag::FIN) != 0;
        row.again = said_something && !news && !row.is_copy();
        if range.is_empty() {
            row.says.push(row.kind.clone());
        }
        if let (Direction::Up, Some(at_ns)) = (packet.direction, packet.arrived_ns) {
            let edge = end
                .window_of(segment, other)
                .zip(other.place_acknowledged(segment));
            let limit = edge.map(|(window, acknowledged)| acknowledged + window);
            self.limits.extend(limit.map(|offset| Limit {
                at_ns,
                scope: Scope::Tcp,
                offset,
            }));
        }
        self.rows.push(row);
        self.carried.push(range);
    }

    /// What all of it says.
    pub(crate) fn findings(mut self, key_log: &KeyLog) -> Findings<'a> {
        let mut why_not = Vec::new();
        let (up, down) = (self.up.content(), self.down.content());
        let gaps = [(&self.up, &up), (&self.down, &down)];
        if gaps
            .iter()
            .any(|(end, content)| (content.len() as u64) < end.way.sent.end())
        {
            why_not.push(
                "bytes are missing from the recording, and what is behind them isn't read"
                    .to_owned(),
            );
        }
        let (mut protocol, mut undecrypted) = (None, 0);
        let (mut session, mut exchanges) = (None, Exchanges::default());
        if self.up.began_before || self.down.began_before {
            why_not.push("it began before the recording did".to_owned());
        } else {
            let opened = tls::session::open(&up, &down, key_log);
            undecrypted = opened.up.undecrypted + opened.down.undecrypted;
            why_not.extend(opened.why_not.clone());
            (protocol, exchanges) =
                http::read(opened.alpn.as_deref(), &opened.up.bytes, &opened.down.bytes);
            session = Some((opened.up, opened.down));
        }
        if undecrypted > 0 && why_not.is_empty() {
            why_not.push(format!("no secret opened {undecrypted} records"));
        }
        why_not.extend(exchanges.why_not.take());
        let parts = self.down.way.parts();
        let mut owned = Vec::new();
        let (mut answered, mut streams) = (None, Vec::new());
        if let Some((up, down)) = &session {
            owned = pieces::below(&exchanges.owned, down);
            let first = exchanges.first_content.and_then(|at| down.below(at));
            answered = first.and_then(|at| Releases(&parts).row(at));
            self.say(up, down, &exchanges);
            self.allow(up, &exchanges);
            streams = self.requests(up, exchanges.requests);
        }
        Findings {
            transport: "tcp",
            client: self.client.to_string(),
            server: self.server.to_string(),
            protocol,
            undecrypted,
            why_not,
            pieces: pieces::pieces(&parts, &owned, &self.rows),
            rows: self.rows,
            answered,
            streams,
            limits: self.limits,
        }
    }

    fn requests(&self, up: &Layer, requests: Vec<http::RequestAt>) -> Vec<Request> {
        let sent_ns = |at: u64| {
            let row = self.up.way.sent.of(up.below(at)?)?;
            Some(self.rows[row].packet.sent_ns)
        };
        let request = |request: http::RequestAt| Request {
            sent_ns: sent_ns(request.at),
            id: request.id,
            method: request.method,
            path: request.path,
        };
        requests.into_iter().map(request).collect()
    }

    /// Notes the windows of HTTP/2 at the times at which the server could read of them.
    fn allow(&mut self, up: &Layer, exchanges: &Exchanges) {
        let parts = self.up.way.parts();
        for limit in &exchanges.limits {
            let released = up.below(limit.at).and_then(|at| Releases(&parts).of(at));
            self.limits.extend(released.map(|at_ns| Limit {
                at_ns,
                scope: limit.scope,
                offset: limit.offset,
            }));
        }
    }

    /// Notes in each row of the beginning what its bytes say.
    fn say(&mut self, up: &Layer, down: &Layer, exchanges: &Exchanges) {
        let first = exchanges
            .first_content
            .map(|at| (at, "first byte of the response"));
        for (direction, layer, marks) in [
            (Direction::Up, up, &exchanges.marks[1]),
            (Direction::Down, down, &exchanges.marks[0]),
        ] {
            let mut said: Vec<(Range<u64>, &str)> = layer
                .messages
                .iter()
                .map(|message| (message.below.clone(), message.name))
                .collect();
            let first = first.filter(|_| direction == Direction::Down);
            let places = marks.iter().copied().chain(first);
            said.extend(
                places
                    .filter_map(|(at, name)| layer.below(at).map(|below| (below..below + 1, name))),
            );
            let beginning = self.rows.iter_mut().take(MOST_STEPS);
            for (row, range) in beginning.zip(&self.carried) {
                if row.packet.direction != direction || range.is_empty() {
                    continue;
                }
                let of_row = said
                    .iter()
                    .filter(|(of, _)| of.start < range.end && range.start < of.end);
                row.says.extend(of_row.map(|(of, name)| {
                    let goes_on = if of.start < range.start {
                        ", continued"
                    } else {
                        ""
                    };
                    format!("{name}{goes_on}")
                }));
            }
        }
    }
}

fn kind(segment: &Segment<'_>) -> &'static str {
    match segment.flags {
        flags if flags & flag::RST != 0 => "RST",
        flags if flags & flag::SYN != 0 && flags & flag::ACK != 0 => "SYN ACK",
        flags if flags & flag::SYN != 0 => "SYN",
        _ if !segment.payload.is_empty() => "data",
        flags if flags & flag::FIN != 0 => "FIN",
        _ => "ACK",
    }
}

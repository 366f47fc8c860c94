//! What all packets of a QUIC connection say.

use super::end::{Flow, Space};
use super::{Carried, Quic};
use crate::arrivals::{Findings, Limit, MOST_STEPS, Piece, Request, Scope};
use crate::http::{h3, qpack};
use crate::ledger::Releases;
use crate::tls::messages::{self, transport_parameter};

/// Places of the two ends.
const CLIENT: usize = 0;
const SERVER: usize = 1;

/// The stream of what belongs to no request.
const NOBODY: i64 = -1;

/// Transport parameters (RFC 9000 §18.2) by which a client bounds what it is sent.
const INITIAL_MAX_DATA: u64 = 0x04;
const INITIAL_MAX_STREAM_DATA_BIDI_LOCAL: u64 = 0x05;

/// Whether a stream carries a request: the client began it, and both ends send (RFC 9000 §2.1).
fn is_request(id: u64) -> bool {
    id % 4 == 0
}

impl<'a> Quic<'a> {
    pub(crate) fn findings(mut self) -> Findings<'a> {
        let alpn = self
            .extensions
            .as_ref()
            .and_then(|told| told.alpn.as_deref());
        let protocol = (alpn == Some(b"h3")).then_some("h3");
        if self.undecrypted > 0 && self.why_not.is_empty() {
            self.why_not
                .push(format!("no secret opened {} packets", self.undecrypted));
        }
        let streams = if protocol.is_some() {
            self.requests()
        } else {
            Vec::new()
        };
        let (pieces, first) = self.pieces();
        self.name_messages();
        if let Some((id, at, _)) = first {
            let carries = |one: &&Carried| {
                one.side == SERVER && one.flow == Flow::Stream(id) && one.range.contains(&at)
            };
            for one in self.carried.iter().filter(carries) {
                self.rows[one.row]
                    .says
                    .push("first byte of the response".into());
            }
        }
        let limits = self.limits();
        Findings {
            transport: "quic",
            client: self.client.to_string(),
            server: self.server.to_string(),
            protocol,
            undecrypted: self.undecrypted,
            why_not: self.why_not,
            rows: self.rows,
            answered: first.map(|(_, _, row)| row),
            streams,
            pieces,
            limits,
        }
    }

    fn requests(&mut self) -> Vec<Request> {
        let uni = |side: usize| {
            let end = &self.ends[side];
            let ids = end.ways.keys().filter_map(|flow| match flow {
                Flow::Stream(id) if id % 4 == if side == CLIENT { 2 } else { 3 } => Some(*flow),
                _ => None,
            });
            ids.map(|flow| (flow, end.beginning(flow)))
                .collect::<Vec<_>>()
        };
        let capacity = uni(SERVER)
            .into_iter()
            .find_map(|(_, bytes)| h3::control(bytes));
        let encoder = uni(CLIENT)
            .into_iter()
            .find_map(|(flow, bytes)| Some((flow, h3::encoder(bytes)?)));
        let (instructions, before) = encoder.map_or((&[][..], 0), |(_, found)| found);
        let table = qpack::Table::read(instructions, capacity.map_or(0, h3::table_capacity));
        let client = &self.ends[CLIENT];
        let encoder = encoder.and_then(|(flow, _)| client.ways.get(&flow));
        let (mut requests, mut broken) = (Vec::new(), false);
        for (flow, way) in &client.ways {
            let Flow::Stream(id) = *flow else { continue };
            if !is_request(id) {
                continue;
            }
            let sent_by = |byte: u64| {
                let row = way.sent.of(byte).unwrap_or(usize::MAX);
                encoder.map_or(0, |encoder| encoder.sent.had_by(row).saturating_sub(before))
            };
            let asked = h3::asked(client.beginning(*flow), &table, sent_by);
            broken |= matches!(asked, Some(Err(())));
            let asked = asked.and_then(Result::ok).unwrap_or_default();
            requests.push(Request {
                id: id as i64,
                method: asked.method,
                path: asked.path,
                sent_ns: way.sent.of(0).map(|row| self.rows[row].packet.sent_ns),
            });
        }
        if broken {
            self.why_not
                .push("a field section of the client can't be decompressed".into());
        }
        requests
    }

    /// What arrived at the client; and of the response content that came first its stream, its place, and its row.
    fn pieces(&self) -> (Vec<Piece>, Option<(u64, u64, usize)>) {
        let mut pieces = Vec::new();
        let mut first = None;
        for (flow, way) in &self.ends[SERVER].ways {
            let parts = way.parts();
            let request = match flow {
                Flow::Stream(id) if is_request(*id) => Some(*id),
                _ => None,
            };
            if let Some(id) = request {
                let content = h3::first_content(self.ends[SERVER].beginning(*flow));
                let found = content.and_then(|at| Some((id, at, Releases(&parts).row(at)?)));
                let arrived = |row: usize| self.rows[row].packet.arrived_ns;
                first = [first, found]
                    .into_iter()
                    .flatten()
                    .min_by_key(|(_, _, row)| arrived(*row));
            }
            pieces.extend(parts.into_iter().map(|part| Piece {
                stream: request.map_or(NOBODY, |id| id as i64),
                offset: part.range.start,
                length: part.range.end - part.range.start,
                sent: part.sent,
                arrived: part.arrived,
                released_ns: part.released_ns,
                own_released_ns: part.released_ns,
            }));
        }
        (pieces, first)
    }

    /// Names in each row of the beginning the handshake messages that it carries, before what else it says.
    fn name_messages(&mut self) {
        for space in [Space::Application, Space::Handshake, Space::Initial] {
            for side in [CLIENT, SERVER] {
                for (kind, _, place) in self.ends[side].messages(space).into_iter().rev() {
                    let of = |one: &&Carried| {
                        let overlaps = one.range.start < place.end && place.start < one.range.end;
                        one.side == side && one.flow == Flow::Crypto(space) && overlaps
                    };
                    let mut named = Vec::new();
                    let beginning = self.carried.iter().take_while(|one| one.row < MOST_STEPS);
                    for one in beginning.filter(of) {
                        let begins = one.range.contains(&place.start);
                        match named.iter_mut().find(|(row, _)| *row == one.row) {
                            Some((_, known)) => *known |= begins,
                            None => named.push((one.row, begins)),
                        }
                    }
                    for (row, begins) in named {
                        let goes_on = if begins { "" } else { ", continued" };
                        let says = &mut self.rows[row].says;
                        says.retain(|said| said != "ACK");
                        says.insert(0, format!("{}{goes_on}", messages::name(kind)));
                    }
                }
            }
        }
    }

    /// The limits of the client's first flight and those of its frames, in the unit of pieces: the connection's count only
    /// the streams of requests, of which the server's own take their part.
    fn limits(&mut self) -> Vec<Limit> {
        let mut limits = std::mem::take(&mut self.limits);
        let client = &self.ends[CLIENT];
        let hello = client.messages(Space::Initial).into_iter().next();
        let parts = client
            .ways
            .get(&Flow::Crypto(Space::Initial))
            .map(|way| way.parts())
            .unwrap_or_default();
        let heard = hello.and_then(|(_, _, place)| Releases(&parts).of(place.end - 1));
        let parameters = self
            .hello
            .as_ref()
            .and_then(|hello| hello.transport_parameters.as_deref());
        if let (Some(at_ns), Some(parameters)) = (heard, parameters) {
            let of = |identifier| {
                let value = transport_parameter(parameters, identifier);
                value
                    .and_then(|value| crate::reader::Reader(value).varint())
                    .unwrap_or(0)
            };
            limits.push(Limit {
                at_ns,
                scope: Scope::Connection,
                offset: of(INITIAL_MAX_DATA),
            });
            let each = of(INITIAL_MAX_STREAM_DATA_BIDI_LOCAL);
            for flow in client.ways.keys() {
                if let Flow::Stream(id) = flow {
                    if is_request(*id) {
                        limits.push(Limit {
                            at_ns,
                            scope: Scope::Stream(*id as i64),
                            offset: each,
                        });
                    }
                }
            }
        }
        let own: u64 = self.ends[SERVER]
            .ways
            .iter()
            .filter(|(flow, _)| matches!(flow, Flow::Stream(id) if !is_request(*id)))
            .map(|(_, way)| way.sent.end())
            .sum();
        for limit in &mut limits {
            if limit.scope == Scope::Connection {
                limit.offset = limit.offset.saturating_sub(own);
            }
        }
        limits
    }
}

//! One QUIC connection: its packets opened in the order of sending, the streams in them.
//!
//! | question | file |
//! |---|---|
//! | where does a packet begin and end | `header.rs` |
//! | what opens it | `keys.rs` |
//! | what is in it | `frames.rs` |
//! | what has one end sent so far | `end.rs` |
//! | what does all of it say | `findings.rs` |

mod assembly;
mod end;
mod findings;
mod frames;
mod header;
mod keys;

use std::net::SocketAddr;
use std::ops::Range;

use pronghorn_path::Direction;

use crate::arrivals::{Limit, Row, Scope};
use crate::key_log::{KeyLog, Label, Random};
use crate::packet::Packet;
use crate::suite::Suite;
use crate::tls::messages::{ClientHello, EncryptedExtensions, ServerHello, kind};
use end::{End, Flow, Space};
use frames::Frame;
use header::{Header, Long, LongKind};
use keys::Keys;

/// The port of names, which no QUIC is looked for on.
pub(crate) const DNS: u16 = 53;

/// How many Retries are remembered; a server sends one for each first packet of the client.
const MOST_RETRIES: usize = 16;

/// A connection so far.
pub(crate) struct Quic<'a> {
    client: SocketAddr,
    server: SocketAddr,
    rows: Vec<Row<'a>>,
    /// The client's end and the server's.
    ends: [End; 2],
    /// The destination of the client's first packet.
    original: Vec<u8>,
    /// What Retries would have in its place; which of them the client heeds, its next Initial packet tells.
    retries: Vec<Vec<u8>>,
    /// What each row carries of which flow, in the order of rows.
    carried: Vec<Carried>,
    random: Option<Random>,
    suite: Option<Suite>,
    hello: Option<ClientHello>,
    extensions: Option<EncryptedExtensions>,
    /// The server took no early data: the client says all of it again.
    early_refused: bool,
    limits: Vec<Limit>,
    undecrypted: u64,
    why_not: Vec<String>,
}

/// Bytes of a flow within a packet.
#[derive(Clone, Debug)]
struct Carried {
    row: usize,
    side: usize,
    flow: Flow,
    range: Range<u64>,
}

/// What has been read of a datagram so far.
#[derive(Default)]
struct Reading {
    kinds: Vec<&'static str>,
    says: Vec<String>,
    /// The packet at hand is a 0-RTT packet.
    early: bool,
    carries: bool,
    news: bool,
    acknowledges: bool,
}

impl<'a> Quic<'a> {
    /// A connection that the datagram begins, where there is one; `client` is the address of its client.
    pub(crate) fn begin(
        client: SocketAddr,
        server: SocketAddr,
        direction: Direction,
        datagram: &[u8],
    ) -> Option<Quic<'a>> {
        let mut quic = Quic {
            client,
            server,
            rows: Vec::new(),
            ends: [End::default(), End::default()],
            original: Vec::new(),
            retries: Vec::new(),
            carried: Vec::new(),
            random: None,
            suite: None,
            hello: None,
            extensions: None,
            early_refused: false,
            limits: Vec::new(),
            undecrypted: 0,
            why_not: Vec::new(),
        };
        match (header::read(datagram)?, direction) {
            (Header::Long(long), Direction::Up) if long.kind == LongKind::Initial => {
                quic.original = long.destination.to_vec();
                quic.set_initial(long.destination);
            }
            (Header::Foreign(version), _) => {
                quic.why_not.push(format!(
                    "QUIC's version {version:#010x} is none that is read here"
                ));
            }
            _ if header::is_fixed(datagram) => quic
                .why_not
                .push("it began before the recording did".into()),
            _ => return None,
        }
        Some(quic)
    }

    /// Whether a datagram from a client that is known, or isn't, belongs to this connection by its connection ID.
    pub(crate) fn is_meant(&self, direction: Direction, datagram: &[u8]) -> bool {
        let ids = &self.ends[1 - side(direction)].ids;
        match header::read(datagram) {
            Some(Header::Long(long)) => {
                let destination = long.destination;
                !destination.is_empty()
                    && (direction == Direction::Up && destination == self.original
                        || ids.iter().any(|id| id == destination))
            }
            Some(Header::Short) => ids
                .iter()
                .any(|id| !id.is_empty() && datagram[1..].starts_with(id)),
            _ => false,
        }
    }

    /// Whether a datagram between the same sockets begins another connection.
    pub(crate) fn is_over_with(&self, direction: Direction, datagram: &[u8]) -> bool {
        let begins = matches!(header::read(datagram), Some(Header::Long(long)) if long.kind == LongKind::Initial);
        direction == Direction::Up && begins && !self.is_meant(direction, datagram)
    }

    /// Takes a datagram, in the order of sending.
    pub(crate) fn take(&mut self, packet: Packet<'a>, datagram: &[u8], key_log: &KeyLog) {
        let at = self.rows.len();
        let mut row = Row::new(packet, "");
        if row.is_copy() {
            self.take_copy(row, at);
            return;
        }
        let mut reading = Reading::default();
        let mut rest = datagram;
        while let Some(header) = header::read(rest) {
            let length = match header {
                Header::Long(long) => long.length,
                _ => rest.len(),
            };
            self.packet(&packet, at, &rest[..length], header, key_log, &mut reading);
            rest = &rest[length..];
        }
        if reading.says.is_empty() && reading.acknowledges {
            reading.says.push("ACK".into());
        }
        row.kind = reading.kinds.join("+");
        row.again = reading.carries && !reading.news;
        row.says = reading.says;
        self.rows.push(row);
    }

    /// The link's copy of the last row's packet from the same end carries what that carried.
    fn take_copy(&mut self, mut row: Row<'a>, at: usize) {
        let direction = row.packet.direction;
        let original = self.rows.iter().rposition(|known| {
            known.packet.direction == direction
                && !known.is_copy()
                && known.packet.bytes == row.packet.bytes
        });
        if let Some(original) = original {
            row.kind.clone_from(&self.rows[original].kind);
            row.says.clone_from(&self.rows[original].says);
            let first = self.carried.partition_point(|one| one.row < original);
            let of_original = self.carried[first..]
                .iter()
                .take_while(|one| one.row == original);
            let carried: Vec<Carried> = of_original.cloned().collect();
            for one in carried {
                self.ends[one.side].way(one.flow).carry(
                    one.range.clone(),
                    at,
                    row.packet.arrived_ns,
                );
                self.carried.push(Carried { row: at, ..one });
            }
        }
        self.rows.push(row);
    }

    fn packet(
        &mut self,
        packet: &Packet<'_>,
        row: usize,
        bytes: &[u8],
        header: Header<'_>,
        key_log: &KeyLog,
        reading: &mut Reading,
    ) {
        let side = side(packet.direction);
        let long = match header {
            Header::Long(long) => long,
            Header::VersionNegotiation => return reading.kind("Version Negotiation"),
            Header::Foreign(_) => return reading.kind("foreign version"),
            Header::Short => {
                let opened = self.ends[side].open_short(bytes, &self.ends_ids(1 - side));
                let Some((space, plain)) = opened else {
                    if self.ends[side].is_reset(bytes) {
                        return reading.kind("stateless reset");
                    }
                    self.undecrypted += 1;
                    return reading.kind("1-RTT");
                };
                reading.kind("1-RTT");
                return self.frames(packet, row, space, &plain, key_log, reading);
            }
        };
        reading.kind(long.kind.name());
        self.ends[side].note_id(long.source);
        let space = match long.kind {
            LongKind::Retry => {
                reading.says.push("Retry".into());
                if self.retries.len() < MOST_RETRIES {
                    self.retries.push(long.source.to_vec());
                }
                return;
            }
            LongKind::Initial => Space::Initial,
            LongKind::Handshake => Space::Handshake,
            LongKind::ZeroRtt => Space::Application,
        };
        match self.open_long(side, bytes, long, space, key_log) {
            Some(plain) => {
                reading.early = long.kind == LongKind::ZeroRtt;
                self.frames(packet, row, space, &plain, key_log, reading);
                reading.early = false;
            }
            None => self.undecrypted += 1,
        }
    }

    fn ends_ids(&self, side: usize) -> Vec<Vec<u8>> {
        self.ends[side].ids.clone()
    }

    fn open_long(
        &mut self,
        side: usize,
        bytes: &[u8],
        long: Long<'_>,
        space: Space,
        key_log: &KeyLog,
    ) -> Option<Vec<u8>> {
        if long.kind == LongKind::Initial {
            return self.open_initial(side, bytes, long.number_at);
        }
        if long.kind == LongKind::Handshake {
            return self.ends[side].open(space, bytes, long.number_at);
        }
        if self.ends[side].early.is_empty() {
            let secret = key_log.get(self.random.as_ref()?, Label::ClientEarly)?;
            let keys = Suite::TLS_1_3
                .iter()
                .filter_map(|suite| Keys::new(*suite, secret));
            self.ends[side].early = keys.collect();
        }
        self.ends[side].open_early(bytes, long.number_at)
    }

    /// With the keys at hand, or else those of a Retry (RFC 9001 §5.2), which hold from then on where they open it. A
    /// client that got no Retry goes on as it began, and of several it heeds the first that it got (RFC 9000 §17.2.5).
    fn open_initial(&mut self, side: usize, bytes: &[u8], number_at: usize) -> Option<Vec<u8>> {
        if let Some(plain) = self.ends[side].open(Space::Initial, bytes, number_at) {
            return Some(plain);
        }
        let begun = [&self.original];
        let candidates: Vec<Vec<u8>> = begun
            .into_iter()
            .chain(&self.retries)
            .filter(|_| !self.retries.is_empty())
            .cloned()
            .collect();
        for candidate in candidates {
            self.set_initial(&candidate);
            let plain = self.ends[side].open(Space::Initial, bytes, number_at);
            if plain.is_some() {
                return plain;
            }
        }
        None
    }

    /// The keys of Initial packets, by the destination of the client's first, or what a Retry puts in its place.
    fn set_initial(&mut self, destination: &[u8]) {
        if let Some([client, server]) = Keys::initial(destination) {
            self.ends[0].set(Space::Initial, client);
            self.ends[1].set(Space::Initial, server);
        }
    }

    fn frames(
        &mut self,
        packet: &Packet<'_>,
        row: usize,
        space: Space,
        plain: &[u8],
        key_log: &KeyLog,
        reading: &mut Reading,
    ) {
        let side = side(packet.direction);
        let (frames, unknown) = frames::read(plain);
        if unknown {
            self.why_not.push(
                "a packet has a frame that isn't known, and what is behind it isn't read".into(),
            );
        }
        for frame in frames {
            match frame {
                Frame::Ack => reading.acknowledges = true,
                Frame::Crypto { offset, bytes } => {
                    self.carry(packet, row, Flow::Crypto(space), offset, bytes, reading);
                    self.learn(side, space, key_log);
                }
                Frame::Stream { id, offset, bytes } => {
                    if packet.direction == Direction::Up
                        && offset == 0
                        && id % 4 == 0
                        && !bytes.is_empty()
                    {
                        reading.says.push("request".into());
                    }
                    if !(reading.early && self.early_refused) {
                        self.carry(packet, row, Flow::Stream(id), offset, bytes, reading);
                    }
                }
                Frame::MaxData(limit) => self.limit(packet, Scope::Connection, limit),
                Frame::MaxStreamData { id, limit } if id % 4 == 0 => {
                    self.limit(packet, Scope::Stream(id as i64), limit);
                }
                Frame::NewConnectionId { id, reset_token } => {
                    self.ends[side].note_id(id);
                    self.ends[side].reset_tokens.push(reset_token);
                }
                Frame::Named(name) => reading.says.push(name.into()),
                Frame::MaxStreamData { .. } | Frame::Padding => {}
            }
        }
    }

    fn carry(
        &mut self,
        packet: &Packet<'_>,
        row: usize,
        flow: Flow,
        offset: u64,
        bytes: &[u8],
        reading: &mut Reading,
    ) {
        let side = side(packet.direction);
        // RFC 9000 §4.5, §7.5: no stream is longer than 2^62 - 1 bytes.
        let Some(end) = offset
            .checked_add(bytes.len() as u64)
            .filter(|end| *end < 1 << 62)
        else {
            return;
        };
        self.ends[side].assembly(flow, side).add(offset, bytes);
        if bytes.is_empty() {
            return;
        }
        let won = self.ends[side]
            .way(flow)
            .carry(offset..end, row, packet.arrived_ns);
        reading.carries = true;
        reading.news |= !won.is_empty();
        self.carried.push(Carried {
            row,
            side,
            flow,
            range: offset..end,
        });
    }

    fn limit(&mut self, packet: &Packet<'_>, scope: Scope, offset: u64) {
        if let (Direction::Up, Some(at_ns)) = (packet.direction, packet.arrived_ns) {
            self.limits.push(Limit {
                at_ns,
                scope,
                offset,
            });
        }
    }

    /// Derives keys as soon as the hellos allow it, and heeds the server's extensions.
    fn learn(&mut self, from: usize, space: Space, key_log: &KeyLog) {
        match (from, space) {
            (0, Space::Initial) if self.hello.is_none() => {
                let body = self.ends[0].message(space, kind::CLIENT_HELLO);
                self.hello = body.and_then(|body| ClientHello::read(&body));
                self.random = self.hello.as_ref().map(|hello| hello.random);
            }
            (1, Space::Initial) if self.suite.is_none() => self.agree(key_log),
            (1, Space::Handshake) if self.extensions.is_none() => {
                let body = self.ends[1].message(space, kind::ENCRYPTED_EXTENSIONS);
                self.extensions = body.map(|body| EncryptedExtensions::read(&body));
                let parameters = self
                    .extensions
                    .as_ref()
                    .and_then(|told| told.transport_parameters.as_deref());
                self.ends[1].note_parameters(parameters.unwrap_or(&[]));
                let taken = self.extensions.as_ref().map(|told| told.takes_early_data);
                if taken == Some(false) {
                    self.refuse_early();
                }
            }
            _ => {}
        }
    }

    /// Forgets the streams of 0-RTT packets, which the client begins anew (RFC 9001 §4.6.2). Before the server's
    /// extensions it could send on streams in no other.
    fn refuse_early(&mut self) {
        self.early_refused = true;
        self.ends[0].forget_streams();
        self.carried
            .retain(|one| one.side != 0 || matches!(one.flow, Flow::Crypto(_)));
    }

    fn agree(&mut self, key_log: &KeyLog) {
        let hellos = self.ends[1].messages(Space::Initial);
        let mut hellos = hellos
            .iter()
            .filter(|(found, _, _)| *found == kind::SERVER_HELLO);
        let hello = hellos
            .find_map(|(_, body, _)| ServerHello::read(body).filter(|hello| !hello.asks_again));
        let (Some(hello), Some(random)) = (hello, self.random) else {
            return;
        };
        let Some(suite) = Suite::of(hello.suite) else {
            self.why_not.push(format!(
                "the cipher suite {:#06x} is none that is opened here",
                hello.suite
            ));
            return;
        };
        self.suite = Some(suite);
        if !key_log.knows(&random) {
            self.why_not.push("the key log has no secret of it".into());
        }
        for (side, handshake, application) in [
            (0, Label::ClientHandshake, Label::Client),
            (1, Label::ServerHandshake, Label::Server),
        ] {
            for (space, label) in [
                (Space::Handshake, handshake),
                (Space::Application, application),
            ] {
                let keys = key_log
                    .get(&random, label)
                    .and_then(|secret| Keys::new(suite, secret));
                if let Some(keys) = keys {
                    self.ends[side].set(space, keys);
                }
            }
        }
    }
}

impl Reading {
    fn kind(&mut self, name: &'static str) {
        if self.kinds.last() != Some(&name) {
            self.kinds.push(name);
        }
    }
}

/// The place of a direction's sender among the ends.
fn side(direction: Direction) -> usize {
    match direction {
        Direction::Up => 0,
        Direction::Down => 1,
    }
}

/// For tests: what reads headers and frames.
#[cfg(test)]
pub(crate) fn read_anything(bytes: &[u8]) {
    let _ = header::read(bytes);
    let _ = frames::read(bytes);
}

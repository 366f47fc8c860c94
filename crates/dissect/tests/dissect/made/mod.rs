//! Packets made by hand, with times chosen so that what follows from them can be worked out on paper.

pub(crate) mod quic;
pub(crate) mod tcp;

use pronghorn_dissect::{Arrivals, Connection, Fate, Packet, dissect};
use pronghorn_path::{Direction, DropCause};

/// One millisecond, in nanoseconds.
pub(crate) const MS: u64 = 1_000_000;

/// How long every packet is on its way.
pub(crate) const ONE_WAY: u64 = 10 * MS;

/// Packets in the order of their sending.
#[derive(Default)]
pub(crate) struct Trace {
    packets: Vec<(Direction, u64, bool, Vec<u8>)>,
}

impl Trace {
    /// A packet is sent at so many milliseconds, and arrives [`ONE_WAY`] later.
    pub(crate) fn pass(&mut self, direction: Direction, at_ms: u64, bytes: Vec<u8>) {
        self.packets.push((direction, at_ms * MS, true, bytes));
    }

    /// A packet is sent, and lost.
    pub(crate) fn lose(&mut self, direction: Direction, at_ms: u64, bytes: Vec<u8>) {
        self.packets.push((direction, at_ms * MS, false, bytes));
    }

    /// What is told of it.
    pub(crate) fn dissected(&self, key_log: &str) -> Arrivals {
        let packet =
            |(direction, sent_ns, arrives, bytes): &'_ (Direction, u64, bool, Vec<u8>)| Packet {
                direction: *direction,
                sent_ns: *sent_ns,
                arrived_ns: arrives.then_some(sent_ns + ONE_WAY),
                queued_ns: 0,
                fate: (!arrives).then_some(Fate::Dropped(DropCause::Loss)),
                // Test data lives as long as the test.
                bytes: Vec::leak(bytes.clone()),
            };
        let packets: Vec<Packet<'_>> = self.packets.iter().map(packet).collect();
        dissect(&packets, key_log, 0, 0)
    }
}

/// An IPv4 packet between 10.0.0.1, the client, and 10.0.0.2, of a protocol of so many bytes.
fn ip(direction: Direction, protocol: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(20 + payload.len()).expect("packets are short");
    let [high, low] = length.to_be_bytes();
    let (source, destination) = match direction {
        Direction::Up => (1, 2),
        Direction::Down => (2, 1),
    };
    let mut packet = vec![0x45, 0, high, low, 0, 0, 0x40, 0, 64, protocol, 0, 0];
    packet.extend([10, 0, 0, source, 10, 0, 0, destination]);
    packet.extend(payload);
    packet
}

/// The ports of a direction, source first.
fn ports(direction: Direction) -> Vec<u8> {
    let [client, server] = [40_000_u16, 443].map(u16::to_be_bytes);
    match direction {
        Direction::Up => [client, server].concat(),
        Direction::Down => [server, client].concat(),
    }
}

/// A piece, in milliseconds: stream, offset, length, arrival, release, release by its own stream.
pub(crate) type Told = (i64, u64, u64, f64, Option<f64>, Option<f64>);

/// The pieces of streams from one on, in the order of arrival.
pub(crate) fn pieces(connection: &Connection) -> Vec<Told> {
    let pieces = &connection.pieces;
    let ms = |seconds: f64| (seconds * 1e6).round() / 1e3;
    (0..pieces.stream.len())
        .filter(|at| pieces.stream[*at] >= 0)
        .map(|at| {
            (
                pieces.stream[at],
                pieces.offset[at],
                pieces.length[at],
                ms(pieces.arrived_s[at]),
                pieces.released_s[at].map(ms),
                pieces.own_released_s[at].map(ms),
            )
        })
        .collect()
}

//! Gives each packet to its connection.

use std::collections::HashMap;
use std::net::SocketAddr;

use pronghorn_path::Direction;

use crate::arrivals::{Arrivals, Axis, Connection, VERSION};
use crate::key_log::KeyLog;
use crate::packet::Packet;
use crate::quic::{DNS, Quic};
use crate::tcp::Tcp;
use crate::wire::{self, Segment, Transport};

/// What packets say, which are in the order of their sending, copies behind their originals.
///
/// `key_log`: TLS secrets in the format of `SSLKEYLOGFILE`. `base_ns`: the time of `CLOCK_MONOTONIC` from which times
/// are told. `missing_records`: how much the recording lacks.
#[must_use]
pub fn dissect(
    packets: &[Packet<'_>],
    key_log: &str,
    base_ns: u64,
    missing_records: u64,
) -> Arrivals {
    let key_log = KeyLog::read(key_log);
    let mut table = Table::default();
    for packet in packets {
        table.take(*packet, &key_log);
    }
    let axis = Axis(base_ns);
    let told = |(index, either): (usize, Either<'_>)| -> Connection {
        let findings = match either {
            Either::Tcp(tcp) => tcp.findings(&key_log),
            Either::Quic(quic) => quic.findings(),
        };
        findings.told(index, axis)
    };
    Arrivals {
        version: VERSION,
        clock_base_monotonic_s: base_ns as f64 / 1e9,
        missing_records,
        connections: table
            .connections
            .into_iter()
            .enumerate()
            .map(told)
            .collect(),
    }
}

enum Either<'a> {
    Tcp(Box<Tcp<'a>>),
    Quic(Box<Quic<'a>>),
}

/// The client's socket and the server's.
type Sockets = (SocketAddr, SocketAddr);

#[derive(Default)]
struct Table<'a> {
    connections: Vec<Either<'a>>,
    tcp: HashMap<Sockets, usize>,
    quic: HashMap<Sockets, usize>,
}

impl<'a> Table<'a> {
    fn take(&mut self, packet: Packet<'a>, key_log: &KeyLog) {
        let Some(carried) = wire::read(packet.bytes) else {
            return;
        };
        let sockets = match packet.direction {
            Direction::Up => (carried.source, carried.destination),
            Direction::Down => (carried.destination, carried.source),
        };
        match carried.transport {
            Transport::Tcp(segment) => self.take_segment(packet, sockets, &segment),
            Transport::Udp(datagram) if sockets.1.port() != DNS => {
                self.take_datagram(packet, sockets, datagram, key_log);
            }
            Transport::Udp(_) => {}
        }
    }

    fn take_segment(&mut self, packet: Packet<'a>, sockets: Sockets, segment: &Segment<'a>) {
        let known = self.tcp.get(&sockets).copied();
        let current = known.filter(|at| match &self.connections[*at] {
            Either::Tcp(tcp) => packet.direction == Direction::Down || !tcp.is_over_with(segment),
            Either::Quic(_) => false,
        });
        let at = current.unwrap_or_else(|| {
            self.connections
                .push(Either::Tcp(Box::new(Tcp::new(sockets.0, sockets.1))));
            self.connections.len() - 1
        });
        self.tcp.insert(sockets, at);
        if let Either::Tcp(tcp) = &mut self.connections[at] {
            tcp.take(packet, segment);
        }
    }

    /// By its connection ID, since a client may migrate or be rebound, and a socket of its have several connections; else by its
    /// sockets.
    fn take_datagram(
        &mut self,
        packet: Packet<'a>,
        sockets: Sockets,
        datagram: &'a [u8],
        key_log: &KeyLog,
    ) {
        let direction = packet.direction;
        let goes_on = |at: &usize| match &self.connections[*at] {
            Either::Quic(quic) => !quic.is_over_with(direction, datagram),
            Either::Tcp(_) => false,
        };
        let is_meant = |either: &Either<'_>| match either {
            Either::Quic(quic) => quic.is_meant(direction, datagram),
            Either::Tcp(_) => false,
        };
        let between = self.quic.get(&sockets).copied();
        let known = between
            .filter(|at| is_meant(&self.connections[*at]))
            .or_else(|| self.connections.iter().rposition(is_meant))
            .or_else(|| between.filter(goes_on));
        let at = match known {
            Some(at) => at,
            None => {
                let Some(quic) = Quic::begin(sockets.0, sockets.1, direction, datagram) else {
                    return;
                };
                self.connections.push(Either::Quic(Box::new(quic)));
                self.connections.len() - 1
            }
        };
        self.quic.insert(sockets, at);
        if let Either::Quic(quic) = &mut self.connections[at] {
            quic.take(packet, datagram, key_log);
        }
    }
}

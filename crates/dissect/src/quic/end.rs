//! What one end of a QUIC connection has sent so far.

use std::collections::BTreeMap;
use std::ops::Range;

use super::assembly::Assembly;
use super::header::LONGEST_ID;
use super::keys::Keys;
use crate::ledger::Way;
use crate::reader::Reader;
use crate::tls::messages;

/// A packet number space (RFC 9000 §12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Space {
    Initial,
    Handshake,
    Application,
}

/// What has an order of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flow {
    Crypto(Space),
    Stream(u64),
}

/// How much of a flow's beginning is kept to be read: of what the client sends enough for its fields and their table, of
/// responses enough for the first frames.
const MOST_CRYPTO: usize = 256 << 10;
const MOST_OF_CLIENT: usize = 1 << 20;
const MOST_OF_SERVER: usize = 8 << 10;

/// How many connection IDs are remembered; RFC 9000 §5.1.1 lets the other end bound them, and ends ask for a few.
const MOST_IDS: usize = 1024;

const STATELESS_RESET_TOKEN: u64 = 0x02;

#[derive(Default)]
pub(super) struct End {
    keys: [Option<Keys>; 3],
    /// Candidates for the keys of 0-RTT packets, whose suite no packet tells.
    pub(super) early: Vec<Keys>,
    largest: [Option<u64>; 3],
    /// The connection IDs by which it wants to be reached.
    pub(super) ids: Vec<Vec<u8>>,
    pub(super) reset_tokens: Vec<[u8; 16]>,
    pub(super) ways: BTreeMap<Flow, Way>,
    assemblies: BTreeMap<Flow, Assembly>,
}

impl End {
    pub(super) fn set(&mut self, space: Space, keys: Keys) {
        self.keys[space as usize] = Some(keys);
    }

    pub(super) fn note_id(&mut self, id: &[u8]) {
        if self.ids.len() < MOST_IDS
            && id.len() <= LONGEST_ID
            && self.ids.iter().all(|known| known != id)
        {
            self.ids.push(id.to_vec());
            // What a packet begins with is compared with the longest first.
            self.ids.sort_by_key(|id| std::cmp::Reverse(id.len()));
        }
    }

    /// The server's transport parameters may have a token (RFC 9000 §10.3).
    pub(super) fn note_parameters(&mut self, parameters: &[u8]) {
        let token = messages::transport_parameter(parameters, STATELESS_RESET_TOKEN);
        self.reset_tokens
            .extend(token.and_then(|token| <[u8; 16]>::try_from(token).ok()));
    }

    /// Whether it ends with a token that makes it a stateless reset.
    pub(super) fn is_reset(&self, datagram: &[u8]) -> bool {
        let last = datagram.last_chunk::<16>();
        last.is_some_and(|last| self.reset_tokens.contains(last))
    }

    pub(super) fn open(
        &mut self,
        space: Space,
        packet: &[u8],
        number_at: usize,
    ) -> Option<Vec<u8>> {
        let largest = &mut self.largest[space as usize];
        let opened = self.keys[space as usize]
            .as_mut()?
            .open(packet, number_at, *largest)?;
        *largest = (*largest).max(Some(opened.number));
        Some(opened.plain)
    }

    /// Opens a 0-RTT packet, which shares its numbers with 1-RTT packets.
    pub(super) fn open_early(&mut self, packet: &[u8], number_at: usize) -> Option<Vec<u8>> {
        let largest = &mut self.largest[Space::Application as usize];
        let opened = self
            .early
            .iter_mut()
            .find_map(|keys| keys.open(packet, number_at, *largest))?;
        *largest = (*largest).max(Some(opened.number));
        Some(opened.plain)
    }

    /// Opens a packet with a short header to one of the IDs of the other end; of the IDs that aren't known the length is
    /// taken to be that of those that are.
    pub(super) fn open_short(
        &mut self,
        packet: &[u8],
        ids: &[Vec<u8>],
    ) -> Option<(Space, Vec<u8>)> {
        let known = ids.iter().find(|id| packet[1..].starts_with(id));
        let id = known.or(ids.first())?;
        let plain = self.open(Space::Application, packet, 1 + id.len())?;
        Some((Space::Application, plain))
    }

    pub(super) fn way(&mut self, flow: Flow) -> &mut Way {
        self.ways.entry(flow).or_default()
    }

    pub(super) fn assembly(&mut self, flow: Flow, side: usize) -> &mut Assembly {
        let most = match (flow, side) {
            (Flow::Crypto(_), _) => MOST_CRYPTO,
            (Flow::Stream(_), 0) => MOST_OF_CLIENT,
            (Flow::Stream(_), _) => MOST_OF_SERVER,
        };
        self.assemblies
            .entry(flow)
            .or_insert_with(|| Assembly::new(most))
    }

    /// As if it had sent nothing on streams.
    pub(super) fn forget_streams(&mut self) {
        self.ways.retain(|flow, _| matches!(flow, Flow::Crypto(_)));
        self.assemblies
            .retain(|flow, _| matches!(flow, Flow::Crypto(_)));
    }

    /// The beginning of a flow.
    pub(super) fn beginning(&self, flow: Flow) -> &[u8] {
        self.assemblies
            .get(&flow)
            .map_or(&[], |assembly| &assembly.bytes)
    }

    /// Types, bodies and places of the whole messages in a space's CRYPTO frames.
    pub(super) fn messages(&self, space: Space) -> Vec<(u8, Vec<u8>, Range<u64>)> {
        let mut rest = Reader(self.beginning(Flow::Crypto(space)));
        let mut at = 0;
        let mut found = Vec::new();
        while let Some((kind, body, length)) = messages::split(rest.0) {
            found.push((kind, body.to_vec(), at..at + length as u64));
            at += length as u64;
            rest.take(length);
        }
        found
    }

    /// The first message of a type.
    pub(super) fn message(&self, space: Space, wanted: u8) -> Option<Vec<u8>> {
        self.messages(space)
            .into_iter()
            .find(|(kind, ..)| *kind == wanted)
            .map(|(_, body, _)| body)
    }
}

//! Puts a capture's spools together: descriptions and secrets first, then the packets of both ends in order of
//! time, then the statistics.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use pronghorn_path::Family;

use super::block::{self, SeenPacket, Statistics, Way};
use super::comment::of_entry;
use super::fates::Fates;
use super::spool::{Record, SpoolReader};
use super::writer::{LinkSpools, Spools};

const CLIENT: u32 = 0;
const SERVER: u32 = 1;

/// What stands in the file beside its packets.
pub(super) struct Surroundings<'a> {
    pub(super) application: &'a str,
    pub(super) comment: &'a str,
    pub(super) key_log: &'a str,
    /// Of all packets.
    pub(super) family: Family,
    /// What to add to `CLOCK_MONOTONIC` for the time of day, in nanoseconds since 1970, UTC.
    pub(super) epoch_ns: u64,
    /// When the capture began, of `CLOCK_MONOTONIC`.
    pub(super) start_ns: u64,
    /// When it ended.
    pub(super) end_ns: u64,
    /// Packets that the capture lost at the client's end and at the server's.
    pub(super) lost: [u64; 2],
}

/// Writes the whole file. Its memory is that of a few packets.
pub(super) fn write(
    out: &mut impl Write,
    spools: Spools,
    around: &Surroundings<'_>,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    block::section_header(&mut buffer, around.application, around.comment);
    block::interface(
        &mut buffer,
        around.family,
        "client",
        "the client's end of the path",
    );
    block::interface(
        &mut buffer,
        around.family,
        "server",
        "the server's end of the path",
    );
    if !around.key_log.is_empty() {
        block::secrets(&mut buffer, around.key_log);
    }
    out.write_all(&buffer)?;

    let mut streams = streams(spools)?;
    let mut received = around.lost;
    let mut next = BinaryHeap::new();
    for (place, stream) in streams.iter_mut().enumerate() {
        if stream.advance()? {
            next.push(Reverse((stream.record.at_ns, place)));
        }
    }
    while let Some(Reverse((at_ns, place))) = next.pop() {
        let stream = &mut streams[place];
        stream.note_fate()?;
        buffer.clear();
        let seen = SeenPacket {
            interface: stream.interface,
            at_ns: around.epoch_ns + at_ns,
            id: stream.record.number * 2 + stream.odd,
            way: stream.way,
            bytes: &stream.record.packet,
            comment: &stream.record.comment,
        };
        block::packet(&mut buffer, &seen);
        out.write_all(&buffer)?;
        received[stream.interface as usize] += 1;
        if stream.advance()? {
            next.push(Reverse((stream.record.at_ns, place)));
        }
    }

    buffer.clear();
    for interface in [CLIENT, SERVER] {
        let of = Statistics {
            interface,
            start_ns: around.epoch_ns + around.start_ns,
            end_ns: around.epoch_ns + around.end_ns,
            received: received[interface as usize],
            dropped: around.lost[interface as usize],
        };
        block::statistics(&mut buffer, &of);
    }
    out.write_all(&buffer)
}

/// One spool on its way into the file.
struct Stream {
    reader: SpoolReader,
    record: Record,
    interface: u32,
    way: Way,
    /// Tells the numbers of one link's packets from the other's.
    odd: u64,
    /// Of a link's entries.
    fates: Option<Fates>,
}

impl Stream {
    fn advance(&mut self) -> io::Result<bool> {
        self.reader.next(&mut self.record)
    }

    fn note_fate(&mut self) -> io::Result<()> {
        if let Some(fates) = &mut self.fates {
            let (duplicated, ends) = fates.of(self.record.number)?;
            self.record.comment = of_entry(duplicated, &ends);
        }
        Ok(())
    }
}

/// All four, entries first: of records at one time they come first.
fn streams(spools: Spools) -> io::Result<Vec<Stream>> {
    let (mut entries, mut departures) = (Vec::new(), Vec::new());
    for (link, near, far, odd) in [
        (spools.down, SERVER, CLIENT, 0),
        (spools.up, CLIENT, SERVER, 1),
    ] {
        let LinkSpools {
            entries: sent,
            departures: delivered,
            fates,
            ..
        } = link;
        entries.push(Stream {
            reader: sent.read_back()?,
            record: Record::default(),
            interface: near,
            way: Way::Outbound,
            odd,
            fates: Some(fates),
        });
        departures.push(Stream {
            reader: delivered.read_back()?,
            record: Record::default(),
            interface: far,
            way: Way::Inbound,
            odd,
            fates: None,
        });
    }
    entries.append(&mut departures);
    Ok(entries)
}

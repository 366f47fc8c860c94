//! Packets that leave a link together and are written as one.

use std::io::{self, IoSlice};

use pronghorn_path::{Departure, Time};

use crate::driver::nat::{self, Stale};
use crate::driver::segment::Segment;
use crate::driver::tap::Delivery;
use crate::driver::wire::{DeviceHeader, MAX_HEADER};
use crate::network::tun::Tun;

/// Consecutive segments of one super-packet, which leave one after the other with nothing between them.
#[derive(Default)]
pub(crate) struct Run {
    first: Option<Segment>,
    /// One past the last segment.
    end: u16,
    /// The NAT's mapping under which they leave.
    mapping: u64,
    /// When each was due, in their order.
    dues: Vec<Time>,
    /// When the one entered that was least long in the link.
    arrived: Time,
}

impl Run {
    /// Whether a segment that leaves under `mapping` continues the run.
    pub(crate) fn continues(&self, segment: &Segment, mapping: u64) -> bool {
        self.first.as_ref().is_some_and(|first| {
            self.end == segment.index() && self.mapping == mapping && first.is_sibling_of(segment)
        })
    }

    /// Takes a segment that continues it, or the first one.
    pub(crate) fn add(&mut self, departure: Departure<Segment>, mapping: u64) {
        self.dues.push(departure.due);
        self.arrived = self.arrived.max(departure.arrived);
        self.end = departure.packet.index() + 1;
        if self.first.is_none() {
            self.mapping = mapping;
            self.first = Some(departure.packet);
        }
    }

    /// When each packet was due.
    pub(crate) fn dues(&self) -> &[Time] {
        &self.dues
    }

    /// When the youngest of the packets entered the link.
    pub(crate) fn arrived(&self) -> Time {
        self.arrived
    }

    /// Gives the run to a device; without a run, nothing. `translated` says whether a NAT stands before it.
    pub(crate) fn write(&self, to: &Tun, translated: bool) -> Delivery {
        let Some(first) = &self.first else {
            return Delivery::Taken;
        };
        if !first.is_countable() {
            return Delivery::Undeliverable;
        }
        let buffer = first.buffer();
        let shape = buffer.shape();
        let segments = first.index()..self.end;
        let whole = segments.len() == usize::from(shape.segments());
        if whole && !first.congestion() && !translated {
            return sent(|| to.send(buffer.wire()));
        }
        let mut headers = [0; DeviceHeader::LEN + MAX_HEADER];
        let packet = buffer.packet();
        let end = shape.headers_of(packet, segments.clone(), first.congestion(), &mut headers);
        if translated {
            let headers = &mut headers[DeviceHeader::LEN..end];
            if nat::inward(shape, headers, self.mapping) == Err(Stale) {
                return Delivery::Stale;
            }
        }
        let pieces = [
            IoSlice::new(&headers[..end]),
            IoSlice::new(&packet[shape.payload(segments)]),
        ];
        sent(|| to.send_pieces(&pieces))
    }

    /// Makes it empty.
    pub(crate) fn clear(&mut self) {
        self.first = None;
        self.dues.clear();
        self.arrived = Time::ZERO;
    }
}

fn sent(mut send: impl FnMut() -> io::Result<()>) -> Delivery {
    loop {
        match send() {
            Ok(()) => return Delivery::Taken,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Delivery::Refused,
        }
    }
}

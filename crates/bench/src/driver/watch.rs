//! Tells others what happens to packets: the tap, and senders whose packets are too long.

use pronghorn_path::{Departure, Dropped, Mtu, Time};

use crate::driver::nat;
use crate::driver::segment::Segment;
use crate::driver::tap::{Delivery, Dropping, Leaving, Tap};
use crate::driver::wire::{DeviceHeader, icmp};
use crate::network::tun::Tun;

/// The longest IP packet.
const LONGEST: usize = 65_535;

/// Whoever wants to know of packets; mostly nobody.
pub(crate) struct Watch {
    tap: Option<Box<dyn Tap>>,
    /// The MTU that senders are told.
    told_mtu: Option<u16>,
    /// Where single packets are written, if somebody wants them.
    packet: Vec<u8>,
    /// What has left the link and isn't written yet, in order.
    leaving: Vec<(Leaving, Segment)>,
}

impl Watch {
    pub(crate) fn new(tap: Option<Box<dyn Tap>>, mtu: Option<Mtu>) -> Watch {
        let mut watch = Watch {
            tap,
            told_mtu: None,
            packet: Vec::new(),
            leaving: Vec::new(),
        };
        watch.change_mtu(mtu);
        watch
    }

    /// From now on another MTU is the link's.
    pub(crate) fn change_mtu(&mut self, mtu: Option<Mtu>) {
        self.told_mtu = mtu
            .filter(|mtu| mtu.icmp)
            .map(|mtu| u16::try_from(mtu.bytes).unwrap_or(u16::MAX));
        if self.wants_dropped() {
            self.packet.resize(LONGEST, 0);
        }
    }

    /// Whether anybody wants to know what ended in the link.
    pub(crate) fn wants_dropped(&self) -> bool {
        self.tap.is_some() || self.told_mtu.is_some()
    }

    /// A packet enters, before which `number` have.
    pub(crate) fn entered(&mut self, number: u64, at: Time, segment: &Segment) {
        if let Some(tap) = &mut self.tap {
            let len = segment.write(&mut self.packet);
            tap.entered(number, at, &self.packet[..len]);
        }
    }

    /// A packet has left the link and is told of with the next call of [`Watch::left`].
    pub(crate) fn leaving(&mut self, departure: &Departure<Segment>) {
        if self.tap.is_some() {
            let facts = Leaving {
                number: departure.number,
                at: departure.due,
                arrived: departure.arrived,
                reached: departure.reached,
                due: departure.due,
                marks: departure.marks,
                delivery: Delivery::Taken,
            };
            self.leaving
                .push((facts, pronghorn_path::Packet::duplicate(&departure.packet)));
        }
    }

    /// What was leaving was written at `at`, to this effect.
    pub(crate) fn left(&mut self, at: Time, delivery: Delivery) {
        let Some(tap) = &mut self.tap else {
            return;
        };
        let read = tap.reads_departures();
        for (facts, segment) in self.leaving.drain(..) {
            let len = if read {
                segment.write(&mut self.packet)
            } else {
                0
            };
            let facts = Leaving {
                at,
                delivery,
                ..facts
            };
            tap.left(&facts, &self.packet[..len]);
        }
    }

    pub(crate) fn dropped(&mut self, dropped: &Dropped<Segment>) {
        if let Some(tap) = &mut self.tap {
            let len = dropped.packet.write(&mut self.packet);
            let facts = Dropping {
                number: dropped.number,
                arrived: dropped.arrived,
                at: dropped.at,
                cause: dropped.cause,
                marks: dropped.marks,
            };
            tap.dropped(&facts, &self.packet[..len]);
        }
    }

    /// Tells the sender of a packet that was too long, over the device from which it came, where that is
    /// asked for. Of a super-packet only the first segment is answered for, since each one says the same.
    /// `mapping` is the NAT's under which the packet entered, or 0.
    pub(crate) fn tell_sender(&mut self, segment: &Segment, mapping: u64, near: &Tun) {
        let Some(mtu) = self.told_mtu.filter(|_| segment.index() == 0) else {
            return;
        };
        let len = segment.write(&mut self.packet);
        let shape = segment.buffer().shape().single(segment.index());
        nat::back(&shape, &mut self.packet[..len], mapping);
        let mut answer = [0; DeviceHeader::LEN + icmp::MAX_LEN];
        let (_, message) = answer.split_at_mut(DeviceHeader::LEN);
        let Some(message) = message.first_chunk_mut() else {
            return;
        };
        if let Some(len) = icmp::too_big(&self.packet[..len], mtu, message) {
            // The sender learns it again from the next packet where the device is full now.
            let _ = near.send(&answer[..DeviceHeader::LEN + len]);
        }
    }
}

//! A packet on its way through a link: one segment of what a device has handed over.

use std::net::IpAddr;
use std::rc::Rc;

use pronghorn_path::Packet;

use crate::driver::buffers::{Buffer, Pool};
use crate::driver::wire;

/// A handle to one segment of a buffer. Payload and headers stay where they were read until a bit
/// flips; then the segment becomes a packet of its own.
pub(crate) struct Segment {
    buffer: Rc<Buffer>,
    index: u16,
    len: u16,
    congestion: bool,
    /// A bit of it has flipped.
    flipped: bool,
}

impl Segment {
    /// A segment of `buffer`, which has it.
    pub(crate) fn new(buffer: Rc<Buffer>, index: u16) -> Segment {
        let len = buffer.shape().segment_bytes(index) as u16;
        Segment {
            buffer,
            index,
            len,
            congestion: false,
            flipped: false,
        }
    }

    /// All segments of `buffer`, in order. It goes back to its pool with the last one that is dropped,
    /// whenever that is.
    pub(crate) fn all(buffer: Rc<Buffer>) -> impl Iterator<Item = Segment> {
        let last = buffer.shape().segments() - 1;
        let mut owner = Some(Segment::new(buffer, last));
        (0..=last).filter_map(move |index| match index {
            _ if index == last => owner.take(),
            _ => owner
                .as_ref()
                .map(|owner| Segment::new(Rc::clone(&owner.buffer), index)),
        })
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    pub(crate) fn index(&self) -> u16 {
        self.index
    }

    /// Whether "congestion experienced" was set on the way.
    pub(crate) fn congestion(&self) -> bool {
        self.congestion
    }

    /// Whether the two are of one super-packet and were marked alike.
    pub(crate) fn is_sibling_of(&self, other: &Segment) -> bool {
        Rc::ptr_eq(&self.buffer, &other.buffer) && self.congestion == other.congestion
    }

    /// Writes the packet, its checksums complete; gives the bytes written. `out` holds 65535.
    pub(crate) fn write(&self, out: &mut [u8]) -> usize {
        let packet = self.buffer.packet();
        self.buffer
            .shape()
            .segment(packet, self.index, self.congestion, out)
    }

    /// Whether a kernel that finds it broken counts it: not where a flipped bit has made of it another
    /// version of IP, or a TCP header of another length than can be (`net/ipv4/tcp_ipv4.c`, `tcp_v4_rcv`).
    pub(crate) fn is_countable(&self) -> bool {
        !self.flipped || self.buffer.shape().is_countable(self.buffer.packet())
    }
}

impl Packet for Segment {
    fn len(&self) -> usize {
        self.len.into()
    }

    fn flip_bit(&mut self, bit: usize) {
        let Some(mut own) = Pool::copy(&self.buffer, self.index, self.congestion) else {
            return;
        };
        let bit = self.buffer.shape().detectable(bit);
        if let Some(byte) = Rc::get_mut(&mut own).and_then(|own| own.packet_mut().get_mut(bit / 8))
        {
            *byte ^= 1 << (bit % 8);
        }
        *self = Segment::new(own, 0);
        self.flipped = true;
    }

    fn duplicate(&self) -> Segment {
        Segment {
            buffer: Rc::clone(&self.buffer),
            ..*self
        }
    }

    fn flow(&self, key: u64) -> u64 {
        self.buffer.shape().flow(self.buffer.packet()).hash(key)
    }

    fn destination(&self) -> Option<IpAddr> {
        wire::addresses(self.buffer.packet()).map(|(_, destination)| destination)
    }

    fn is_udp_other_than_dns(&self) -> bool {
        let shape = self.buffer.shape();
        shape.is_udp() && !shape.is_dns_over_udp(self.buffer.packet())
    }

    fn mark_congestion(&mut self) -> bool {
        self.congestion |= wire::allows_mark(self.buffer.packet());
        self.congestion
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if Rc::strong_count(&self.buffer) == 1 {
            Pool::give_back(&self.buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::buffers::Intake;
    use crate::driver::wire::{DeviceHeader, checksum};

    /// A datagram as devices hand it over, its checksum left to the reader.
    fn datagram(tos: u8, payload: &[u8]) -> Vec<u8> {
        let mut header = DeviceHeader {
            flags: DeviceHeader::NEEDS_CHECKSUM,
            checksum_start: 20,
            checksum_offset: 6,
            ..DeviceHeader::default()
        }
        .bytes()
        .to_vec();
        let len = 28 + payload.len() as u16;
        let mut packet = vec![
            0x45, tos, 0, 0, 0, 1, 0x40, 0, 64, 17, 0, 0, 198, 18, 0, 1, 198, 18, 0, 2,
        ];
        packet[2..4].copy_from_slice(&len.to_be_bytes());
        checksum::complete_ip(&mut packet);
        packet.extend([156, 64, 1, 187]);
        packet.extend((len - 20).to_be_bytes());
        packet.extend([0, 0]);
        packet.extend(payload);
        header.extend(packet);
        header
    }

    fn take(intake: &mut Intake, wire: &[u8]) -> Segment {
        let received: Result<_, ()> = intake.receive(|buffer| {
            buffer[..wire.len()].copy_from_slice(wire);
            Ok(wire.len())
        });
        Segment::new(received.expect("it was read").expect("it is a packet"), 0)
    }

    #[test]
    fn dropped_packets_give_their_memory_to_the_next() {
        let pool = Pool::new();
        let mut intake = Intake::new(&pool);
        let first = take(&mut intake, &datagram(0, b"first"));
        let copy = first.duplicate();
        assert_eq!(copy.buffer().packet()[28..], *b"first");
        let place = first.buffer().wire().as_ptr();
        drop((first, copy));
        let next = take(&mut intake, &datagram(0, b"next"));
        assert_eq!(next.buffer().wire().as_ptr(), place);
    }

    #[test]
    fn a_flipped_bit_is_the_only_change_in_a_completed_packet() {
        let pool = Pool::new();
        let mut intake = Intake::new(&pool);
        let original = take(&mut intake, &datagram(0, b"four"));
        let (mut complete, mut corrupted) = ([0; 64], [0; 64]);
        assert_eq!(original.write(&mut complete), 32);
        for bit in 0..32 * 8 {
            let mut flipped = original.duplicate();
            flipped.flip_bit(bit);
            assert_eq!((flipped.write(&mut corrupted), flipped.len()), (32, 32));
            corrupted[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(corrupted, complete);
            assert_eq!(
                flipped.buffer().wire()[..DeviceHeader::LEN],
                [0; DeviceHeader::LEN]
            );
            assert_eq!(flipped.is_countable(), !(4..8).contains(&bit));
        }
        let mut beyond = original.duplicate();
        beyond.flip_bit(32 * 8);
        assert_eq!(beyond.write(&mut corrupted), 32);
        assert_eq!(corrupted, complete);
    }

    #[test]
    fn of_ipv6_no_bit_is_flipped_that_nobody_looks_at() {
        let pool = Pool::new();
        let mut intake = Intake::new(&pool);
        let mut wire = vec![0; DeviceHeader::LEN];
        wire.extend([0x60, 0, 0, 0, 0, 16, 17, 64]);
        wire.extend([[0xfd; 16], [0xfc; 16]].concat());
        wire.extend([156, 64, 1, 187, 0, 16, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let original = take(&mut intake, &wire);
        let (mut whole, mut corrupted) = ([0; 56], [0; 56]);
        original.write(&mut whole);
        for bit in 0..56 * 8 {
            let mut flipped = original.duplicate();
            flipped.flip_bit(bit);
            flipped.write(&mut corrupted);
            let changed = |range: std::ops::Range<usize>| whole[range.clone()] != corrupted[range];
            assert!(!changed(1..4) && !changed(7..8), "{bit}");
            assert_eq!(whole[0] & 15, corrupted[0] & 15, "{bit}");
            assert_ne!(whole, corrupted, "{bit}");
            assert_eq!(flipped.is_countable(), !(4..8).contains(&bit));
        }
    }

    #[test]
    fn udp_from_or_to_port_53_is_dns_and_fragments_are_not() {
        let pool = Pool::new();
        let mut intake = Intake::new(&pool);
        let mut restricted = |ports: [u16; 2], protocol: u8, fragment: u16| {
            let mut wire = datagram(0, &[0; 24])[DeviceHeader::LEN..].to_vec();
            wire[6..8].copy_from_slice(&fragment.to_be_bytes());
            wire[9] = protocol;
            wire[20..22].copy_from_slice(&ports[0].to_be_bytes());
            wire[22..24].copy_from_slice(&ports[1].to_be_bytes());
            checksum::complete_ip(&mut wire[..20]);
            let whole = [&[0; DeviceHeader::LEN][..], &wire].concat();
            take(&mut intake, &whole).is_udp_other_than_dns()
        };
        assert!(!restricted([40_000, 53], 17, 0x4000));
        assert!(!restricted([53, 40_000], 17, 0x4000));
        assert!(restricted([40_000, 443], 17, 0x4000));
        assert!(
            restricted([13_568, 53 << 8], 17, 0x4000),
            "the bytes of 53 elsewhere"
        );
        assert!(restricted([40_000, 53], 17, 0x2000), "the first fragment");
        assert!(restricted([40_000, 53], 17, 3), "a later fragment");
        assert!(!restricted([40_000, 443], 6, 0x4000), "TCP");
    }

    #[test]
    fn a_tcp_header_of_an_impossible_length_is_countable_by_nobody() {
        let pool = Pool::new();
        let mut intake = Intake::new(&pool);
        let mut wire = datagram(0, &[0; 24])[DeviceHeader::LEN..].to_vec();
        wire[9] = 6;
        wire[32] = 8 << 4; // 32 bytes of header, as in an acknowledgement with a time stamp
        checksum::complete_ip(&mut wire[..20]);
        let whole = [&[0; DeviceHeader::LEN][..], &wire].concat();
        let acknowledgement = take(&mut intake, &whole);
        for bit in 0..wire.len() * 8 {
            let mut flipped = acknowledgement.duplicate();
            flipped.flip_bit(bit);
            let unseen = (4..8).contains(&bit) || (32 * 8 + 4..33 * 8).contains(&bit);
            assert_eq!(flipped.is_countable(), !unseen, "{bit}");
        }
    }

    #[test]
    fn congestion_is_marked_where_the_packet_allows_it() {
        let pool = Pool::new();
        let mut intake = Intake::new(&pool);
        let mut out = [0; 64];
        for (tos, marked) in [(0xb8, None), (0xb9, Some(0xbb)), (2, Some(3)), (3, Some(3))] {
            let mut packet = take(&mut intake, &datagram(tos, b"four"));
            assert_eq!(packet.mark_congestion(), marked.is_some());
            assert_eq!(packet.write(&mut out), 32);
            assert_eq!(out[1], marked.unwrap_or(tos));
            assert_eq!(checksum::sum(&out[..20]), u16::MAX);
        }
    }
}

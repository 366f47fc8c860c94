//! Super-packets cut into segments and put together again, against a segmentation written for this test
//! alone.

use pronghorn_bench::wire::{DeviceHeader, Protocol, Superpacket, WireError, checksum};
use proptest::prelude::*;

/// A super-packet by its fields.
#[derive(Clone, Debug)]
struct Given {
    tcp: bool,
    six: bool,
    ip_options: Vec<u8>,
    tcp_options: Vec<u8>,
    tos: u8,
    id: u16,
    sequence: u32,
    flags: u8,
    payload: Vec<u8>,
    size: u16,
}

fn given() -> impl Strategy<Value = Given> {
    let words = |most| proptest::collection::vec(any::<u32>(), 0..=most);
    let bytes = |words: Vec<u32>| words.into_iter().flat_map(u32::to_be_bytes).collect();
    (
        any::<[bool; 2]>(),
        (words(10).prop_map(bytes), words(10).prop_map(bytes)),
        (any::<u8>(), any::<u16>(), any::<u32>(), any::<u8>()),
        proptest::collection::vec(any::<u8>(), 1..6000),
        1u16..2000,
    )
        .prop_map(
            |([tcp, six], (ip_options, tcp_options), (tos, id, sequence, flags), payload, size)| {
                Given {
                    tcp,
                    six,
                    ip_options,
                    tcp_options,
                    tos,
                    id,
                    sequence,
                    flags,
                    payload,
                    size,
                }
            },
        )
}

impl Given {
    fn ip_len(&self) -> usize {
        if self.six {
            40
        } else {
            20 + self.ip_options.len()
        }
    }

    fn protocol(&self) -> u8 {
        if self.tcp { 6 } else { 17 }
    }

    /// IP's header before so many bytes, and what of the pseudo-header isn't the protocol's number or a length.
    fn ip(&self, id: u16, transport_len: u16) -> (Vec<u8>, Vec<u8>) {
        if self.six {
            let mut ip = vec![0x60 | self.tos >> 4, self.tos << 4, 1, 2];
            ip.extend(transport_len.to_be_bytes());
            ip.extend([self.protocol(), 64]);
            ip.extend([[0xfd; 16], [0xfc; 16]].concat());
            let addresses = ip[8..40].to_vec();
            return (ip, addresses);
        }
        let mut ip = vec![0x40 | (self.ip_len() / 4) as u8, self.tos];
        ip.extend((self.ip_len() as u16 + transport_len).to_be_bytes());
        ip.extend(id.to_be_bytes());
        ip.extend([0x40, 0, 64, self.protocol(), 0, 0]);
        ip.extend([198, 18, 0, 1, 198, 18, 0, 2]);
        ip.extend(&self.ip_options);
        let header_sum = !sum(&ip);
        ip[10..12].copy_from_slice(&header_sum.to_be_bytes());
        let addresses = ip[12..20].to_vec();
        (ip, addresses)
    }

    /// The packet that carries `payload`, of these values where segmentation changes them. The transport
    /// checksum holds the pseudo-header's sum, as a device's reader finds it.
    fn packet(&self, payload: &[u8], id: u16, sequence: u32, flags: u8) -> Vec<u8> {
        let mut transport = vec![0x9c, 0x40, 0x01, 0xbb];
        if self.tcp {
            transport.extend(sequence.to_be_bytes());
            transport.extend([
                1,
                2,
                3,
                4,
                (20 + self.tcp_options.len() as u8) << 2,
                flags,
                0xff,
                0xee,
            ]);
            transport.extend([0, 0, 0, 0]);
            transport.extend(&self.tcp_options);
        } else {
            transport.extend((8 + payload.len() as u16).to_be_bytes());
            transport.extend([0, 0]);
        }
        let transport_len = (transport.len() + payload.len()) as u16;
        let (ip, addresses) = self.ip(id, transport_len);
        let pseudo = [
            &addresses[..],
            &[0, self.protocol()],
            &transport_len.to_be_bytes(),
        ]
        .concat();
        let field = self.checksum_field();
        transport[field..field + 2].copy_from_slice(&sum(&pseudo).to_be_bytes());
        [ip, transport, payload.to_vec()].concat()
    }

    fn checksum_field(&self) -> usize {
        if self.tcp { 16 } else { 6 }
    }

    fn device_header(&self) -> DeviceHeader {
        let (kind, congestion) = if self.tcp {
            let reduced = self.flags & 0x80 != 0;
            (
                if self.six {
                    DeviceHeader::TCP6
                } else {
                    DeviceHeader::TCP4
                },
                if reduced { DeviceHeader::ECN } else { 0 },
            )
        } else {
            (DeviceHeader::UDP, 0)
        };
        DeviceHeader {
            flags: DeviceHeader::NEEDS_CHECKSUM,
            segmentation: kind | congestion,
            header_len: 0,
            segment_size: self.size,
            checksum_start: self.ip_len() as u16,
            checksum_offset: self.checksum_field() as u16,
        }
    }

    fn whole(&self) -> Vec<u8> {
        self.packet(&self.payload, self.id, self.sequence, self.flags)
    }

    /// Its segments as a kernel without offloads sends them.
    fn segments(&self) -> Vec<Vec<u8>> {
        let pieces: Vec<&[u8]> = self.payload.chunks(self.size.into()).collect();
        let last = pieces.len() - 1;
        let segment = |(index, piece): (usize, &&[u8])| {
            let mut flags = self.flags;
            if index < last {
                flags &= !0x09; // FIN, PSH
            }
            if index > 0 {
                flags &= !0x80; // CWR
            }
            let before = index as u32 * u32::from(self.size);
            let mut packet = self.packet(
                piece,
                self.id.wrapping_add(index as u16),
                self.sequence.wrapping_add(before),
                flags,
            );
            let field = self.ip_len() + self.checksum_field();
            let checksum = match !sum(&packet[self.ip_len()..]) {
                0 => 0xffff,
                checksum => checksum,
            };
            packet[field..field + 2].copy_from_slice(&checksum.to_be_bytes());
            packet
        };
        pieces.iter().enumerate().map(segment).collect()
    }
}

/// RFC 1071, word by word.
fn sum(bytes: &[u8]) -> u16 {
    bytes.chunks(2).fold(0u16, |sum, word| {
        let word = u16::from_be_bytes([word[0], *word.get(1).unwrap_or(&0)]);
        let (sum, carry) = sum.overflowing_add(word);
        sum + u16::from(carry)
    })
}

/// What [`Superpacket`] makes of a packet: each segment, checksums completed.
fn cut(device: DeviceHeader, packet: &[u8]) -> Vec<Vec<u8>> {
    let shape = Superpacket::parse(&device.bytes(), packet).expect("it is in order");
    (0..shape.segments())
        .map(|index| {
            let mut out = vec![0; shape.segment_bytes(index)];
            assert_eq!(shape.segment(packet, index, false, &mut out), out.len());
            out
        })
        .collect()
}

proptest! {
    #[test]
    fn each_segment_is_the_one_that_software_segmentation_makes(given in given()) {
        prop_assert_eq!(cut(given.device_header(), &given.whole()), given.segments());
    }

    #[test]
    fn segments_put_together_in_runs_are_the_same_segments(given in given(), marks in any::<u64>()) {
        let packet = given.whole();
        let shape = Superpacket::parse(&given.device_header().bytes(), &packet).expect("it is in order");
        let mut found = Vec::new();
        let mut start = 0;
        for end in 1..=shape.segments() {
            // Bits settle where runs end.
            if end == shape.segments() || marks >> (end % 64) & 1 == 1 {
                let (device, run) = shape.together(&packet, start..end, false);
                let again = Superpacket::parse(&device.bytes(), &run).expect("a run is in order");
                prop_assert_eq!(again.segments(), end - start);
                found.extend(cut(device, &run));
                start = end;
            }
        }
        prop_assert_eq!(found, given.segments());
    }

    #[test]
    fn a_run_of_all_segments_is_the_super_packet(given in given()) {
        let packet = given.whole();
        let shape = Superpacket::parse(&given.device_header().bytes(), &packet).expect("it is in order");
        let (device, run) = shape.together(&packet, 0..shape.segments(), false);
        if shape.segments() > 1 {
            prop_assert_eq!(run, packet);
            let header_len = device.header_len;
            prop_assert_eq!(device, DeviceHeader { header_len, ..given.device_header() });
        } else {
            prop_assert_eq!(device.segmentation, DeviceHeader::NONE);
            prop_assert_eq!(&cut(device, &run), &given.segments());
        }
    }

    #[test]
    fn marked_segments_differ_in_the_mark_and_the_header_checksum(given in given()) {
        let packet = given.whole();
        let shape = Superpacket::parse(&given.device_header().bytes(), &packet).expect("it is in order");
        for (index, mut unmarked) in (0..).zip(given.segments()) {
            let mut marked = vec![0; shape.segment_bytes(index)];
            shape.segment(&packet, index, true, &mut marked);
            if given.six {
                unmarked[1] |= 0x30;
                prop_assert_eq!(marked, unmarked);
                continue;
            }
            unmarked[1] |= 3;
            checksum::complete_ip(&mut unmarked[..given.ip_len()]);
            // One's complement has two zeros.
            prop_assert_eq!(sum(&marked[..given.ip_len()]), 0xffff);
            marked[10..12].copy_from_slice(&unmarked[10..12]);
            prop_assert_eq!(marked, unmarked);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(
        given in given(),
        device in proptest::array::uniform10(any::<u8>()),
        keep_device in any::<bool>(),
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..6),
        len in any::<proptest::sample::Index>(),
        cut_short in any::<bool>(),
    ) {
        let mut packet = given.whole();
        for (place, byte) in edits {
            // Headers are where it matters.
            let place = place.index(packet.len().min(64));
            packet[place] = byte;
        }
        if cut_short {
            packet.truncate(len.index(packet.len()));
        }
        let device = if keep_device { given.device_header().bytes() } else { device };
        if let Ok(shape) = Superpacket::parse(&device, &packet) {
            let total: usize = (0..shape.segments())
                .map(|index| {
                    let mut out = vec![0; shape.segment_bytes(index)];
                    shape.segment(&packet, index, true, &mut out)
                })
                .sum();
            prop_assert!(total >= packet.len());
            let _ = shape.flow(&packet).hash(1);
        }
    }
}

#[test]
fn all_fragments_of_a_datagram_are_of_one_flow() {
    let given = Given {
        tcp: false,
        six: false,
        ip_options: Vec::new(),
        tcp_options: Vec::new(),
        tos: 0,
        id: 7,
        sequence: 0,
        flags: 0,
        payload: vec![9; 64],
        size: 64,
    };
    let flows = [(0x20, 0), (0x20, 185), (0, 255)].map(|(flags, offset)| {
        let mut packet = given.packet(&given.payload, 7, 0, 0);
        packet[6..8].copy_from_slice(&[flags, offset]);
        let shape = Superpacket::parse(&[0; DeviceHeader::LEN], &packet).expect("a fragment");
        shape.flow(&packet)
    });
    assert_eq!(flows[0], flows[1]);
    assert_eq!(flows[0], flows[2]);
}

#[test]
fn a_fragment_of_ipv6_is_neither_tcp_nor_udp_and_of_one_flow_with_the_next() {
    let flows = [1_u16, 185 << 3].map(|field| {
        let mut packet = vec![0x60, 0, 0, 0, 0, 24, 44, 64];
        packet.extend([[0xfd; 16], [0xfc; 16]].concat());
        packet.extend([
            17,
            0,
            field.to_be_bytes()[0],
            field.to_be_bytes()[1],
            0,
            0,
            0,
            7,
        ]);
        packet.extend([0x9c, 0x40, 0x01, 0xbb, 0, 16, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let shape = Superpacket::parse(&[0; DeviceHeader::LEN], &packet).expect("a fragment");
        assert_eq!(shape.protocol(), Protocol::Other);
        assert!(shape.is_udp());
        shape.flow(&packet)
    });
    assert_eq!(flows[0], flows[1]);
}

#[test]
fn what_contradicts_itself_is_named() {
    let given = Given {
        tcp: true,
        six: false,
        ip_options: Vec::new(),
        tcp_options: vec![1; 12],
        tos: 2,
        id: 1,
        sequence: 1,
        flags: 0x18,
        payload: vec![7; 3000],
        size: 1448,
    };
    let packet = given.whole();
    let device = given.device_header();
    let parsed = |device: DeviceHeader, packet: &[u8]| {
        Superpacket::parse(&device.bytes(), packet).map(|shape| shape.segments())
    };
    assert_eq!(parsed(device, &packet), Ok(3));
    let with = |place: usize, byte: u8| {
        let mut changed = packet.clone();
        changed[place] = byte;
        changed
    };
    assert_eq!(
        Superpacket::parse(&[0; 9], &packet),
        Err(WireError::DeviceHeader)
    );
    for (packet, error) in [
        (vec![], WireError::NotIp),
        (with(0, 0x75), WireError::NotIp),
        (with(0, 0x44), WireError::IpHeader),
        (packet[..19].to_vec(), WireError::IpHeader),
        (with(2, 0xff), WireError::IpLength),
        (with(3, 0), WireError::Segmentation),
        (with(6, 0x20), WireError::Segmentation),
        (with(9, 17), WireError::Segmentation),
        (with(32, 0x40), WireError::TransportHeader),
    ] {
        assert_eq!(parsed(device, &packet), Err(error));
    }
    for (device, error) in [
        (
            DeviceHeader {
                segment_size: 0,
                ..device
            },
            WireError::SegmentSize,
        ),
        (
            DeviceHeader {
                header_len: 4000,
                ..device
            },
            WireError::Segmentation,
        ),
        (
            DeviceHeader {
                segmentation: 3,
                ..device
            },
            WireError::Segmentation,
        ),
        (
            DeviceHeader {
                segmentation: DeviceHeader::UDP,
                ..device
            },
            WireError::Segmentation,
        ),
        (DeviceHeader { flags: 0, ..device }, WireError::Checksum),
        (
            DeviceHeader {
                checksum_start: 24,
                ..device
            },
            WireError::Checksum,
        ),
        (
            DeviceHeader {
                checksum_offset: u16::MAX,
                ..device
            },
            WireError::Checksum,
        ),
    ] {
        assert_eq!(parsed(device, &packet), Err(error));
    }
}

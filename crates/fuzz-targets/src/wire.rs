use pronghorn_bench::wire::{DeviceHeader, Protocol, Superpacket, WireError, checksum};

/// What a device hands over: a `virtio_net_hdr`, and a packet of whatever headers. What can be cut is
/// cut into segments of which each is a packet, and which together hold the payload.
pub fn wire(bytes: &[u8]) {
    let at = bytes.len().min(DeviceHeader::LEN);
    let (device_header, packet) = bytes.split_at(at);
    if let Ok(read) = DeviceHeader::read(device_header) {
        assert_eq!(
            read.bytes(),
            device_header,
            "a device's header is written as it was read"
        );
    }
    let shape = match Superpacket::parse(device_header, packet) {
        Ok(shape) => shape,
        Err(error) => {
            assert_eq!(
                error == WireError::DeviceHeader,
                device_header.len() < DeviceHeader::LEN,
                "{error}"
            );
            return;
        }
    };
    assert_eq!(shape.bytes(), packet.len());
    let mut payload = 0;
    let mut out = vec![0; usize::from(u16::MAX)];
    for index in 0..shape.segments() {
        for congestion in [true, false] {
            let len = shape.segment(packet, index, congestion, &mut out);
            assert_eq!(len, shape.segment_bytes(index), "segment {index}");
        }
        payload += check(&shape, packet, &out[..shape.segment_bytes(index)]);
    }
    if shape.segments() > 1 {
        let header = shape.bytes() - payload;
        assert!(
            (28..=120).contains(&header),
            "the payload is all there: {header} bytes of headers"
        );
    }
    checksums_outside(packet);
}

/// Checks one segment; gives the bytes of its payload.
fn check(shape: &Superpacket, packet: &[u8], segment: &[u8]) -> usize {
    let again = Superpacket::parse(&DeviceHeader::default().bytes(), segment)
        .expect("a segment is a packet of its own");
    assert_eq!(again.segments(), 1);
    assert_eq!(again.protocol(), shape.protocol());
    if shape.segments() == 1 {
        return 0; // its checksum may stand anywhere, as a tunnel's does
    }
    assert_eq!(
        again.flow(segment),
        shape.flow(packet),
        "segments stay in their flow"
    );
    assert_eq!(again.flow(segment).hash(7), shape.flow(packet).hash(7));
    let word = |at: usize| usize::from(u16::from_be_bytes([segment[at], segment[at + 1]]));
    let ip_header = match segment[0] >> 4 {
        6 => 40,
        _ => usize::from(segment[0] & 15) * 4,
    };
    if segment[0] >> 4 == 6 {
        assert_eq!(word(4), segment.len() - ip_header);
    } else {
        assert_eq!(word(2), segment.len());
        let mut renewed = segment[..ip_header].to_vec();
        checksum::complete_ip(&mut renewed);
        assert_eq!(renewed, segment[..ip_header], "IP's checksum is complete");
    }
    let transport = match shape.protocol() {
        Protocol::Tcp => usize::from(segment[ip_header + 12] >> 4) * 4,
        Protocol::Udp => 8,
        Protocol::Other => unreachable!("nothing else is segmented"),
    };
    segment.len() - ip_header - transport
}

/// Completes checksums at places that the packet needn't have.
fn checksums_outside(packet: &[u8]) {
    let mut packet = packet.to_vec();
    for place in [0, 1, 19, 20, packet.len(), usize::MAX] {
        checksum::complete(&mut packet, place, 16);
        checksum::complete(&mut packet, 20, place);
    }
}

//! Completes a checksum that the kernel has left to the device (RFC 1071; `virtio_net_hdr` of
//! `linux/virtio_net.h`).
//!
//! The device offers checksum offload because network cards do, and because kernels before 6.11
//! refuse UDP segmentation offload, which QUIC uses, on a device without it. What enters the path
//! is complete, so that the receiving kernel finds every bit that the path corrupts.

/// Bytes of a `virtio_net_hdr`, which stands before each packet that a device hands over.
pub(crate) const HEADER: usize = 10;

/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`: the checksum field holds the pseudo-header's sum only.
const NEEDS_CHECKSUM: u8 = 1;

/// Does what the header asks for. A header that points outside the packet changes nothing.
pub(crate) fn complete(header: [u8; HEADER], packet: &mut [u8]) {
    let [flags, _, _, _, _, _, start @ .., _, _] = header;
    if flags & NEEDS_CHECKSUM == 0 {
        return;
    }
    let start = usize::from(u16::from_ne_bytes(start));
    let field = start + usize::from(u16::from_ne_bytes([header[8], header[9]]));
    let Some(sum) = packet.get(start..).map(sum) else {
        return;
    };
    if let Some(field) = packet.get_mut(field..field + 2) {
        // Zero would mean "no checksum" in UDP (RFC 768).
        let checksum = if sum == u16::MAX { u16::MAX } else { !sum };
        field.copy_from_slice(&checksum.to_ne_bytes());
    }
}

/// The one's complement sum of 16-bit words. It is the same in either byte order (RFC 1071, 2.B),
/// so it is taken in the machine's own.
fn sum(bytes: &[u8]) -> u16 {
    let (words, rest) = bytes.split_at(bytes.len() / 4 * 4);
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    let mut total = u64::from(u32::from_ne_bytes(last));
    for word in words.chunks_exact(4) {
        total += u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    }
    while total > u64::from(u16::MAX) {
        total = (total & 0xffff) + (total >> 16);
    }
    total as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(start: u16, offset: u16) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[0] = NEEDS_CHECKSUM;
        header[6..8].copy_from_slice(&start.to_ne_bytes());
        header[8..10].copy_from_slice(&offset.to_ne_bytes());
        header
    }

    #[test]
    fn the_sum_is_that_of_rfc_1071() {
        let example = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(sum(&example).to_ne_bytes(), [0xdd, 0xf2]);
        assert_eq!(sum(&[0x12, 0x34, 0x56]).to_ne_bytes(), [0x68, 0x34]);
    }

    #[test]
    fn a_completed_packet_sums_to_all_ones() {
        let mut packet: Vec<u8> = (0..61).map(|i: u8| i.wrapping_mul(7)).collect();
        // Without a pseudo-header the field starts at zero.
        packet[26..28].fill(0);
        let before = packet[..20].to_vec();
        complete(header(20, 6), &mut packet);
        assert_eq!(sum(&packet[20..]), u16::MAX);
        assert_eq!(packet[..20], before);
    }

    #[test]
    fn a_checksum_of_zero_is_sent_as_all_ones() {
        let mut packet = [0xff, 0xff, 0, 0];
        complete(header(0, 2), &mut packet);
        assert_eq!(packet, [0xff; 4]);
    }

    #[test]
    fn a_header_that_asks_for_nothing_or_points_outside_changes_nothing() {
        for header in [
            [0; HEADER],
            header(9, 0),
            header(2, 3),
            header(u16::MAX, u16::MAX),
        ] {
            let mut packet = [1, 2, 3, 4];
            complete(header, &mut packet);
            assert_eq!(packet, [1, 2, 3, 4]);
        }
    }
}

//! The internet checksum (RFC 1071), which offload leaves to whoever reads a device.
//!
//! The device offers checksum offload because network cards do, and because kernels before 6.11
//! refuse UDP segmentation offload, which QUIC uses, on a device without it. Such a checksum stays
//! undone while a packet passes unchanged, and is completed before anything in it changes for the
//! worse, so that the receiving kernel finds every bit that the path corrupts.

/// Completes the checksum at `start + offset`, which holds the pseudo-header's sum, over all bytes
/// from `start` on. Where that lies outside of the packet, nothing changes.
pub fn complete(packet: &mut [u8], start: usize, offset: usize) {
    let Some(sum) = packet.get(start..).map(sum) else {
        return;
    };
    let field = start.saturating_add(offset);
    if let Some(field) = packet.get_mut(field..field.saturating_add(2)) {
        // Zero would mean "no checksum" in UDP (RFC 768).
        let checksum = if sum == u16::MAX { u16::MAX } else { !sum };
        field.copy_from_slice(&checksum.to_ne_bytes());
    }
}

/// Sets an IPv4 header's checksum anew; `header` is that header alone.
pub fn complete_ip(header: &mut [u8]) {
    if let Some(field) = header.get_mut(10..12) {
        field.fill(0);
    }
    let checksum = !sum(header);
    if let Some(field) = header.get_mut(10..12) {
        field.copy_from_slice(&checksum.to_ne_bytes());
    }
}

/// A complete checksum after a 16-bit word that it covers has changed (RFC 1624, equation 3).
#[must_use]
pub fn updated(checksum: u16, old: u16, new: u16) -> u16 {
    !moved(!checksum, old, new)
}

/// A sum after a word of it has changed: what a checksum field holds that is left to the reader.
#[must_use]
pub fn moved(sum: u16, old: u16, new: u16) -> u16 {
    fold(u64::from(sum) + u64::from(!old) + u64::from(new))
}

/// The one's complement sum of 16-bit words. It is the same in either byte order (RFC 1071, 2.B),
/// so it is taken in the machine's own.
pub(crate) fn sum(bytes: &[u8]) -> u16 {
    let (words, rest) = bytes.split_at(bytes.len() / 4 * 4);
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    let mut total = u64::from(u32::from_ne_bytes(last));
    for word in words.chunks_exact(4) {
        total += u64::from(u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    }
    fold(total)
}

fn fold(mut total: u64) -> u16 {
    while total > u64::from(u16::MAX) {
        total = (total & 0xffff) + (total >> 16);
    }
    total as u16
}

#[cfg(test)]
mod tests {
    use super::*;

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
        complete(&mut packet, 20, 6);
        assert_eq!(sum(&packet[20..]), u16::MAX);
        assert_eq!(packet[..20], before);
    }

    #[test]
    fn a_checksum_of_zero_is_sent_as_all_ones() {
        let mut packet = [0xff, 0xff, 0, 0];
        complete(&mut packet, 0, 2);
        assert_eq!(packet, [0xff; 4]);
    }

    #[test]
    fn a_place_outside_of_the_packet_changes_nothing() {
        for (start, offset) in [(9, 0), (2, 3), (usize::MAX, usize::MAX), (4, 0)] {
            let mut packet = [1, 2, 3, 4];
            complete(&mut packet, start, offset);
            assert_eq!(packet, [1, 2, 3, 4]);
        }
    }

    #[test]
    fn an_updated_checksum_is_the_one_computed_anew() {
        for new in [[0, 0], [0xff, 0xff], [0x12, 0x34], [9, 8]] {
            let mut header: Vec<u8> = (7..27).collect();
            complete_ip(&mut header);
            let word = |at: usize, header: &[u8]| u16::from_be_bytes([header[at], header[at + 1]]);
            let renewed = updated(word(10, &header), word(4, &header), u16::from_be_bytes(new));
            header[4..6].copy_from_slice(&new);
            header[10..12].copy_from_slice(&renewed.to_be_bytes());
            assert_eq!(sum(&header), u16::MAX);
        }
    }
}

//! What a router tells the sender of a packet that is too long for the next link (RFC 1191, RFC 4443).

use super::checksum;

/// Bytes of the longest packet made: what every link of IPv6 carries (RFC 4443, section 2.4(c)).
pub(crate) const MAX_LEN: usize = 1280;

const DO_NOT_FRAGMENT: u8 = 0x40;
const HOPS: u8 = 64;
const IPV6_HEADER: usize = 40;
const ICMPV6: u8 = 58;

/// Writes that a packet is too long, with the next hop's MTU, to the sender of `packet` and in the name of its destination;
/// gives the bytes written. None where nobody is told: of what is no IP packet, and of ICMP.
pub(crate) fn too_big(packet: &[u8], mtu: u16, out: &mut [u8; MAX_LEN]) -> Option<usize> {
    match packet.first()? >> 4 {
        4 => fragmentation_needed(packet, mtu, out),
        6 => packet_too_big(packet, mtu, out),
        _ => None,
    }
}

/// ICMP's "fragmentation needed and DF set" (RFC 1191, section 4). None also where fragmentation is allowed, and for
/// fragments after the first (RFC 1122, section 3.2.2).
fn fragmentation_needed(packet: &[u8], mtu: u16, out: &mut [u8; MAX_LEN]) -> Option<usize> {
    let ip_len = usize::from(packet.first()? & 15) * 4;
    let header = packet.get(..ip_len.max(20))?;
    let first_fragment = u16::from_be_bytes([header[6], header[7]]) & 0x1fff == 0;
    if header[6] & DO_NOT_FRAGMENT == 0 || !first_fragment || header[9] == 1 {
        return None;
    }
    let quoted = &packet[..packet.len().min(header.len() + 8)];
    let len = 20 + 8 + quoted.len();
    let (ip, icmp) = out[..len].split_at_mut(20);
    ip.copy_from_slice(&[
        0x45,
        0,
        0,
        0,
        0,
        0,
        DO_NOT_FRAGMENT,
        0,
        HOPS,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ]);
    ip[2..4].copy_from_slice(&(len as u16).to_be_bytes());
    ip[12..16].copy_from_slice(&header[16..20]);
    ip[16..20].copy_from_slice(&header[12..16]);
    checksum::complete_ip(ip);
    icmp[..8].copy_from_slice(&[3, 4, 0, 0, 0, 0, 0, 0]);
    icmp[6..8].copy_from_slice(&mtu.to_be_bytes());
    icmp[8..].copy_from_slice(quoted);
    checksum::complete(icmp, 0, 2);
    Some(len)
}

/// ICMPv6's "packet too big" (RFC 4443, section 3.2), with as much of the packet as fits.
fn packet_too_big(packet: &[u8], mtu: u16, out: &mut [u8; MAX_LEN]) -> Option<usize> {
    let header = packet.get(..IPV6_HEADER)?;
    if header[6] == ICMPV6 {
        return None;
    }
    let quoted = &packet[..packet.len().min(MAX_LEN - IPV6_HEADER - 8)];
    let len = IPV6_HEADER + 8 + quoted.len();
    let (ip, icmp) = out[..len].split_at_mut(IPV6_HEADER);
    ip.fill(0);
    ip[0] = 0x60;
    ip[4..6].copy_from_slice(&(icmp.len() as u16).to_be_bytes());
    ip[6..8].copy_from_slice(&[ICMPV6, HOPS]);
    ip[8..24].copy_from_slice(&header[24..40]);
    ip[24..40].copy_from_slice(&header[8..24]);
    let length = (icmp.len() as u32).to_be_bytes();
    let pseudo = [&ip[8..40], &length, &[0, 0, 0, ICMPV6]].concat();
    icmp[..8].copy_from_slice(&[2, 0, 0, 0, 0, 0, 0, 0]);
    icmp[2..4].copy_from_slice(&checksum::sum(&pseudo).to_ne_bytes());
    icmp[6..8].copy_from_slice(&mtu.to_be_bytes());
    icmp[8..].copy_from_slice(quoted);
    checksum::complete(icmp, 0, 2);
    Some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(flags: u8, protocol: u8) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 5, 220, 0, 1, flags, 0, 64, protocol, 0, 0];
        packet.extend([198, 18, 0, 1, 198, 18, 0, 2]);
        packet.extend(1..=100);
        packet
    }

    #[test]
    fn the_sender_is_told_the_mtu_with_its_own_first_bytes() {
        let mut out = [0; MAX_LEN];
        let sent = packet(DO_NOT_FRAGMENT, 6);
        assert_eq!(too_big(&sent, 1280, &mut out), Some(56));
        assert_eq!((&out[12..16], &out[16..20]), (&sent[16..20], &sent[12..16]));
        assert_eq!(
            (out[20], out[21], &out[26..28]),
            (3, 4, &1280u16.to_be_bytes()[..])
        );
        assert_eq!(out[28..56], sent[..28]);
        assert_eq!(checksum::sum(&out[..20]), u16::MAX);
        assert_eq!(checksum::sum(&out[20..56]), u16::MAX);
    }

    #[test]
    fn a_sender_of_ipv6_is_told_with_as_much_of_its_packet_as_fits() {
        let mut sent = vec![0x60, 0, 0, 0, 5, 180, 17, 64];
        sent.extend([[0xfd; 16], [0xfc; 16]].concat());
        sent.extend((0..1460_u16).map(|byte| byte as u8));
        let mut out = [0; MAX_LEN];
        assert_eq!(too_big(&sent, 1400, &mut out), Some(1280));
        assert_eq!((&out[8..24], &out[24..40]), (&sent[24..40], &sent[8..24]));
        assert_eq!(
            (out[40], out[41], &out[44..48]),
            (2, 0, &1400u32.to_be_bytes()[..])
        );
        assert_eq!(out[48..], sent[..1232]);
        let length = u16::from_be_bytes([out[4], out[5]]);
        let pseudo = [
            &out[8..40],
            &[0, 0],
            &length.to_be_bytes(),
            &[0, 0, 0, ICMPV6],
        ]
        .concat();
        assert_eq!(checksum::sum(&[&pseudo, &out[40..]].concat()), u16::MAX);
        sent[6] = ICMPV6;
        assert_eq!(too_big(&sent, 1400, &mut out), None);
        assert_eq!(too_big(&sent[..39], 1400, &mut out), None);
    }

    #[test]
    fn nobody_is_told_of_icmp_of_fragments_or_of_what_may_be_fragmented() {
        let mut out = [0; MAX_LEN];
        let mut fragment = packet(DO_NOT_FRAGMENT, 6);
        fragment[7] = 9;
        for packet in [
            packet(0, 6),
            packet(DO_NOT_FRAGMENT, 1),
            fragment,
            vec![],
            vec![0x45; 7],
            vec![0x4f; 30],
        ] {
            assert_eq!(too_big(&packet, 1280, &mut out), None);
        }
    }
}

//! From whom a packet is, and to whom.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Source and destination of an IP packet (RFC 791, section 3.1; RFC 8200, section 3); none where it is cut short, or no IP.
#[must_use]
pub fn addresses(packet: &[u8]) -> Option<(IpAddr, IpAddr)> {
    match packet.first()? >> 4 {
        4 => {
            let at = |at: usize| Some(Ipv4Addr::from(*packet.get(at..)?.first_chunk::<4>()?));
            Some((at(12)?.into(), at(16)?.into()))
        }
        6 => {
            let at = |at: usize| Some(Ipv6Addr::from(*packet.get(at..)?.first_chunk::<16>()?));
            Some((at(8)?.into(), at(24)?.into()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_have_a_source_and_a_destination() {
        let mut four = [0; 20];
        four[0] = 0x45;
        four[12..].copy_from_slice(&[198, 18, 0, 1, 198, 18, 0, 2]);
        let [client, server] = [1, 2].map(|host| IpAddr::from([198, 18, 0, host]));
        assert_eq!(addresses(&four), Some((client, server)));
        let [client, server] = [1, 2].map(|host| Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, host));
        let six = [
            &[0x60, 0, 0, 0, 0, 0, 6, 64][..],
            &client.octets(),
            &server.octets(),
        ]
        .concat();
        assert_eq!(addresses(&six), Some((client.into(), server.into())));
        assert_eq!(
            [
                addresses(&four[..19]),
                addresses(&six[..39]),
                addresses(&[0x50; 40])
            ],
            [None; 3]
        );
    }
}

//! What IP's header says of what it carries.

use pronghorn_path::Family;

use super::WireError;

pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;

/// Where a fragment stands, and whether others follow, as IPv4's header has them.
pub(super) const FRAGMENT_OFFSET: u16 = 0x1fff;
pub(super) const MORE_FRAGMENTS: u16 = 0x2000;

const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;
/// The extension header of fragments (RFC 8200, section 4.5), and its bytes.
const FRAGMENT: u8 = 44;
const FRAGMENT_HEADER: usize = 8;

/// IP's header. Of IPv6 no other extension header than a fragment's is looked behind: what has one carries neither TCP nor
/// UDP here, as the hosts' kernels send none.
pub(super) struct Envelope {
    pub(super) family: Family,
    /// Its bytes; of a fragment of IPv6, without its extension.
    pub(super) header: usize,
    /// Bytes of the packet, as it says.
    pub(super) total: usize,
    /// The number of the protocol that it carries.
    pub(super) protocol: u8,
    /// [`FRAGMENT_OFFSET`] and [`MORE_FRAGMENTS`].
    pub(super) fragment: u16,
}

impl Envelope {
    pub(super) fn read(packet: &[u8]) -> Result<Envelope, WireError> {
        let envelope = match packet.first().map(|first| first >> 4) {
            Some(4) => Envelope::of_ipv4(packet)?,
            Some(6) => Envelope::of_ipv6(packet)?,
            _ => return Err(WireError::NotIp),
        };
        if envelope.total < envelope.header || envelope.total > packet.len() {
            return Err(WireError::IpLength);
        }
        Ok(envelope)
    }

    fn of_ipv4(packet: &[u8]) -> Result<Envelope, WireError> {
        let header = usize::from(packet[0] & 15) * 4;
        if header < IPV4_HEADER || packet.len() < header {
            return Err(WireError::IpHeader);
        }
        Ok(Envelope {
            family: Family::Four,
            header,
            total: usize::from(word(packet, 2)),
            protocol: packet[9],
            fragment: word(packet, 6),
        })
    }

    fn of_ipv6(packet: &[u8]) -> Result<Envelope, WireError> {
        if packet.len() < IPV6_HEADER {
            return Err(WireError::IpHeader);
        }
        let total = IPV6_HEADER + usize::from(word(packet, 4));
        if total > usize::from(u16::MAX) {
            return Err(WireError::IpLength);
        }
        let (protocol, fragment) = match packet[6] {
            FRAGMENT if packet.len() >= IPV6_HEADER + FRAGMENT_HEADER => {
                let field = word(packet, IPV6_HEADER + 2);
                let more = if field & 1 == 1 { MORE_FRAGMENTS } else { 0 };
                // Of the first fragment too, so that nothing takes its extension for a transport header.
                (packet[IPV6_HEADER], (field >> 3).max(1) | more)
            }
            protocol => (protocol, 0),
        };
        Ok(Envelope {
            family: Family::Six,
            header: IPV6_HEADER,
            total,
            protocol,
            fragment,
        })
    }
}

fn word(packet: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([packet[at], packet[at + 1]])
}

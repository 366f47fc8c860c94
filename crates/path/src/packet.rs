//! What a link needs to know of a packet.

use std::net::IpAddr;

/// A packet as the link sees it: so many bytes, of which a bit can flip, and which can be copied.
pub trait Packet {
    /// The packet's length in bytes, which rate and queue count.
    fn len(&self) -> usize;

    /// Whether the packet has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Inverts one bit; `bit` is less than `8 * len()`, bit 0 is the first byte's least significant.
    fn flip_bit(&mut self, bit: usize);

    /// A second packet of the same content.
    #[must_use]
    fn duplicate(&self) -> Self;

    /// A number that packets of one flow share (RFC 8290, section 4.1: addresses, protocol, ports),
    /// and that other flows have by chance only; `key` settles which.
    fn flow(&self, key: u64) -> u64 {
        let _ = key;
        0
    }

    /// The address to which it goes; none of what is no IP.
    fn destination(&self) -> Option<IpAddr> {
        None
    }

    /// Whether it is UDP that [`crate::LinkSpec::udp`] concerns: all but DNS (RFC 1035, section 4.2.1: port 53),
    /// which networks that keep other UDP out let pass.
    fn is_udp_other_than_dns(&self) -> bool {
        false
    }

    /// Sets ECN's "congestion experienced" where the packet allows it (RFC 3168, section 5: ECT or CE);
    /// returns whether it is set.
    fn mark_congestion(&mut self) -> bool {
        false
    }
}

impl Packet for Vec<u8> {
    fn len(&self) -> usize {
        self.len()
    }

    fn flip_bit(&mut self, bit: usize) {
        if let Some(byte) = self.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }
}

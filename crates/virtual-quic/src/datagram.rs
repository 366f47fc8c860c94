//! A UDP datagram as a link sees it.

use bytes::BytesMut;
use pronghorn_path::Packet;
use quinn_proto::EcnCodepoint;

/// Bytes of a packet before the UDP payload: IPv4 without options (RFC 791, section 3.1) and UDP (RFC 768).
pub(crate) const HEADERS: usize = 20 + 8;

/// One UDP datagram over IPv4.
#[derive(Clone, Debug)]
pub(crate) struct Datagram {
    pub(crate) payload: BytesMut,
    pub(crate) ecn: Option<EcnCodepoint>,
    /// Whether a bit flipped. UDP's checksum tells, so no receiver's program ever sees it.
    pub(crate) corrupted: bool,
}

impl Packet for Datagram {
    fn len(&self) -> usize {
        HEADERS + self.payload.len()
    }

    fn flip_bit(&mut self, _bit: usize) {
        self.corrupted = true;
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }

    fn is_udp_other_than_dns(&self) -> bool {
        true
    }

    fn mark_congestion(&mut self) -> bool {
        if self.ecn.is_some() {
            self.ecn = Some(EcnCodepoint::Ce);
        }
        self.ecn.is_some()
    }
}

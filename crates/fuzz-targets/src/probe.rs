//! The packets that targets send through a link.

use pronghorn_path::Packet;

/// A packet of so many bytes, one of a few flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    bytes: Vec<u8>,
    number: u64,
    marked: bool,
}

/// Lengths at the edges: nearly nothing, an acknowledgement, what MTUs allow, the longest there is.
const LENGTHS: [usize; 8] = [1, 52, 68, 1200, 1280, 1500, 1504, 65_535];

impl Probe {
    /// The packet of this number; numbers apart by 24 are alike.
    pub(crate) fn new(number: u64) -> Probe {
        Probe {
            bytes: vec![0; LENGTHS[number as usize % LENGTHS.len()]],
            number,
            marked: false,
        }
    }
}

impl Packet for Probe {
    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn flip_bit(&mut self, bit: usize) {
        self.bytes[bit / 8] ^= 1 << (bit % 8);
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }

    fn flow(&self, key: u64) -> u64 {
        (self.number % 3).wrapping_mul(key | 1)
    }

    fn is_udp_other_than_dns(&self) -> bool {
        self.number % 3 == 0
    }

    fn mark_congestion(&mut self) -> bool {
        self.marked |= self.number % 2 == 0;
        self.marked
    }
}

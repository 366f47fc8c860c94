//! Whether the bottleneck's buffer has room: drop-tail, bounded in bytes or in packets.

use crate::spec::Queue;

/// How full the buffer is. Packets waiting and the one being serialised count.
#[derive(Debug)]
pub(crate) struct DropTail {
    bound: Queue,
    bytes: u64,
    packets: u64,
}

impl DropTail {
    pub(crate) fn new(bound: Queue) -> DropTail {
        DropTail {
            bound,
            bytes: 0,
            packets: 0,
        }
    }

    /// Whether a packet of `len` bytes finds room; one that fills the buffer to its bound does.
    pub(crate) fn has_room(&self, len: usize) -> bool {
        match self.bound {
            Queue::Bytes(bound) => self.bytes.saturating_add(len as u64) <= bound,
            Queue::Packets(bound) => self.packets < bound,
            Queue::TimeNs(_) => todo!(),
        }
    }

    pub(crate) fn enter(&mut self, len: usize) {
        self.bytes += len as u64;
        self.packets += 1;
    }

    pub(crate) fn leave(&mut self, len: usize) {
        self.bytes -= len as u64;
        self.packets -= 1;
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn packets(&self) -> u64 {
        self.packets
    }
}

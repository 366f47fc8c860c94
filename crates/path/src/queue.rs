//! Whether the bottleneck's buffer has room: bounded in bytes, in packets or in time.

use crate::spec::Queue;

/// How full the buffer is. Packets waiting and the one being serialised count.
#[derive(Debug)]
pub(crate) struct DropTail {
    limit: Limit,
    bytes: u64,
    packets: u64,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Bytes(u64),
    Packets(u64),
    /// So many bytes, which is what the rate sends in the time asked for; the first packet always fits.
    Time(u64),
}

impl Limit {
    fn new(bound: Queue, rate_bit_per_s: u64) -> Limit {
        match bound {
            Queue::Bytes(bytes) => Limit::Bytes(bytes),
            Queue::Packets(packets) => Limit::Packets(packets),
            Queue::TimeNs(nanos) => {
                let bytes = u128::from(nanos) * u128::from(rate_bit_per_s) / 8_000_000_000;
                Limit::Time(u64::try_from(bytes).unwrap_or(u64::MAX))
            }
        }
    }
}

impl DropTail {
    /// `rate_bit_per_s` is what a bound in time is a time of.
    pub(crate) fn new(bound: Queue, rate_bit_per_s: u64) -> DropTail {
        DropTail {
            limit: Limit::new(bound, rate_bit_per_s),
            bytes: 0,
            packets: 0,
        }
    }

    /// Whether a packet of `len` bytes finds room; one that fills the buffer to its bound does.
    pub(crate) fn has_room(&self, len: usize) -> bool {
        let bytes = self.bytes.saturating_add(len as u64);
        match self.limit {
            Limit::Bytes(bound) => bytes <= bound,
            Limit::Packets(bound) => self.packets < bound,
            Limit::Time(bound) => bytes <= bound || self.packets == 0,
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

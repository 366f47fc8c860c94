//! Whether the bottleneck's buffer has room: bounded in bytes, in packets or in time.

use crate::overhead::Framing;
use crate::spec::Queue;

/// How full the buffer is. Packets waiting and the one being serialised count.
#[derive(Debug)]
pub(crate) struct Room {
    bound: Queue,
    rate_bit_per_s: u64,
    limit: Limit,
    framing: Framing,
    bytes: u64,
    wire_bytes: u64,
    packets: u64,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Bytes(u64),
    Packets(u64),
    /// So many bytes on the wire, which is what the rate sends in the time asked for; one packet always fits.
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

impl Room {
    /// `rate_bit_per_s` is what a bound in time is a time of.
    pub(crate) fn new(bound: Queue, rate_bit_per_s: u64, framing: Framing) -> Room {
        Room {
            bound,
            rate_bit_per_s,
            limit: Limit::new(bound, rate_bit_per_s),
            framing,
            bytes: 0,
            wire_bytes: 0,
            packets: 0,
        }
    }

    /// Another bound; what is inside stays, even where it is more than that.
    pub(crate) fn set_bound(&mut self, bound: Queue) {
        self.bound = bound;
        self.limit = Limit::new(bound, self.rate_bit_per_s);
    }

    /// Another rate, for a bound in time.
    pub(crate) fn set_rate(&mut self, rate_bit_per_s: u64) {
        self.rate_bit_per_s = rate_bit_per_s;
        self.limit = Limit::new(self.bound, rate_bit_per_s);
    }

    /// Whether a packet of `len` bytes finds room; one that fills the buffer to its bound does.
    pub(crate) fn has_room(&self, len: usize) -> bool {
        match self.limit {
            Limit::Bytes(bound) => self.bytes.saturating_add(len as u64) <= bound,
            Limit::Packets(bound) => self.packets < bound,
            Limit::Time(bound) => {
                let wire_bytes = self.framing.wire_bytes(len);
                self.packets == 0 || self.wire_bytes.saturating_add(wire_bytes) <= bound
            }
        }
    }

    /// Whether a packet of `len` bytes would find room if nothing else were there.
    pub(crate) fn could_hold(&self, len: usize) -> bool {
        match self.limit {
            Limit::Bytes(bound) => len as u64 <= bound,
            Limit::Packets(_) | Limit::Time(_) => true,
        }
    }

    /// Whether more is inside than the bound allows.
    pub(crate) fn is_over(&self) -> bool {
        match self.limit {
            Limit::Bytes(bound) => self.bytes > bound,
            Limit::Packets(bound) => self.packets > bound,
            Limit::Time(bound) => self.wire_bytes > bound && self.packets > 1,
        }
    }

    pub(crate) fn enter(&mut self, len: usize) {
        self.bytes = self.bytes.saturating_add(len as u64);
        self.wire_bytes = self.wire_bytes.saturating_add(self.framing.wire_bytes(len));
        self.packets += 1;
    }

    pub(crate) fn leave(&mut self, len: usize) {
        self.bytes = self.bytes.saturating_sub(len as u64);
        self.wire_bytes = self.wire_bytes.saturating_sub(self.framing.wire_bytes(len));
        self.packets -= 1;
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn packets(&self) -> u64 {
        self.packets
    }
}

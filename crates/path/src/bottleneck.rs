//! The bottleneck: a buffer before a wire.

use std::collections::VecDeque;

use crate::packet::Packet;
use crate::queue::DropTail;
use crate::serialiser::Serialiser;
use crate::spec::Queue;
use crate::time::Time;
use crate::transit::Transit;

/// The last stages, queue and rate. A packet that ends its serialisation at the very moment at
/// which another comes has made room for it.
#[derive(Debug)]
pub(crate) struct Bottleneck<P> {
    buffer: DropTail,
    wire: Serialiser,
    /// In order of arrival; the first is being serialised.
    packets: VecDeque<Transit<P>>,
    /// When the first packet's serialisation ends; set where there is one.
    end: Time,
}

impl<P: Packet> Bottleneck<P> {
    pub(crate) fn new(rate_bit_per_s: u64, bound: Queue) -> Bottleneck<P> {
        Bottleneck {
            buffer: DropTail::new(bound, rate_bit_per_s),
            wire: Serialiser::new(rate_bit_per_s),
            packets: VecDeque::new(),
            end: Time::ZERO,
        }
    }

    /// Takes a packet that comes at `at`, or gives it back where there is no room. Every packet that ends by `at` must have been popped before.
    pub(crate) fn push(&mut self, at: Time, transit: Transit<P>) -> Result<(), Transit<P>> {
        let len = transit.packet.len();
        if !self.buffer.has_room(len) {
            return Err(transit);
        }
        self.buffer.enter(len);
        if self.packets.is_empty() {
            self.end = self.wire.send(at, len);
        }
        self.packets.push_back(transit);
        Ok(())
    }

    /// When the packet being serialised leaves.
    pub(crate) fn end(&self) -> Option<Time> {
        (!self.packets.is_empty()).then_some(self.end)
    }

    /// When a packet of `len` bytes that finds the bottleneck empty at `at` would leave; at once
    /// where the buffer can't hold it.
    pub(crate) fn preview(&self, at: Time, len: usize) -> Time {
        if self.buffer.has_room(len) {
            self.wire.preview(at, len)
        } else {
            at
        }
    }

    /// Takes out the packet being serialised, with the time at which it leaves, and begins with
    /// the next one where the wire left off.
    pub(crate) fn pop(&mut self) -> Option<(Time, Transit<P>)> {
        let transit = self.packets.pop_front()?;
        let end = self.end;
        self.buffer.leave(transit.packet.len());
        if let Some(next) = self.packets.front() {
            self.end = self.wire.send(Time::ZERO, next.packet.len());
        }
        Some((end, transit))
    }

    /// How full the buffer is, for the counters.
    pub(crate) fn buffer(&self) -> &DropTail {
        &self.buffer
    }
}

//! What a link keeps count of, and the packets that it dropped.

use std::collections::VecDeque;

use crate::counters::Counters;
use crate::fate::{Departure, DropCause, Dropped};
use crate::packet::Packet;
use crate::time::Time;
use crate::transit::Transit;

/// Counters, and dropped packets where somebody asks for them.
#[derive(Debug)]
pub(crate) struct Ledger<P> {
    pub(crate) counters: Counters,
    dropped: Option<VecDeque<Dropped<P>>>,
    /// One more than the highest sequence number that has left.
    passed: u64,
}

impl<P: Packet> Ledger<P> {
    pub(crate) fn new() -> Ledger<P> {
        Ledger {
            counters: Counters::default(),
            dropped: None,
            passed: 0,
        }
    }

    pub(crate) fn keep_dropped(&mut self) {
        self.dropped.get_or_insert_with(VecDeque::new);
    }

    pub(crate) fn take_dropped(&mut self) -> Option<Dropped<P>> {
        self.dropped.as_mut()?.pop_front()
    }

    /// A packet doesn't enter. Losses are counted where they are decided, since each may leave a copy.
    pub(crate) fn refuse(&mut self, cause: DropCause, dropped: impl FnOnce() -> Dropped<P>) {
        let counters = &mut self.counters;
        match cause {
            DropCause::TooBig => counters.too_big += 1,
            DropCause::Udp => counters.udp_dropped += 1,
            DropCause::Outage => counters.outage_dropped += 1,
            DropCause::Loss => {}
            DropCause::Policed => counters.policed += 1,
            DropCause::QueueFull => counters.queue_dropped += 1,
            DropCause::Aqm => counters.aqm_dropped += 1,
            DropCause::LeftBehind => counters.left_behind += 1,
        }
        if let Some(kept) = &mut self.dropped {
            kept.push_back(dropped());
        }
    }

    /// A packet that was held ends at `at`.
    pub(crate) fn drop_held(&mut self, at: Time, cause: DropCause, transit: Transit<P>) {
        self.counters.held -= 1;
        self.refuse(cause, || Dropped {
            number: transit.number,
            arrived: transit.arrived,
            at,
            cause,
            marks: transit.marks,
            packet: transit.packet,
        });
    }

    /// A packet that was held leaves at `due`.
    pub(crate) fn depart(&mut self, due: Time, transit: Transit<P>) -> Departure<P> {
        let counters = &mut self.counters;
        counters.held -= 1;
        counters.packets_out += 1;
        counters.bytes_out += transit.packet.len() as u64;
        counters.reordered += u64::from(transit.sequence < self.passed);
        counters.marked += u64::from(transit.marks.congestion);
        self.passed = self.passed.max(transit.sequence + 1);
        Departure {
            number: transit.number,
            arrived: transit.arrived,
            reached: transit.reached,
            due,
            marks: transit.marks,
            packet: transit.packet,
        }
    }
}

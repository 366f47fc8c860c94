//! How a packet is delayed: each is held until its arrival plus the constant delay plus jitter.
//!
//! Where order is kept, a packet is due no earlier than the one before it, and a plain queue holds
//! them all. Where order may break, a heap gives out the one due first; among equals, the one that
//! came first. Packets that skip the delay (`reorder.rs`) stand in a line of their own, whatever
//! the order of the others, and are due when they enter.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use crate::draws::Instance;
use crate::far::Distances;
use crate::jitter::Jitter;
use crate::packet::Packet;
use crate::reorder::Reorder;
use crate::schedule::{Changes, EntryValues};
use crate::spec::Order;
use crate::spec::{self, Direction, LinkSpec};
use crate::spec_error::SpecError;
use crate::time::Time;
use crate::transit::Transit;

/// The stage after corruption.
#[derive(Debug)]
pub(crate) struct Delay<P> {
    delay_ns: u64,
    jitter: Option<Jitter>,
    reorder: Option<Reorder>,
    line: Line<P>,
    distances: Distances,
    /// Whether a packet is due no earlier than the one before it to the same place.
    keeps_order: bool,
    /// Those that skip the delay, in order of entry, which is the order of due times.
    hurried: VecDeque<Waiting<P>>,
}

#[derive(Debug)]
enum Line<P> {
    /// In order of entry, which is the order of due times.
    Kept(VecDeque<Waiting<P>>),
    /// In order of due times, whatever the order of entry.
    Broken(BinaryHeap<Waiting<P>>),
}

#[derive(Debug)]
struct Waiting<P> {
    due: Time,
    transit: Transit<P>,
}

impl<P> Delay<P> {
    /// A jitter or a reordering that only `changes` name is the default one, of that spread or probability.
    ///
    /// # Errors
    /// What is wrong with the jitter's table.
    pub(crate) fn new(
        spec: &LinkSpec,
        changes: &Changes,
        seed: u64,
        direction: Direction,
    ) -> Result<Delay<P>, SpecError> {
        let jitter_varies = changes.sets(|values| values.jitter_ns);
        let jitter_spec = spec.jitter.clone().unwrap_or_default();
        let jitter = Jitter::new(&jitter_spec, jitter_varies, seed, direction)?;
        let reorder_varies = changes.sets(|values| values.reorder);
        let reorder_spec = spec.reorder.unwrap_or(spec::Reorder {
            probability: 0.0,
            correlation: 0.0,
            gap: 1,
        });
        let order = jitter_spec.order;
        let distances = Distances::new(&spec.far);
        let keeps_order = jitter.is_none() || order != Order::Break;
        let line = match keeps_order && distances.is_empty() {
            true => Line::Kept(VecDeque::new()),
            false => Line::Broken(BinaryHeap::new()),
        };
        Ok(Delay {
            delay_ns: spec.delay_ns,
            jitter,
            reorder: Reorder::new(&reorder_spec, reorder_varies, seed, direction),
            line,
            distances,
            keeps_order,
            hurried: VecDeque::new(),
        })
    }

    /// Other values, for packets that enter from now on.
    pub(crate) fn set(&mut self, values: &EntryValues) {
        self.delay_ns = values.delay_ns.unwrap_or(self.delay_ns);
        if let (Some(jitter), Some(spread_ns)) = (&mut self.jitter, values.jitter_ns) {
            jitter.set(spread_ns);
        }
        if let (Some(reorder), Some(probability)) = (&mut self.reorder, values.reorder) {
            reorder.set(probability);
        }
    }
}

impl<P: Packet> Delay<P> {
    /// Takes a packet that entered at `transit.arrived`, which is no earlier than the last one's.
    pub(crate) fn push(&mut self, mut transit: Transit<P>, instance: Instance) {
        let delay_ns = match &mut self.jitter {
            Some(jitter) => jitter.stray(self.delay_ns, instance),
            None => self.delay_ns,
        };
        if let Some(reorder) = &mut self.reorder {
            transit.marks.hurried = reorder.hurries(instance);
        }
        if transit.marks.hurried {
            let due = transit.arrived;
            self.hurried.push_back(Waiting { due, transit });
            return;
        }
        let due = transit.arrived.plus_nanos(delay_ns);
        match &mut self.line {
            Line::Kept(queue) => {
                let due = queue.back().map_or(due, |last| due.max(last.due));
                queue.push_back(Waiting { due, transit });
            }
            Line::Broken(heap) => {
                let due = self.distances.due(&transit.packet, due, self.keeps_order);
                heap.push(Waiting { due, transit });
            }
        }
    }
}

impl<P> Delay<P> {
    /// Uses up the draws of a packet that doesn't come this far.
    pub(crate) fn skip(&mut self, instance: Instance) {
        if let Some(jitter) = &mut self.jitter {
            jitter.skip(instance);
        }
        if let Some(reorder) = &mut self.reorder {
            reorder.skip(instance);
        }
    }

    /// The packet that is due first, and when.
    pub(crate) fn peek(&self) -> Option<(Time, &P)> {
        let first = if self.hurried_first() {
            self.hurried.front()
        } else {
            self.line.first()
        };
        first.map(|waiting| (waiting.due, &waiting.transit.packet))
    }

    /// Takes out the packet that is due first.
    pub(crate) fn pop(&mut self) -> Option<(Time, Transit<P>)> {
        let first = if self.hurried_first() {
            self.hurried.pop_front()
        } else {
            self.line.pop()
        };
        first.map(|waiting| (waiting.due, waiting.transit))
    }

    /// Whether the packet that is due first is one that skips the delay.
    fn hurried_first(&self) -> bool {
        self.hurried.front().is_some_and(|hurried| {
            self.line
                .first()
                .is_none_or(|delayed| hurried.key() < delayed.key())
        })
    }
}

impl<P> Line<P> {
    fn first(&self) -> Option<&Waiting<P>> {
        match self {
            Line::Kept(queue) => queue.front(),
            Line::Broken(heap) => heap.peek(),
        }
    }

    fn pop(&mut self) -> Option<Waiting<P>> {
        match self {
            Line::Kept(queue) => queue.pop_front(),
            Line::Broken(heap) => heap.pop(),
        }
    }
}

impl<P> Waiting<P> {
    fn key(&self) -> (Time, u64) {
        (self.due, self.transit.sequence)
    }
}

/// The greatest is the one due first, since [`BinaryHeap`] gives out the greatest.
impl<P> Ord for Waiting<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<P> PartialOrd for Waiting<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for Waiting<P> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<P> Eq for Waiting<P> {}

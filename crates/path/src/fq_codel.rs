//! FQ-CoDel: a queue a flow, served in turns, each managed by CoDel (RFC 8290).
//!
//! Flows are hashed to queues under a seeded key (section 4.1). Queues are served by deficit round
//! robin, the new ones before the old (section 4.2). Where the buffer is over its bound, packets are
//! dropped from the head of the queue that holds the most bytes: half of them, or 64 packets if that
//! is less (section 4.1; the batch as in Linux's `fq_codel_drop`). CoDel's rule that nothing is
//! dropped where no more than an MTU waits is about the flow's own queue.

use std::collections::VecDeque;

use crate::codel::{Aim, Codel, Managed};
use crate::exit::Exit;
use crate::fate::DropCause;
use crate::fifo::{Line, Store};
use crate::packet::Packet;
use crate::time::Time;
use crate::transit::Transit;

/// The most packets that are dropped at once from the queue with the most bytes.
const BATCH: usize = 64;

/// The queues and whose turn it is.
#[derive(Debug)]
pub(crate) struct FqCodel<P> {
    aim: Aim,
    quantum: i64,
    key: u64,
    flows: Vec<Flow>,
    store: Store<P>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

#[derive(Debug)]
struct Flow {
    line: Line,
    deficit: i64,
    /// Whether it is in one of the lists.
    active: bool,
    codel: Codel,
}

impl<P: Packet> FqCodel<P> {
    pub(crate) fn new(aim: Aim, flows: u32, quantum_bytes: u32, key: u64) -> FqCodel<P> {
        let flow = || Flow {
            line: Line::default(),
            deficit: 0,
            active: false,
            codel: Codel::new(),
        };
        FqCodel {
            aim,
            quantum: quantum_bytes.into(),
            key,
            flows: (0..flows).map(|_| flow()).collect(),
            store: Store::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// Takes out every packet, whatever its turn.
    pub(crate) fn take_all(&mut self) -> Vec<Transit<P>> {
        let FqCodel { flows, store, .. } = self;
        let lines = flows.iter_mut().map(|flow| &mut flow.line);
        lines
            .flat_map(|line| std::iter::from_fn(|| store.pop(line)).collect::<Vec<_>>())
            .collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    pub(crate) fn enqueue(&mut self, transit: Transit<P>) {
        let index = (transit.packet.flow(self.key) % self.flows.len() as u64) as usize;
        let flow = &mut self.flows[index];
        self.store.push(&mut flow.line, transit);
        if !flow.active {
            flow.active = true;
            flow.deficit = self.quantum;
            self.new.push_back(index);
        }
    }

    /// The packet to send at `now`. None where there is none.
    pub(crate) fn dequeue(&mut self, now: Time, exit: Exit<'_, P>) -> Option<Transit<P>> {
        let mut exit = exit;
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new {
                &mut self.new
            } else {
                &mut self.old
            };
            let index = *list.front()?;
            let flow = &mut self.flows[index];
            if flow.deficit <= 0 {
                flow.deficit += self.quantum;
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let mut queue = Queue {
                now,
                store: &mut self.store,
                line: &mut flow.line,
                exit: exit.again(),
            };
            if let Some(transit) = flow.codel.dequeue(self.aim, now, &mut queue) {
                flow.deficit -= transit.packet.len() as i64;
                return Some(transit);
            }
            list.pop_front();
            if from_new {
                self.old.push_back(index);
            } else {
                flow.active = false;
            }
        }
    }

    /// Drops a batch from the head of the queue with the most bytes; returns whether there was one.
    pub(crate) fn shed(&mut self, now: Time, mut exit: Exit<'_, P>) -> bool {
        let bytes = |index: &&usize| self.flows[**index].line.bytes();
        let Some(fattest) = self.new.iter().chain(&self.old).max_by_key(bytes) else {
            return false;
        };
        let line = &mut self.flows[*fattest].line;
        let keep = line.bytes() / 2;
        let mut dropped = 0;
        while dropped < BATCH && (dropped == 0 || line.bytes() > keep) {
            let Some(transit) = self.store.pop(line) else {
                break;
            };
            exit.drop(now, DropCause::QueueFull, transit);
            dropped += 1;
        }
        dropped > 0
    }
}

/// One flow's queue, for CoDel.
struct Queue<'a, P> {
    now: Time,
    store: &'a mut Store<P>,
    line: &'a mut Line,
    exit: Exit<'a, P>,
}

impl<P: Packet> Managed<P> for Queue<'_, P> {
    fn take(&mut self) -> Option<Transit<P>> {
        self.store.pop(self.line)
    }

    fn bytes(&self) -> u64 {
        self.line.bytes()
    }

    fn drop(&mut self, transit: Transit<P>) {
        self.exit.drop(self.now, DropCause::Aqm, transit);
    }
}

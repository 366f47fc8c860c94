//! How events come from a link's driver to who keeps them, the writer, without the driver ever waiting.
//!
//! Both sides try a lock and never queue for it. A driver runs at real-time priority: were it to wait, or spin, for a
//! writer that it has itself pushed off the CPU, it would do so until the kernel steps in. Nothing is allocated once the
//! buffers are there.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use pronghorn_path::Time;

use crate::driver::tap::{Dropping, Leaving};

/// Events, and bytes of packets, that wait for the writer at most: a quarter of a second at 1 Gbit/s.
const MOST_EVENTS: usize = 1 << 16;
const MOST_BYTES: usize = 32 << 20;

/// The same, for what comes while the writer has the lock.
const MOST_ASIDE_EVENTS: usize = 1 << 11;
const MOST_ASIDE_BYTES: usize = 1 << 20;

/// Something that happened on a link.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A packet entered.
    Entered { number: u64, at: Time },
    /// A packet left, after `queued_ns` behind others.
    Left { facts: Leaving, queued_ns: u64 },
    /// A packet ended; it comes without its bytes.
    Dropped(Dropping),
}

/// Events in order, with their packets.
#[derive(Debug)]
pub(crate) struct Batch {
    events: Vec<(Event, usize)>,
    bytes: Vec<u8>,
    most_events: usize,
    most_bytes: usize,
}

impl Batch {
    fn new(most_events: usize, most_bytes: usize) -> Batch {
        // What was put aside still fits on top.
        Batch {
            events: Vec::with_capacity(most_events + MOST_ASIDE_EVENTS),
            bytes: Vec::with_capacity(most_bytes + MOST_ASIDE_BYTES),
            most_events,
            most_bytes,
        }
    }

    /// An empty one that can change places with a mailbox's.
    pub(crate) fn spare() -> Batch {
        Batch::new(MOST_EVENTS, MOST_BYTES)
    }

    /// Adds an event; false where there is no room.
    fn add(&mut self, event: Event, packet: &[u8]) -> bool {
        let fits = self.events.len() < self.most_events
            && self.bytes.len() + packet.len() <= self.most_bytes;
        if fits {
            self.events.push((event, packet.len()));
            self.bytes.extend_from_slice(packet);
        }
        fits
    }

    fn append(&mut self, other: &mut Batch) {
        if !other.events.is_empty() {
            self.events.append(&mut other.events);
            self.bytes.append(&mut other.bytes);
        }
    }

    /// Every event with its packet.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Event, &[u8])> {
        let mut rest = &self.bytes[..];
        self.events.iter().map(move |(event, len)| {
            let (packet, after) = rest.split_at(*len);
            rest = after;
            (*event, packet)
        })
    }

    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.bytes.clear();
    }
}

#[derive(Debug)]
struct Shared {
    batch: Mutex<Batch>,
    /// The sender is gone, and all it had is in the batch.
    closed: AtomicBool,
}

/// A new mailbox.
pub(crate) fn mailbox() -> (Sender, Receiver) {
    let shared = Arc::new(Shared {
        batch: Mutex::new(Batch::spare()),
        closed: AtomicBool::new(false),
    });
    let sender = Sender {
        shared: Arc::clone(&shared),
        aside: Batch::new(MOST_ASIDE_EVENTS, MOST_ASIDE_BYTES),
    };
    (sender, Receiver(shared))
}

/// The driver's end.
#[derive(Debug)]
pub(crate) struct Sender {
    shared: Arc<Shared>,
    /// What came while the receiver was busy.
    aside: Batch,
}

impl Sender {
    /// Sends an event; false where there is no room for it.
    pub(crate) fn send(&mut self, event: Event, packet: &[u8]) -> bool {
        let mut batch = match self.shared.batch.try_lock() {
            Ok(batch) => batch,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return self.aside.add(event, packet),
        };
        batch.append(&mut self.aside);
        batch.add(event, packet)
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let mut batch = self
            .shared
            .batch
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        batch.append(&mut self.aside);
        drop(batch);
        self.shared.closed.store(true, Ordering::Release);
    }
}

/// The writer's end.
#[derive(Debug)]
pub(crate) struct Receiver(Arc<Shared>);

impl Receiver {
    /// Whether nothing will be sent any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.closed.load(Ordering::Acquire)
    }

    /// Puts what has come in the place of `batch`, which must be empty; leaves it so where the sender is busy.
    pub(crate) fn take(&self, batch: &mut Batch) {
        match self.0.batch.try_lock() {
            Ok(mut waiting) => mem::swap(&mut *waiting, batch),
            Err(TryLockError::Poisoned(poisoned)) => mem::swap(&mut *poisoned.into_inner(), batch),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// The same, and waits while the sender is busy.
    pub(crate) fn take_last(&self, batch: &mut Batch) {
        let mut waiting = self.0.batch.lock().unwrap_or_else(PoisonError::into_inner);
        mem::swap(&mut *waiting, batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entered(number: u64) -> Event {
        Event::Entered {
            number,
            at: Time(number),
        }
    }

    fn taken(receiver: &Receiver) -> Vec<(u64, Vec<u8>)> {
        let mut batch = Batch::spare();
        receiver.take_last(&mut batch);
        batch
            .iter()
            .map(|(event, packet)| match event {
                Event::Entered { number, .. } => (number, packet.to_vec()),
                other => unreachable!("only entries were sent: {other:?}"),
            })
            .collect()
    }

    #[test]
    fn what_is_sent_comes_once_and_in_order() {
        let (mut sender, receiver) = mailbox();
        assert!(sender.send(entered(0), b"zero"));
        assert!(sender.send(entered(1), b""));
        assert_eq!(taken(&receiver), [(0, b"zero".to_vec()), (1, vec![])]);
        assert_eq!(taken(&receiver), []);
        assert!(!receiver.is_closed());
        drop(sender);
        assert!(receiver.is_closed());
    }

    #[test]
    fn a_busy_receiver_delays_nothing_and_loses_nothing() {
        let (mut sender, receiver) = mailbox();
        let held = receiver.0.batch.lock().expect("nobody has panicked");
        assert!(sender.send(entered(0), b"aside"));
        assert!(sender.send(entered(1), b"too"));
        drop(held);
        assert!(sender.send(entered(2), b"direct"));
        let numbers: Vec<u64> = taken(&receiver)
            .into_iter()
            .map(|(number, _)| number)
            .collect();
        assert_eq!(numbers, [0, 1, 2]);

        let held = receiver.0.batch.lock().expect("nobody has panicked");
        assert!(sender.send(entered(3), b"last"));
        drop(held);
        drop(sender);
        assert_eq!(taken(&receiver), [(3, b"last".to_vec())]);
    }

    #[test]
    fn a_full_mailbox_refuses_and_an_emptied_one_takes_again() {
        let (mut sender, receiver) = mailbox();
        for number in 0..MOST_EVENTS as u64 {
            assert!(sender.send(entered(number), b""));
        }
        assert!(!sender.send(entered(0), b""));
        assert_eq!(taken(&receiver).len(), MOST_EVENTS);
        assert!(sender.send(entered(0), &[0; MOST_BYTES]));
        assert!(!sender.send(entered(1), b"x"));
    }
}
